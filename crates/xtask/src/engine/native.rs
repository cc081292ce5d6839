//! The native crates.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use flux::envsubst;
use kustomize::tables::{Schema, comment_schemas};
use kustomize::transform::merge::{Growth, Merge};
use kustomize::{Documents, LoadRestrictions, Options, Reorder};
use serde_json::json;
use vfs::{Disk, Memory, Tree};
use yaml::{FileId, Limits, Node, Sources};

use super::{Build, Engine, Expand, Files, Merging, Yaml, tree};

/// Answers with the native crates.
#[derive(Default)]
pub struct Native {
    /// Directories on disk, each read once.
    roots: Mutex<HashMap<PathBuf, Arc<Documents>>>,
}

impl Native {
    fn root(&self, path: &Path) -> Result<Arc<Documents>, String> {
        let mut roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = roots.get(path) {
            return Ok(known.clone());
        }
        let disk = Disk::new(path).map_err(|e| e.to_string())?.with_symlinks();
        let documents = Arc::new(Documents::new(Tree::new(disk), Sources::new()));
        roots.insert(path.to_owned(), documents.clone());
        Ok(documents)
    }
}

impl Engine for Native {
    fn kustomize(&self, build: &Build) -> Result<String, String> {
        let documents = match &build.files {
            Files::Disk(root) => self.root(root)?,
            Files::Memory(files) => {
                let files = files.iter().map(|(path, bytes)| (path, bytes.clone()));
                let memory = Memory::new(files).map_err(|e| e.to_string())?;
                Arc::new(Documents::new(Tree::new(memory), Sources::new()))
            }
        };
        let options = Options {
            load_restrictions: match build.unrestricted {
                true => LoadRestrictions::None,
                false => LoadRestrictions::RootOnly,
            },
            reorder: match build.reorder.as_str() {
                "legacy" => Reorder::Legacy,
                "unspecified" => Reorder::Unspecified,
                _ => Reorder::None,
            },
            managed_by_label: build.managed_by_label,
            // As the program does; a controller keeps the built-in ones, too.
            custom_schema_only: true,
            ..Options::default()
        };
        kustomize::build(&documents, &build.path, &options)
            .map(|output| output.to_yaml())
            .map_err(|e| e.to_string())
    }

    fn merge(&self, object: &str, patch: &str, how: Merging) -> Result<String, String> {
        let schema = schema(&[object, patch]);
        let (object, patch) = (first(object, 0)?, first(patch, 1)?);
        let merged = merge(&schema, how).apply(object, patch);
        let merged = merged.map_err(|e| e.to_string())?;
        Ok(merged.as_ref().map(yaml::emit_v3).unwrap_or_default())
    }

    fn merge_three(&self, versions: [&str; 3], how: Merging) -> Result<String, String> {
        let schema = schema(&versions);
        let [local, origin, update] = versions;
        let [local, origin, update] = [first(local, 0)?, first(origin, 1)?, first(update, 2)?];
        let merge = merge(&schema, how).growing(Growth::Append);
        let merged = merge.update(&local, &origin, &update);
        let merged = merged.map_err(|e| e.to_string())?;
        Ok(merged.as_ref().map(yaml::emit_v3).unwrap_or_default())
    }
}

/// The schemas kustomize has and those in the comments of numbered texts.
fn schema(texts: &[&str]) -> Schema {
    let comments = texts.iter().flat_map(|text| comment_schemas(text));
    Schema::built_in().with_comments(&comments.collect::<Vec<_>>())
}

fn merge(schema: &Schema, how: Merging) -> Merge<'_> {
    let merge = Merge::new(schema).growing(match how.prepend {
        true => Growth::Prepend,
        false => Growth::Append,
    });
    match how.infer {
        true => merge.inferring_keys(),
        false => merge,
    }
}

/// The first document of a numbered text.
fn first(text: &str, number: u32) -> Result<Node, String> {
    let nodes = yaml::parse(text, FileId(number), &limits()).map_err(|e| e.to_string())?;
    Ok(nodes.into_iter().next().unwrap_or_else(Node::null))
}

impl Expand for Native {
    fn envsubst(
        &self,
        text: &str,
        vars: &BTreeMap<String, String>,
        strict: bool,
    ) -> Result<String, String> {
        let lookup = |name: &str, _| Some(envsubst::Value::known(vars.get(name)?));
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
            "kyaml-emit" => {
                let nodes = yaml::parse(text, FileId::NONE, &limits()).map_err(told)?;
                let texts: Vec<String> = nodes.iter().map(yaml::emit_v3).collect();
                Ok(json!(texts).to_string())
            }
            "sigs-to-json" => Ok(yaml::to_json(&sigs(false)?)),
            "sigs-strict" => Ok(yaml::to_json(&sigs(true)?)),
            "sigs-roundtrip" => yaml::json_to_yaml(&sigs(false)?).map_err(told),
            "json-to-yaml" => {
                let node = yaml::from_json(text, FileId::NONE).map_err(told)?;
                yaml::json_to_yaml(&node).map_err(told)
            }
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
