//! Compares two results of a build.

use serde_json::Value;

use crate::engine::Yaml;
use crate::render_oracle::first_line;

/// How a native build says that it does not know what upstream does: of a generated
/// object that a patch or a replacement made another kind upstream hashes Go's own
/// form of its nodes, places and styles included.
const UNMODELLED: &str = "is not modelled";

/// What two results have in common, and the difference if that is not all.
pub fn verdict(
    reader: &dyn Yaml,
    native: &Result<String, String>,
    upstream: &Result<String, String>,
) -> (&'static str, String) {
    let (got, expected) = match (native, upstream) {
        (Err(got), _) if got.contains(UNMODELLED) => {
            return ("not modelled", format!("  {got}"));
        }
        (Ok(got), Ok(expected)) => (got, expected),
        (Err(got), Err(expected)) => {
            if same_cause(got, expected) {
                return ("fails for the same cause", String::new());
            }
            let detail = format!("  native   {got}\n  upstream {expected}");
            return ("fails in other words", detail);
        }
        (Ok(_), Err(expected)) => return ("only upstream fails", format!("  upstream {expected}")),
        (Err(got), Ok(_)) => return ("only native fails", format!("  native   {got}")),
    };
    if got == expected {
        return ("same text", String::new());
    }
    let detail = format!("  {}", first_line(got, expected));
    let objects = |text: &str| -> Vec<Value> {
        let documents = reader.documents(text).unwrap_or_default();
        let mut values = documents.iter().map(|d| serde_json::from_str(d));
        values.by_ref().filter_map(Result::ok).collect()
    };
    let (mut got, mut expected) = (objects(got), objects(expected));
    if got == expected {
        return ("same objects, other text", detail);
    }
    for list in [&mut got, &mut expected] {
        list.sort_by_key(Value::to_string);
    }
    if got == expected {
        ("same objects, other order", detail)
    } else {
        ("other objects", detail)
    }
}

/// Whether two messages end with the same cause, in the words of either side:
/// upstream names a path that is not there in several ways, and what a native
/// build cannot have upstream tries to fetch.
pub(crate) fn same_cause(native: &str, upstream: &str) -> bool {
    // Where upstream dies of an address of nothing, or cannot take several
    // configurations in one text for a directory, a message says more here.
    const WORSE: &[(&str, &str)] = &[
        ("", "nil pointer dereference"),
        ("already registered id", "must build at directory"),
    ];
    native == upstream
        || cause(native) == cause(upstream)
        || WORSE
            .iter()
            .any(|(ours, theirs)| native.contains(ours) && upstream.contains(theirs))
}

fn cause(message: &str) -> String {
    const REMOTE: &[&str] = &[
        "is not available without the network",
        "no 'git' program on path",
        "remote access is disabled",
    ];
    // Beyond the tree there is nothing natively.
    const ABSENT: &[&str] = &[
        "no such file or directory",
        "doesn't exist",
        "leads out of the tree",
    ];
    // Upstream goes on with Go values and their addresses.
    const PRINTED: &[&str] = &[
        "does not exist; cannot merge or replace",
        "can not use behavior",
        "namespace transformation produces ID conflict",
        "validator shouldn't modify the resource map",
        "found multiple objects",
        "missing kind in object",
        "missing metadata.name in object",
        "must specify one of patch and path in",
        // Upstream goes on with the rule for labels, in its library's words.
        "unable to parse requirement: invalid label",
        // Of several the one that chance names.
        "already encountered",
    ];
    // What follows holds annotations that only upstream puts into objects.
    const NODES: &str = "wrong node kind: expected ";
    if REMOTE.iter().any(|words| message.contains(words)) {
        return "remote".to_owned();
    }
    if let Some(printed) = PRINTED.iter().find(|words| message.contains(**words)) {
        return (*printed).to_owned();
    }
    // Upstream goes on with the objects themselves.
    let message = message.split("\n\n**** ").next().unwrap_or_default();
    if let Some((_, found)) = message.split_once(NODES) {
        let kinds = found.split(": node contents").next().unwrap_or_default();
        return format!("{NODES}{kinds}");
    }
    let last = message.rsplit(": ").next().unwrap_or_default();
    let last = last.trim_end_matches('"');
    if ABSENT.iter().any(|words| last.contains(words)) {
        return "absent".to_owned();
    }
    field_of_type(last).unwrap_or_else(|| last.to_owned())
}

/// A message of Go's JSON decoder with the field's own name only; before it come
/// those of the types around it, some of which only Go has.
fn field_of_type(message: &str) -> Option<String> {
    let (what, rest) = message.split_once(" into Go struct field ")?;
    let (path, expected) = rest.split_once(" of type ")?;
    let name = path.rsplit('.').next()?;
    let name = name.to_lowercase();
    Some(format!("{what} into {name} of type {expected}"))
}
