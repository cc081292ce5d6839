//! Random manifests: what is parted into documents, sorted and looked at for hooks.

use serde_json::{Value, json};

use super::expression::expression;
use crate::random::Random;

const KINDS: &[&str] = &[
    "ConfigMap",
    "Secret",
    "Deployment",
    "Namespace",
    "Job",
    "Zebra",
    "CustomResourceDefinition",
    "Service",
    "Ingress",
    "APIService",
    "Pod",
    "PriorityClass",
    "List",
    "",
];

/// The parts of a template that should be YAML.
pub fn manifest(random: &mut Random, at: usize) -> Value {
    let mut parts = Vec::new();
    for document in 0..1 + random.below(3) {
        if document > 0 || random.once_in(3) {
            let mark = random.pick(&[
                "---\n",
                "---\n",
                "--- \n",
                "---   # c\n",
                "\n---\n\n",
                "-----\n",
                "---\n---\n",
                " ---\n",
            ]);
            parts.push(json!(mark));
        }
        if random.once_in(10) {
            parts.push(json!(random.pick(&[
                "# only a comment\n",
                "\n\n",
                "null\n",
                "- a\n",
                "text\n",
                "a: b: c\n",
                "{}\n"
            ])));
            continue;
        }
        parts.push(json!(format!(
            "apiVersion: {}\nkind: {}\n",
            random.pick(&["v1", "apps/v1", "1"]),
            random.pick(KINDS)
        )));
        parts.push(json!(format!("metadata:\n  name: n{at}-{document}\n")));
        if random.once_in(3) {
            annotations(random, &mut parts);
        }
        if random.once_in(2) {
            parts.push(json!("data: "));
            parts.push(json!({"expr": ["toJson", expression(random, 'd', 2)]}));
            parts.push(json!("\n"));
        }
        if random.once_in(4) {
            parts.push(json!("spec:"));
            parts.push(
                json!({"expr": ["|", ["toYaml", expression(random, 'a', 3)], ["nindent", "2"]]}),
            );
            parts.push(json!("\n"));
        }
    }
    Value::Array(parts)
}

fn annotations(random: &mut Random, parts: &mut Vec<Value>) {
    parts.push(json!("  annotations:\n"));
    let hook = random.pick(&[
        "pre-install",
        "post-install,pre-upgrade",
        " Pre-Delete , test",
        "crd-install",
        "nope",
        "\"\"",
        "test-success",
        "post-rollback",
        "5",
        "pre-install,",
    ]);
    parts.push(json!(format!("    helm.sh/hook: {hook}\n")));
    if random.once_in(2) {
        let weight = random.pick(&[
            "\"5\"",
            "\"-3\"",
            "7",
            "x",
            "\"1.5\"",
            "\" 2\"",
            "\"+4\"",
            "\"99999999999999999999\"",
            "true",
        ]);
        parts.push(json!(format!("    helm.sh/hook-weight: {weight}\n")));
    }
    if random.once_in(3) {
        let policy = random.pick(&[
            "hook-succeeded",
            "before-hook-creation,hook-failed",
            " X , Hook-Failed",
            "\"\"",
        ]);
        parts.push(json!(format!("    helm.sh/hook-delete-policy: {policy}\n")));
    }
}
