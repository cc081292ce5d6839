//! One Flux Kustomization over a small tree, built natively and by upstream.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ecow::EcoString;
use model::{Problem, Repository, State};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use vfs::{Memory, Tree};
use yaml::Sources;

/// The entrypoint, and the file in it that holds the Flux objects.
const ENTRYPOINT: &str = "clusters/one";
const OBJECTS: &str = "clusters/one/objects.yaml";

/// A tree and a Kustomization named `case` in namespace `flux-system`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FluxCase {
    /// Texts by path.
    pub files: BTreeMap<String, String>,
    /// The Kustomization's `spec`, without what it needs to be accepted.
    pub spec: Value,
    /// ConfigMaps and Secrets to substitute from.
    #[serde(default)]
    pub from: Vec<DataObject>,
    /// Undefined variables fail.
    #[serde(default)]
    pub strict: bool,
}

/// A ConfigMap or Secret in `flux-system`; both hold plain text.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DataObject {
    /// `ConfigMap` or `Secret`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its data.
    pub data: BTreeMap<String, String>,
}

impl FluxCase {
    /// The Flux object.
    fn kustomization(&self) -> Value {
        let mut spec = self.spec.clone();
        spec["interval"] = json!("10m");
        spec["prune"] = json!(true);
        spec["sourceRef"] = json!({"kind": "GitRepository", "name": "flux-system"});
        json!({
            "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
            "kind": "Kustomization",
            "metadata": {"name": "case", "namespace": "flux-system"},
            "spec": spec,
        })
    }

    /// The tree with the Flux objects in it, which is the artifact on both
    /// sides.
    fn tree(&self) -> BTreeMap<String, String> {
        let mut documents = vec![
            json!({
                "apiVersion": "source.toolkit.fluxcd.io/v1",
                "kind": "GitRepository",
                "metadata": {"name": "flux-system", "namespace": "flux-system"},
                "spec": {"interval": "1m", "url": "ssh://git@example.org/one", "ref": {"branch": "main"}},
            }),
            self.kustomization(),
        ];
        for object in &self.from {
            let field = if object.kind == "Secret" {
                "stringData"
            } else {
                "data"
            };
            documents.push(json!({
                "apiVersion": "v1",
                "kind": object.kind,
                "metadata": {"name": object.name, "namespace": "flux-system"},
                field: object.data,
            }));
        }
        let documents: Vec<String> = documents.iter().map(ascii).collect();
        let mut tree = self.files.clone();
        tree.insert(OBJECTS.to_owned(), documents.join("\n---\n"));
        tree
    }

    /// The request to the oracle.
    pub fn request(&self) -> Value {
        let from: Vec<Value> = self
            .from
            .iter()
            .map(|object| {
                json!({"kind": object.kind, "name": object.name, "namespace": "flux-system", "data": object.data})
            })
            .collect();
        json!({
            "op": "flux",
            "files": self.tree(),
            "kustomization": self.kustomization(),
            "substitute": {"strict": self.strict, "from": from},
            "after": "metadata",
            // Some replacements keep upstream busy for ever; no case is large.
            "timeoutMs": 5_000,
        })
    }

    /// The objects that the native walk finds, or all reasons why there are none.
    pub fn native(&self) -> Result<Vec<Value>, Vec<String>> {
        let files = self.tree();
        let files = files
            .iter()
            .map(|(path, text)| (path, text.clone().into_bytes()));
        let tree = Tree::new(Memory::new(files).map_err(|e| vec![e.to_string()])?);
        let settings = flux::Settings {
            entrypoints: vec![EcoString::from(ENTRYPOINT)],
            strict_substitution: Some(self.strict),
            ..flux::Settings::default()
        };
        objects(&flux::render(tree, Sources::new(), &settings, &|_| {}))
    }
}

/// JSON in ASCII with YAML's escapes: some of the characters that JSON may hold
/// YAML must not.
fn ascii(value: &Value) -> String {
    let mut text = String::new();
    for c in value.to_string().chars() {
        if matches!(c, ' '..='~') {
            text.push(c);
            continue;
        }
        // YAML knows no halves of characters. Writing to a string cannot fail.
        let _ = write!(text, "\\U{:08x}", u32::from(c));
    }
    text
}

fn objects(repository: &Repository) -> Result<Vec<Value>, Vec<String>> {
    let components = repository.worlds.iter().flat_map(|world| &world.components);
    let component = components
        .into_iter()
        .find(|component| component.key.name == "case")
        .ok_or_else(|| vec!["the walk does not find the Kustomization".to_owned()])?;
    match &component.state {
        State::Rendered(rendered) => rendered
            .objects
            .iter()
            .map(|object| {
                serde_json::from_str(&yaml::to_json(&object.node)).map_err(|e| vec![e.to_string()])
            })
            .collect(),
        State::Opaque(reason) | State::Partial(_, reason) => Err(vec![format!("opaque: {reason}")]),
        State::Failed(_) => Err(component.problems.iter().map(message).collect()),
    }
}

fn message(problem: &Problem) -> String {
    match problem {
        Problem::Build { message, .. }
        | Problem::UnsupportedExpression { message, .. }
        | Problem::SubstitutedTextInvalid { message, .. } => message.to_string(),
        Problem::PathMissing { path, .. } => format!("{path}: no such file or directory"),
        Problem::UndefinedVariable { name, .. } => {
            format!("variable not set (strict mode): {name:?}")
        }
        other => format!("{other:?}"),
    }
}
