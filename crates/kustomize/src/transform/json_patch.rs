//! JSON patches (RFC 6902), with the liberties of the library upstream uses:
//! replacing a field that is missing adds it, indices may count from the end,
//! a missing value is null.

use ecow::{EcoString, EcoVec, eco_format};
use yaml::{Node, Value};

use super::path::integer;
use super::printed::printed;
use super::scalar::string;
use crate::error::Error;
use crate::resource::Resource;

/// Applies a list of operations to an object. Afterwards every number of it has
/// gone through a 64-bit float, and annotations are strings, as upstream has it.
/// Fails on a path that does not exist, a test that fails and a malformed
/// operation.
pub fn apply(object: &mut Resource, operations: &[Node]) -> Result<(), Error> {
    let json = |e: yaml::Error| Error::new(eco_format!("{e}")).at(e.span);
    let mut document = yaml::canonical(object.node()).map_err(json)?;
    for operation in operations {
        Operation::read(operation)
            .apply(&mut document)
            .map_err(|error| error.at(operation.span))?;
    }
    if !document.is_map() {
        let kind = if document.is_seq() { "array" } else { "string" };
        return Err(Error::new(eco_format!(
            "json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"
        ))
        .at(document.span));
    }
    printed(&mut document);
    annotations_to_strings(&mut document);
    *object.node_mut() = document;
    object.record.links.clear();
    Ok(())
}

fn annotations_to_strings(document: &mut Node) {
    if document.get("metadata").is_none() {
        document.insert("metadata", Node::map::<&str>([]));
    }
    let Some(metadata) = document.get_mut("metadata").filter(|m| m.is_map()) else {
        return;
    };
    let Some(annotations) = metadata.get_mut("annotations") else {
        return;
    };
    if annotations.entries().is_empty() {
        metadata.remove("annotations");
        return;
    }
    for entry in annotations
        .entries_mut()
        .map(EcoVec::make_mut)
        .unwrap_or_default()
    {
        let text = entry.value.text().cloned().unwrap_or_default();
        let unknown = entry.value.unknown;
        entry.value = string(text, entry.value.span);
        entry.value.unknown = unknown;
    }
}

/// One operation, its fields as they were found.
struct Operation<'o> {
    node: &'o Node,
}

impl<'o> Operation<'o> {
    fn read(node: &'o Node) -> Self {
        Operation { node }
    }

    fn text(&self, field: &str) -> Option<&'o str> {
        self.node.get(field).and_then(Node::as_str)
    }

    fn value(&self) -> Node {
        self.node.get("value").cloned().unwrap_or_else(Node::null)
    }

    fn path(&self, operation: &str) -> Result<&'o str, Error> {
        self.text("path")
            .ok_or_else(|| missing(eco_format!("{operation} operation failed to decode path")))
    }

    fn from(&self, operation: &str) -> Result<&'o str, Error> {
        self.text("from")
            .ok_or_else(|| missing(eco_format!("{operation} operation failed to decode from")))
    }

    fn apply(&self, document: &mut Node) -> Result<(), Error> {
        match self.text("op").unwrap_or("unknown") {
            "add" => self.add(document),
            "remove" => self.remove(document),
            "replace" => self.replace(document),
            "move" => self.transfer(document),
            "test" => self.test(document),
            "copy" => self.copy(document),
            other => Err(Error::new(eco_format!("Unexpected kind: {other}"))),
        }
    }

    fn add(&self, document: &mut Node) -> Result<(), Error> {
        let path = self.path("add")?;
        let (container, key) = find(document, path).ok_or_else(|| {
            missing(eco_format!(
                "add operation does not apply: doc is missing path: \"{path}\""
            ))
        })?;
        insert(container, &key, self.value())
            .map_err(|e| e.during(eco_format!("error in add for path: '{path}'")))
    }

    fn remove(&self, document: &mut Node) -> Result<(), Error> {
        let path = self.path("remove")?;
        let (container, key) = find(document, path).ok_or_else(|| {
            missing(eco_format!(
                "remove operation does not apply: doc is missing path: \"{path}\""
            ))
        })?;
        take(container, &key)
            .map_err(|e| e.during(eco_format!("error in remove for path: '{path}'")))?;
        Ok(())
    }

    fn replace(&self, document: &mut Node) -> Result<(), Error> {
        let path = self.path("replace")?;
        if path.is_empty() {
            let value = self.value();
            if value.is_scalar() {
                return Err(Error::new(
                    "replace operation value must be object or array: %!w(<nil>)",
                ));
            }
            *document = value;
            return Ok(());
        }
        let (container, key) = find(document, path).ok_or_else(|| {
            missing(eco_format!(
                "replace operation does not apply: doc is missing path: {path}"
            ))
        })?;
        if get(container, &key).is_err() {
            return Err(missing(eco_format!(
                "replace operation does not apply: doc is missing key: {path}"
            )));
        }
        set(container, &key, self.value())
            .map_err(|e| e.during(eco_format!("error in remove for path: '{path}'")))
    }

    fn transfer(&self, document: &mut Node) -> Result<(), Error> {
        let from = self.from("move")?;
        let (container, key) = find(document, from).ok_or_else(|| {
            missing(eco_format!(
                "move operation does not apply: doc is missing from path: {from}"
            ))
        })?;
        let failed = |e: Error| e.during(eco_format!("error in move for path: '{key}'"));
        get(container, &key).map_err(failed)?;
        let value = take(container, &key).map_err(failed)?;
        let path = self.path("move")?;
        let (container, key) = find(document, path).ok_or_else(|| {
            missing(eco_format!(
                "move operation does not apply: doc is missing destination path: {path}"
            ))
        })?;
        insert(container, &key, value)
            .map_err(|e| e.during(eco_format!("error in move for path: '{path}'")))
    }

    fn copy(&self, document: &mut Node) -> Result<(), Error> {
        let from = self.from("copy")?;
        let (container, key) = find(document, from).ok_or_else(|| {
            missing(eco_format!(
                "copy operation does not apply: doc is missing from path: {from}"
            ))
        })?;
        let value = get(container, &key)
            .map_err(|e| e.during(eco_format!("error in copy for from: '{from}'")))?
            .cloned()
            .unwrap_or_else(Node::null);
        let path = self.path("copy")?;
        let (container, key) = find(document, path).ok_or_else(|| {
            missing(eco_format!(
                "copy operation does not apply: doc is missing destination path: {path}"
            ))
        })?;
        insert(container, &key, value).map_err(|e| e.during("error while adding value during copy"))
    }

    fn test(&self, document: &mut Node) -> Result<(), Error> {
        let path = self.path("test")?;
        let expected = self.value();
        let failed = || Error::new(eco_format!("testing value {path} failed: test failed"));
        if path.is_empty() {
            return match same(document, &expected) {
                true => Ok(()),
                false => Err(failed()),
            };
        }
        let (container, key) = find(document, path).ok_or_else(|| {
            missing(eco_format!(
                "test operation does not apply: is missing path: {path}"
            ))
        })?;
        let found = get(container, &key)
            .map_err(|e| e.during(eco_format!("error in test for path: '{path}'")))?;
        let equal = match found {
            Some(found) => same(found, &expected),
            None => expected.is_null(),
        };
        if equal { Ok(()) } else { Err(failed()) }
    }
}

/// An error whose cause upstream calls a missing value.
fn missing(what: EcoString) -> Error {
    Error::new(eco_format!("{what}: missing value"))
}

/// Whether two canonical values are the same: their JSON texts are.
fn same(a: &Node, b: &Node) -> bool {
    yaml::to_json(a) == yaml::to_json(b)
}

/// The mapping or list that holds the last part of a pointer, and that part.
fn find<'d>(document: &'d mut Node, pointer: &str) -> Option<(&'d mut Node, EcoString)> {
    let (_, pointer) = pointer.split_once('/')?;
    let mut parts: Vec<EcoString> = pointer.split('/').map(decode).collect();
    let last = parts.pop()?;
    let mut container = document;
    for part in parts {
        let at = match get(container, &part) {
            Ok(Some(next)) if !next.is_scalar() => place(container, &part)?,
            _ => return None,
        };
        container = match &mut container.value {
            Value::Mapping(entries) => &mut EcoVec::make_mut(entries).get_mut(at)?.value,
            Value::Sequence(items) => EcoVec::make_mut(items).get_mut(at)?,
            Value::Scalar(_) => return None,
        };
    }
    (!container.is_scalar()).then_some((container, last))
}

/// A part of a pointer with its escapes undone.
fn decode(part: &str) -> EcoString {
    let mut decoded = EcoString::new();
    let mut rest = part;
    while let Some((before, behind)) = rest.split_once('~') {
        decoded.push_str(before);
        let (c, tail) = match (behind.strip_prefix('1'), behind.strip_prefix('0')) {
            (Some(tail), _) => ('/', tail),
            (_, Some(tail)) => ('~', tail),
            _ => ('~', behind),
        };
        decoded.push(c);
        rest = tail;
    }
    decoded.push_str(rest);
    decoded
}

/// Where a key is in a mapping.
fn place(container: &Node, key: &str) -> Option<usize> {
    match &container.value {
        Value::Mapping(entries) => entries
            .iter()
            .position(|entry| entry.key.text().is_some_and(|text| text == key)),
        Value::Sequence(items) => index(key, items.len(), items.len()).ok(),
        Value::Scalar(_) => None,
    }
}

/// An index below `bound`; negative ones count back from `length`.
fn index(key: &str, length: usize, bound: usize) -> Result<usize, Error> {
    let Some(index) = integer(key) else {
        return Err(Error::new(eco_format!(
            "strconv.Atoi: parsing \"{key}\": invalid syntax"
        )));
    };
    let at = match usize::try_from(index) {
        Ok(at) => Some(at).filter(|at| *at < bound),
        Err(_) => usize::try_from(-index)
            .ok()
            .and_then(|back| length.checked_sub(back)),
    };
    at.ok_or_else(|| {
        Error::new(eco_format!(
            "Unable to access invalid index: {index}: invalid index referenced"
        ))
    })
}

/// The value under a key. In a mapping a missing one is no error.
fn get<'d>(container: &'d Node, key: &str) -> Result<Option<&'d Node>, Error> {
    match &container.value {
        Value::Sequence(items) => Ok(items.get(index(key, items.len(), items.len())?)),
        _ => Ok(container.get(key)),
    }
}

fn set(container: &mut Node, key: &str, value: Node) -> Result<(), Error> {
    match &mut container.value {
        Value::Sequence(items) => {
            let at = index(key, items.len(), items.len())?;
            if let Some(item) = EcoVec::make_mut(items).get_mut(at) {
                *item = value;
            }
        }
        _ => put(container, key, value),
    }
    Ok(())
}

/// Adds to a mapping, or into a list in front of an index; `-` is its end.
fn insert(container: &mut Node, key: &str, value: Node) -> Result<(), Error> {
    match &mut container.value {
        Value::Sequence(items) if key == "-" => items.push(value),
        Value::Sequence(items) => {
            if integer(key).is_none() {
                return Err(Error::new(eco_format!(
                    "value was not a proper array index: '{key}': strconv.Atoi: parsing \"{key}\": invalid syntax"
                )));
            }
            let longer = items.len() + 1;
            items.insert(index(key, longer, longer)?, value);
        }
        _ => put(container, key, value),
    }
    Ok(())
}

/// Sets a field of a mapping; a new key stands where its value does.
fn put(container: &mut Node, key: &str, value: Node) {
    if let Some(old) = container.get_mut(key) {
        *old = value;
    } else if let Some(entries) = container.entries_mut() {
        entries.push(yaml::Entry {
            key: string(key, value.span),
            value,
        });
    }
}

fn take(container: &mut Node, key: &str) -> Result<Node, Error> {
    match &mut container.value {
        Value::Sequence(items) => Ok(items.remove(index(key, items.len(), items.len())?)),
        _ => container
            .remove(key)
            .ok_or_else(|| missing(eco_format!("Unable to remove nonexistent key: {key}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yaml::{FileId, Limits};

    fn one(text: &str) -> Node {
        yaml::parse(text, FileId::NONE, &Limits::default())
            .unwrap()
            .remove(0)
    }

    fn patched(object: &str, operations: &str) -> Result<String, String> {
        let mut resource = Resource::new(one(object));
        let operations = yaml::sigs_to_json(operations, FileId::NONE, false).unwrap();
        apply(&mut resource, operations.items()).map_err(|e| e.to_string())?;
        let node = yaml::canonical(resource.node()).unwrap();
        Ok(yaml::to_json(&node))
    }

    fn data(operations: &str) -> Result<String, String> {
        let json = patched(
            "metadata: {name: a}\ndata: {l: [1, 2], m: {k: v}}",
            operations,
        )?;
        let inner = json
            .strip_prefix(r#"{"data":"#)
            .and_then(|rest| rest.split_once(r#","metadata"#));
        Ok(inner.map_or(json.clone(), |(data, _)| data.to_owned()))
    }

    #[test]
    fn lists_take_indices_and_their_end() {
        let ops = "[{op: add, path: /data/l/0, value: 0}, {op: add, path: /data/l/-, value: 3}, {op: remove, path: /data/l/-2}]";
        assert_eq!(data(ops).unwrap(), r#"{"l":[0,1,3],"m":{"k":"v"}}"#);
    }

    #[test]
    fn values_move_and_are_copied() {
        let ops = "[{op: move, from: /data/m/k, path: /data/k}, {op: copy, from: /data/l, path: /data/m/l}]";
        assert_eq!(data(ops).unwrap(), r#"{"k":"v","l":[1,2],"m":{"l":[1,2]}}"#);
    }

    #[test]
    fn values_written_in_yaml_are_of_yaml_1_1() {
        let ops = "[{op: replace, path: /data, value: {a: yes, b: 0123, c: '004', d~1e: 1_000}}]";
        assert_eq!(
            data(ops).unwrap(),
            r#"{"a":true,"b":83,"c":"004","d~1e":1000}"#
        );
    }

    #[test]
    fn keys_are_decoded() {
        let ops = "[{op: add, path: /metadata/annotations, value: {}}, {op: add, path: /metadata/annotations/a.b~1c, value: 5}]";
        let json = patched("metadata: {name: a}", ops).unwrap();
        assert_eq!(
            json,
            r#"{"metadata":{"annotations":{"a.b/c":"5"},"name":"a"}}"#
        );
    }

    #[test]
    fn numbers_lose_what_floats_cannot_hold() {
        let json = patched("metadata: {}\nn: 12345678901234567890\nm: 1000000", "[]").unwrap();
        assert_eq!(
            json,
            r#"{"m":1000000,"metadata":{},"n":12345678901234567000}"#
        );
    }

    #[test]
    fn failures_name_the_path() {
        let rows = [
            (
                "[{op: remove, path: /data/x}]",
                "error in remove for path: '/data/x': Unable to remove nonexistent key: x: missing value",
            ),
            (
                "[{op: add, path: /x/y, value: 1}]",
                "add operation does not apply: doc is missing path: \"/x/y\": missing value",
            ),
            (
                "[{op: replace, path: /data/l/7, value: 1}]",
                "replace operation does not apply: doc is missing key: /data/l/7: missing value",
            ),
            (
                "[{op: test, path: /data/m/k, value: w}]",
                "testing value /data/m/k failed: test failed",
            ),
            ("[{path: /data}]", "Unexpected kind: unknown"),
            (
                "[{op: add, path: /data/l/9, value: 1}]",
                "error in add for path: '/data/l/9': Unable to access invalid index: 9: invalid index referenced",
            ),
        ];
        for (ops, expected) in rows {
            assert_eq!(data(ops).unwrap_err(), expected);
        }
    }
}
