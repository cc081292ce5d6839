//! The native crates.

use std::collections::BTreeMap;

use flux::envsubst;
use serde_json::json;
use yaml::{FileId, Limits};

use super::{Expand, Yaml, tree};

/// Answers with the native crates.
pub struct Native;

impl Expand for Native {
    fn envsubst(
        &self,
        text: &str,
        vars: &BTreeMap<String, String>,
        strict: bool,
    ) -> Result<String, String> {
        let lookup = |name: &str| {
            let text = vars.get(name)?;
            Some(envsubst::Value {
                text,
                unknown: false,
            })
        };
        let expansion = envsubst::expand(text, &lookup).map_err(|e| e.to_string())?;
        match expansion.undefined.first() {
            Some(undefined) if strict => Err(undefined.message()),
            _ => Ok(expansion.text),
        }
    }
}

impl Yaml for Native {
    fn documents(&self, text: &str) -> Result<Vec<String>, String> {
        let nodes = yaml::parse(text, FileId::NONE, &limits()).map_err(|e| e.to_string())?;
        nodes
            .iter()
            .map(|node| match yaml::canonical(node) {
                // Upstream makes JSON of resources only.
                Ok(_) if node.is_scalar() => Err("a scalar is no resource".to_owned()),
                Ok(canonical) => Ok(yaml::to_json(&canonical)),
                Err(e) => Err(e.to_string()),
            })
            .collect()
    }

    fn yaml(&self, way: &str, texts: &[String]) -> Vec<Result<String, String>> {
        texts.iter().map(|text| self.one(way, text)).collect()
    }
}

impl Native {
    fn one(&self, way: &str, text: &str) -> Result<String, String> {
        let told = |e: yaml::Error| e.to_string();
        let sigs = |strict| yaml::sigs_to_json(text, FileId::NONE, strict).map_err(told);
        match way {
            "v3-tree" => tree::of_text(text),
            "kyaml-json" => Ok(json!(self.documents(text)?).to_string()),
            "kyaml-bare" => {
                let nodes = yaml::parse(text, FileId::NONE, &limits()).map_err(told)?;
                let texts: Vec<String> = nodes.iter().map(yaml::emit_v3).collect();
                Ok(json!(texts).to_string())
            }
            "sigs-to-json" => Ok(yaml::to_json(&sigs(false)?)),
            "sigs-strict" => Ok(yaml::to_json(&sigs(true)?)),
            "sigs-roundtrip" => Ok(yaml::emit_v2(&sigs(false)?)),
            "json-to-yaml" => Ok(yaml::emit_v2(
                &yaml::from_json(text, FileId::NONE).map_err(told)?,
            )),
            _ => Err(format!("no native way {way:?}")),
        }
    }
}

fn limits() -> Limits {
    Limits {
        depth: Limits::GO_DEPTH,
        ..Limits::default()
    }
}
