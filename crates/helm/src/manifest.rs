//! From the texts that templates gave to documents: parted, hooks apart, in
//! the order of installation.

use std::collections::BTreeMap;

use yaml::{FileId, Node, Tag};

use crate::error::Error;
use crate::hook::{Hook, HookEvent};

/// A document that a release installs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    /// Path of the template, the chart's name first.
    pub path: String,
    /// The document, without a separator.
    pub text: String,
    /// Kind of the object.
    pub kind: String,
    /// What [`yaml::parse`] makes of the document, where Helm's own look at it
    /// gave that as well.
    pub tree: Option<Vec<Node>>,
}

/// Kinds in the order in which Helm installs them. Others follow, by name.
const INSTALL_ORDER: &[&str] = &[
    "PriorityClass",
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

/// Documents of a release.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Documents {
    /// What is installed, in order.
    pub manifests: Vec<Manifest>,
    /// Hooks, ordered as the manifests are.
    pub hooks: Vec<Hook>,
    /// Documents that are left out, and why.
    pub warnings: Vec<String>,
}

/// Parts the texts of templates, by their paths, into documents.
///
/// # Errors
///
/// A document that is no YAML, or whose kind, name or annotations are not what
/// an object has.
pub fn documents(texts: &BTreeMap<String, String>) -> Result<Documents, Error> {
    let mut found = Documents::default();
    for (path, text) in texts {
        let name = path.rsplit('/').next().unwrap_or_default();
        if name.starts_with('_') {
            continue;
        }
        for document in split(text) {
            let mut tree = yaml::alike(document, FileId::NONE);
            let head = match tree.as_deref().and_then(Head::of) {
                Some(head) => head,
                None => {
                    tree = None;
                    Head::read(document)
                        .map_err(|e| Error::plain(format!("YAML parse error on {path}: {e}")))?
                }
            };
            found.add(path, document, head, tree);
        }
    }
    found.manifests.sort_by(|a, b| by_kind(&a.kind, &b.kind));
    found.hooks.sort_by(|a, b| by_kind(&a.kind, &b.kind));
    Ok(found)
}

fn by_kind(a: &str, b: &str) -> std::cmp::Ordering {
    fn key(kind: &str) -> (usize, &str) {
        match INSTALL_ORDER.iter().position(|known| *known == kind) {
            Some(at) => (at, ""),
            None => (INSTALL_ORDER.len(), kind),
        }
    }
    key(a).cmp(&key(b))
}

impl Documents {
    fn add(&mut self, path: &str, text: &str, head: Head, tree: Option<Vec<Node>>) {
        let Some(hook) = head.annotation("helm.sh/hook") else {
            self.manifests.push(Manifest {
                path: path.to_owned(),
                text: text.to_owned(),
                kind: head.kind,
                tree,
            });
            return;
        };
        let names = || hook.split(',').map(|name| name.trim().to_lowercase());
        let events: Option<Vec<HookEvent>> = names().map(|name| HookEvent::of(&name)).collect();
        let Some(events) = events else {
            let warning = format!("{path}: skipping unknown hooks: {hook}");
            self.warnings.push(warning);
            return;
        };
        let policies = |annotation: &str| -> Vec<String> {
            let listed = head.annotation(annotation);
            let listed = listed.into_iter().flat_map(|text| text.split(','));
            listed.map(|policy| policy.trim().to_lowercase()).collect()
        };
        let weight = head.annotation("helm.sh/hook-weight").unwrap_or_default();
        self.hooks.push(Hook {
            path: path.to_owned(),
            text: text.to_owned(),
            kind: head.kind.clone(),
            name: head.name.clone(),
            events,
            weight: weight.parse().unwrap_or_default(),
            delete_policies: policies("helm.sh/hook-delete-policy"),
            log_policies: policies("helm.sh/hook-output-log-policy"),
            tree,
        });
    }
}

/// The documents of a text that are not empty.
///
/// Helm parts a text where `---` begins a line, whatever follows it on that
/// line, and drops white space around the mark. A mark right behind another
/// does not count.
pub fn split(text: &str) -> Vec<&str> {
    let text = text.trim_start();
    let bytes = text.as_bytes();
    let is_space = |at: usize| {
        let byte = bytes.get(at);
        byte.is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c))
    };
    let mut parts = Vec::new();
    let mut begin = 0;
    let behind = |mut at: usize| {
        while is_space(at) {
            at += 1;
        }
        at
    };
    if text.starts_with("---") {
        begin = behind(3);
    }
    let mut from = begin;
    while let Some(found) = text.get(from..).and_then(|rest| rest.find("\n---")) {
        let mark = from + found;
        let mut end = mark;
        while end > from && is_space(end - 1) {
            end -= 1;
        }
        parts.push(text.get(begin..end).unwrap_or_default());
        begin = behind(mark + 4);
        from = begin;
    }
    parts.push(text.get(begin..).unwrap_or_default());
    let parts = parts.into_iter().map(str::trim_start);
    parts.filter(|part| !part.is_empty()).collect()
}

/// What Helm reads of a document.
#[derive(Debug, Default)]
struct Head {
    kind: String,
    name: String,
    annotations: Vec<(String, String)>,
}

/// Go's name of what a document is read into.
const TYPE: &str = "util.SimpleHead";

impl Head {
    fn annotation(&self, name: &str) -> Option<&str> {
        let found = self.annotations.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// That of a document that was read as a tree, if it is as it should be:
    /// [`Head::read`] knows the rest.
    fn of(documents: &[Node]) -> Option<Self> {
        let mut head = Head::default();
        let node = match documents {
            [] => return Some(head),
            [node] if node.is_map() => node,
            _ => return None,
        };
        single(node, "apiVersion")?.map_or(Some(""), plain)?;
        head.kind = single(node, "kind")?.map_or(Some(""), plain)?.to_owned();
        let Some(metadata) = single(node, "metadata")? else {
            return Some(head);
        };
        if !metadata.is_map() {
            return None;
        }
        let name = single(metadata, "name")?.map_or(Some(""), plain)?;
        head.name = name.to_owned();
        if let Some(annotations) = single(metadata, "annotations")? {
            if !annotations.is_map() {
                return None;
            }
            for entry in annotations.entries() {
                let (key, value) = (entry.key.text()?, plain(&entry.value)?);
                if head.annotation(key).is_some() {
                    return None;
                }
                head.annotations.push((key.to_string(), value.to_owned()));
            }
        }
        Some(head)
    }

    fn read(document: &str) -> Result<Self, String> {
        let node = yaml::sigs_to_json(document, FileId::NONE, false)
            .map_err(|e| format!("error converting YAML to JSON: {e}"))?;
        let mut head = Head::default();
        if node.is_null() {
            return Ok(head);
        }
        if !node.is_map() {
            return Err(mismatch(&node, &format!("value of type {TYPE}")));
        }
        // JSON's reader goes through the keys in order, and goes on after a
        // field of a wrong type to tell the first one.
        let mut wrong = None;
        let mut told = |told: String| {
            wrong.get_or_insert(told);
        };
        field(&node, "apiVersion", |value| {
            text(value, "SimpleHead.apiVersion").map_or_else(&mut told, drop);
        });
        field(&node, "kind", |value| {
            text(value, "SimpleHead.kind").map_or_else(&mut told, |kind| head.kind = kind);
        });
        field(&node, "metadata", |value| {
            if let Err(error) = head.metadata(value) {
                told(error);
            }
        });
        match wrong {
            Some(error) => Err(error),
            None => Ok(head),
        }
    }

    fn metadata(&mut self, node: &Node) -> Result<(), String> {
        if node.is_null() {
            return Ok(());
        }
        if !node.is_map() {
            let ty = "struct { Name string \"json:\\\"name\\\"\"; Annotations map[string]string \
                      \"json:\\\"annotations\\\"\" }";
            let place = format!("struct field SimpleHead.metadata of type {ty}");
            return Err(mismatch(node, &place));
        }
        let mut wrong = None;
        field(node, "annotations", |value| {
            if let Err(error) = self.annotate(value) {
                wrong.get_or_insert(error);
            }
        });
        field(node, "name", |value| match text(value, ".metadata.name") {
            Ok(name) => self.name = name,
            Err(error) => {
                wrong.get_or_insert(error);
            }
        });
        wrong.map_or(Ok(()), Err)
    }

    fn annotate(&mut self, node: &Node) -> Result<(), String> {
        if node.is_null() {
            return Ok(());
        }
        if !node.is_map() {
            let place = "struct field .metadata.annotations of type map[string]string";
            return Err(mismatch(node, place));
        }
        let mut wrong = None;
        for entry in node.entries() {
            match text(&entry.value, ".metadata.annotations") {
                Ok(value) => {
                    let key = entry.key.as_str().unwrap_or_default().to_owned();
                    self.annotations.push((key, value));
                }
                Err(error) => {
                    wrong.get_or_insert(error);
                }
            }
        }
        wrong.map_or(Ok(()), Err)
    }
}

/// The only entry that Go's JSON takes for a field, if it is written as it
/// should be. Fails where there are others.
fn single<'n>(node: &'n Node, name: &str) -> Option<Option<&'n Node>> {
    let mut found = None;
    for entry in node.entries() {
        let key = entry.key.text()?;
        if key.eq_ignore_ascii_case(name) && (key != name || found.replace(&entry.value).is_some())
        {
            return None;
        }
    }
    Some(found)
}

/// The text of a scalar that is one to all readers.
fn plain(node: &Node) -> Option<&str> {
    yaml::is_text_to_both(node).then(|| node.as_str())?
}

/// Visits the entries that Go's JSON takes for a field, in order of their
/// keys: whatever their case.
fn field<'n>(node: &'n Node, name: &str, mut visit: impl FnMut(&'n Node)) {
    for entry in node.entries() {
        let key = entry.key.as_str().unwrap_or_default();
        if key.eq_ignore_ascii_case(name) {
            visit(&entry.value);
        }
    }
}

/// A field that is a text: numbers and truths are taken as texts.
fn text(node: &Node, place: &str) -> Result<String, String> {
    match (&node.tag, node.text()) {
        (Tag::Null, _) => Ok(String::new()),
        (_, Some(text)) => Ok(text.to_string()),
        (_, None) => Err(mismatch(
            node,
            &format!("struct field {place} of type string"),
        )),
    }
}

fn mismatch(node: &Node, place: &str) -> String {
    let kind = match node.tag {
        Tag::Map => "object",
        Tag::Seq => "array",
        Tag::Bool => "bool",
        Tag::Int | Tag::Float => "number",
        _ => "string",
    };
    format!(
        "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {kind} into Go {place}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Documents, Error> {
        documents(&BTreeMap::from([(
            "a/templates/x.yaml".to_owned(),
            text.to_owned(),
        )]))
    }

    #[test]
    fn separators_are_lenient() {
        assert_eq!(split("a: 1\n---\nb: 1\n"), ["a: 1", "b: 1\n"]);
        assert_eq!(split("\n\n---   \n\na: 1  \n \n---b: 1"), ["a: 1", "b: 1"]);
        assert_eq!(split("---\n---\na: 1\n"), ["---\na: 1\n"]);
        assert_eq!(split("a: |\n  ---\nb: 1"), ["a: |\n  ---\nb: 1"]);
        assert_eq!(split(" \n---\n"), Vec::<&str>::new());
        assert_eq!(split("a\n------\nb"), ["a", "---\nb"]);
    }

    #[test]
    fn hooks_are_no_manifests() {
        let hook = |annotations: &str| {
            format!("kind: Job\nmetadata:\n  name: j\n  annotations: {{{annotations}}}\n")
        };
        let found = of(&hook(
            "helm.sh/hook: 'Pre-Install, post-upgrade', helm.sh/hook-weight: 5, \
             helm.sh/hook-delete-policy: 'hook-succeeded, Hook-Failed'",
        ))
        .unwrap();
        assert!(found.manifests.is_empty());
        let [hook_found] = found.hooks.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(
            hook_found.events,
            [HookEvent::PreInstall, HookEvent::PostUpgrade]
        );
        assert_eq!((hook_found.weight, hook_found.name.as_str()), (5, "j"));
        assert_eq!(
            hook_found.delete_policies,
            ["hook-succeeded", "hook-failed"]
        );
        let found = of(&hook("helm.sh/hook: crd-install")).unwrap();
        assert!(found.hooks.is_empty() && found.manifests.is_empty());
        assert_eq!(found.warnings.len(), 1);
    }

    #[test]
    fn documents_are_ordered_by_kind() {
        let kinds = [
            "Zebra",
            "Service",
            "Alpha",
            "Namespace",
            "Service",
            "Secret",
        ];
        let text: Vec<String> = kinds.iter().map(|kind| format!("kind: {kind}\n")).collect();
        let found = of(&text.join("---\n")).unwrap();
        let kinds: Vec<&str> = found.manifests.iter().map(|m| m.kind.as_str()).collect();
        assert_eq!(
            kinds,
            [
                "Namespace",
                "Secret",
                "Service",
                "Service",
                "Alpha",
                "Zebra"
            ]
        );
    }

    #[test]
    fn errors_are_helms() {
        let error = |text: &str| of(text).unwrap_err().to_string();
        assert!(error("a: b: c\n").starts_with(
            "YAML parse error on a/templates/x.yaml: error converting YAML to JSON: yaml: "
        ));
        assert_eq!(
            error("- a\n"),
            "YAML parse error on a/templates/x.yaml: error unmarshaling JSON: while decoding \
             JSON: json: cannot unmarshal array into Go value of type util.SimpleHead"
        );
        assert_eq!(
            error("metadata: {annotations: {a: {b: c}}}\n"),
            "YAML parse error on a/templates/x.yaml: error unmarshaling JSON: while decoding \
             JSON: json: cannot unmarshal object into Go struct field .metadata.annotations of \
             type string"
        );
    }
}
