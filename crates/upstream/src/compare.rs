//! Where two lists of objects differ.

use ecow::{EcoString, eco_format};
use rustc_hash::FxHashMap;
use yaml::{Node, Value};

/// Places that are told of one object.
const MAX_CHANGES: usize = 20;

/// A difference between what two renderers make of the same input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Only the native renderer makes this object.
    OnlyNative(EcoString),
    /// Only the program makes this object.
    OnlyUpstream(EcoString),
    /// Both make this object, with other content.
    Content {
        /// The object.
        object: EcoString,
        /// Where, at most twenty places.
        changes: Vec<Change>,
    },
    /// Both make the same objects, but from here on in another order: the native
    /// renderer's object, the program's.
    Order(EcoString, EcoString),
    /// The program refuses the input, in these words; the native renderer does not.
    OnlyUpstreamRefuses(EcoString),
    /// The native renderer refuses the input, in these words; the program does not.
    OnlyNativeRefuses(EcoString),
}

/// A place in an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The fields that lead there: `spec.template.spec.containers[0].image`.
    pub path: EcoString,
    /// What the native renderer has there, as JSON; `None` for nothing.
    pub native: Option<EcoString>,
    /// What the program has there.
    pub upstream: Option<EcoString>,
}

/// The differences between two lists of objects. Values of Secrets are not part
/// of the result.
pub(crate) fn objects(native: &[&Node], upstream: &[Node]) -> Vec<Difference> {
    let ours: Vec<EcoString> = native.iter().map(|node| name(node)).collect();
    let theirs: Vec<EcoString> = upstream.iter().map(name).collect();
    let mut open: FxHashMap<&EcoString, Vec<&Node>> = FxHashMap::default();
    for (name, node) in theirs.iter().zip(upstream).rev() {
        open.entry(name).or_default().push(node);
    }
    let mut found = Vec::new();
    for (name, node) in ours.iter().zip(native) {
        let Some(other) = open.get_mut(name).and_then(Vec::pop) else {
            found.push(Difference::OnlyNative(name.clone()));
            continue;
        };
        let changes = changes(node, other);
        if !changes.is_empty() {
            found.push(Difference::Content {
                object: name.clone(),
                changes,
            });
        }
    }
    for (name, _) in theirs.iter().zip(upstream) {
        if open.get_mut(name).and_then(Vec::pop).is_some() {
            found.push(Difference::OnlyUpstream(name.clone()));
        }
    }
    let moved = ours
        .iter()
        .zip(&theirs)
        .find(|(ours, theirs)| ours != theirs);
    if let (true, Some((ours, theirs))) = (found.is_empty(), moved) {
        found.push(Difference::Order(ours.clone(), theirs.clone()));
    }
    found
}

/// What an object is called: `apps/v1 Deployment namespace/name`.
fn name(node: &Node) -> EcoString {
    let text = |path: &[&str]| node.str_at(path).unwrap_or_default();
    let (version, kind) = (text(&["apiVersion"]), text(&["kind"]));
    let name = text(&["metadata", "name"]);
    match text(&["metadata", "namespace"]) {
        "" => eco_format!("{version} {kind} {name}"),
        namespace => eco_format!("{version} {kind} {namespace}/{name}"),
    }
}

/// Where two objects of one name differ.
pub(crate) fn changes(native: &Node, upstream: &Node) -> Vec<Change> {
    let mut found = Vec::new();
    let secret = native.str_at(&["kind"]) == Some("Secret");
    collect(native, upstream, EcoString::new(), secret, &mut found);
    found
}

fn collect(a: &Node, b: &Node, path: EcoString, secret: bool, found: &mut Vec<Change>) {
    if found.len() >= MAX_CHANGES || a == b {
        return;
    }
    match (&a.value, &b.value) {
        (Value::Mapping(left), Value::Mapping(right)) => {
            for entry in left {
                let Some(key) = entry.key.text() else {
                    continue;
                };
                let path = below(&path, key);
                match b.get(key) {
                    Some(other) => collect(&entry.value, other, path, secret, found),
                    None => found.push(change(path, Some(&entry.value), None, secret)),
                }
            }
            for entry in right {
                if let Some(key) = entry.key.text().filter(|key| a.get(key).is_none()) {
                    found.push(change(below(&path, key), None, Some(&entry.value), secret));
                }
            }
        }
        (Value::Sequence(left), Value::Sequence(right)) => {
            for at in 0..left.len().max(right.len()) {
                let path = eco_format!("{path}[{at}]");
                match (left.get(at), right.get(at)) {
                    (Some(a), Some(b)) => collect(a, b, path, secret, found),
                    (a, b) => found.push(change(path, a, b, secret)),
                }
            }
        }
        _ => found.push(change(path, Some(a), Some(b), secret)),
    }
    found.truncate(MAX_CHANGES);
}

fn below(path: &str, key: &str) -> EcoString {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match (path, key.chars().all(plain)) {
        ("", true) => key.into(),
        (_, true) => eco_format!("{path}.{key}"),
        _ => eco_format!("{path}[{key:?}]"),
    }
}

fn change(path: EcoString, native: Option<&Node>, upstream: Option<&Node>, secret: bool) -> Change {
    let hidden = secret
        && ["data", "stringData"]
            .iter()
            .any(|part| path.starts_with(part));
    let show = |node: &Node| match hidden {
        true => "(not shown)".into(),
        false => EcoString::from(yaml::to_json(node)),
    };
    Change {
        native: native.map(show),
        upstream: upstream.map(show),
        path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::read as parse;

    fn compared(native: &str, upstream: &str) -> Vec<Difference> {
        let native = parse(native).unwrap();
        objects(
            &native.iter().collect::<Vec<_>>(),
            &parse(upstream).unwrap(),
        )
    }

    const A: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: n}\ndata: {k.x: '1', l: b}\n";
    const B: &str = "apiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n";

    #[test]
    fn equal_objects_have_no_difference() {
        assert_eq!(
            compared(
                A,
                "# other style\napiVersion: v1\ndata:\n  l: b\n  k.x: \"1\"\nkind: ConfigMap\nmetadata:\n  namespace: n\n  name: a\n"
            ),
            []
        );
    }

    #[test]
    fn content_is_told_by_its_place() {
        let found = compared(A, &A.replace("'1'", "'2'"));
        let [Difference::Content { object, changes }] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(object, "v1 ConfigMap n/a");
        assert_eq!(changes[0].path, "data[\"k.x\"]");
        assert_eq!(changes[0].native.as_deref(), Some("\"1\""));
        assert_eq!(changes[0].upstream.as_deref(), Some("\"2\""));
    }

    #[test]
    fn values_of_secrets_are_not_told() {
        let secret = A.replace("ConfigMap", "Secret");
        let found = compared(&secret, &secret.replace("l: b", "l: hunter2"));
        assert!(!format!("{found:?}").contains("hunter2"));
        assert!(format!("{found:?}").contains("data.l"));
    }

    #[test]
    fn missing_objects_and_other_orders_are_told() {
        let both = format!("{A}---\n{B}");
        assert_eq!(
            compared(&both, A),
            [Difference::OnlyNative("v1 Namespace n".into())]
        );
        assert_eq!(
            compared(A, &both),
            [Difference::OnlyUpstream("v1 Namespace n".into())]
        );
        assert_eq!(
            compared(&both, &format!("{B}---\n{A}")),
            [Difference::Order(
                "v1 ConfigMap n/a".into(),
                "v1 Namespace n".into()
            )]
        );
    }
}
