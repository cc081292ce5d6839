//! `cargo xtask helm-data`: what Helm takes for granted where it has no
//! cluster, from its own library.

use serde_json::{Value, json};

use crate::args::Args;
use crate::oracle::Pool;
use crate::paths;

/// Writes `crates/helm/data/capabilities.txt`.
pub fn run(args: Args) -> Result<(), String> {
    args.done()?;
    let answer: Value = Pool::helm()?.ask_as(&json!({"op": "capabilities"}))?;
    let text = table(&answer["output"]).ok_or("the answer holds no capabilities")?;
    let path = paths::root().join("crates/helm/data/capabilities.txt");
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// The version of Kubernetes, then its APIs in Helm's order, one a line.
fn table(output: &Value) -> Option<String> {
    let kubernetes = output["KubeVersion"]["Version"].as_str()?;
    let mut text = format!("kubernetes {kubernetes}\n");
    for version in output["APIVersions"].as_array()? {
        text.push_str(version.as_str()?);
        text.push('\n');
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_become_a_table() {
        let output = json!({"KubeVersion": {"Version": "v1.36.0"}, "APIVersions": ["v1"]});
        assert_eq!(table(&output).as_deref(), Some("kubernetes v1.36.0\nv1\n"));
        assert_eq!(table(&Value::Null), None);
    }
}
