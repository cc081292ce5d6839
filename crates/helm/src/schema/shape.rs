//! Whether a schema is one: what the drafts' own schemas demand of keywords.

use gotmpl::regexp::Regexp;
use yaml::{Node, Tag};

use super::compile::{LISTS, MAPS, ONE, ROOT, float, inside, value};
use super::fault::{Fault, single, text};
use super::rule::{TYPES, equal, misfit};
use crate::data::Data;

const NULL: u8 = 0;
const BOOL: u8 = 1 << 1;
const NUMBER: u8 = 1 << 2;
const INTEGER: u8 = 1 << 3;
const STRING: u8 = 1 << 4;
const ARRAY: u8 = 1 << 5;
const OBJECT: u8 = 1 << 6;

/// Checks a document and the schemas in it.
pub(super) fn check(root: &Node, draft: u16) -> Result<(), String> {
    let mut at = Vec::new();
    let Some(fault) = schema(root, draft, &mut at) else {
        return Ok(());
    };
    let name = match draft {
        4 => "http://json-schema.org/draft-04/schema#",
        6 => "http://json-schema.org/draft-06/schema#",
        7 => "http://json-schema.org/draft-07/schema#",
        2019 => "https://json-schema.org/draft/2019-09/schema#",
        _ => "https://json-schema.org/draft/2020-12/schema#",
    };
    Err(format!(
        "\"{ROOT}#\" is not valid against metaschema: jsonschema validation failed with \
         '{name}'\n{}",
        text(fault)
    ))
}

/// Schemas nest deeper only to do harm; compiling says so.
const DEEPEST: usize = 300;

fn schema(node: &Node, draft: u16, at: &mut Vec<String>) -> Option<Fault> {
    let kinds = if draft == 4 { OBJECT } else { BOOL | OBJECT };
    if let Some(message) = wrong(node, kinds) {
        return Some(Fault::new(at, message));
    }
    if at.len() > DEEPEST {
        return None;
    }
    let mut faults = Vec::new();
    for entry in node.entries() {
        let key = entry.key.as_str().unwrap_or_default();
        at.push(key.to_owned());
        faults.extend(keyword(key, &entry.value, draft, at));
        at.pop();
    }
    for (steps, inner) in inside(node) {
        let key = steps.first().map_or("", String::as_str);
        // These two were true or false before all schemas could be.
        let flag = key.starts_with("additional") && inner.as_bool().is_some();
        if flag || !known(key, draft) {
            continue;
        }
        let length = at.len();
        at.extend(steps);
        faults.extend(schema(inner, draft, at));
        at.truncate(length);
    }
    match faults.is_empty() {
        true => None,
        // The newer drafts are made of parts that must all hold.
        false if draft >= 2019 => Some(Fault::new(at, "'allOf' failed").because(faults)),
        false => Fault::join(at, faults),
    }
}

/// The value is none of the types.
fn wrong(node: &Node, kinds: u8) -> Option<String> {
    let data = match node.tag {
        // A number that no float holds is one, too.
        Tag::Int | Tag::Float => Data::Float(float(Some(node)).unwrap_or(f64::MAX)),
        _ if node.is_map() => Data::map(),
        _ if node.is_seq() => Data::List(Vec::new()),
        _ => value(node),
    };
    let is = match &data {
        Data::Null => NULL,
        Data::Bool(_) => BOOL,
        Data::Int(_) => NUMBER | INTEGER,
        Data::Float(number) if number.fract() == 0.0 => NUMBER | INTEGER,
        Data::Float(_) => NUMBER,
        Data::String(_) => STRING,
        Data::List(_) => ARRAY,
        Data::Map(_) => OBJECT,
    };
    (is & kinds == 0).then(|| misfit(&data, kinds))
}

const STRINGS: &[&str] = &[
    "$schema",
    "$ref",
    "$comment",
    "title",
    "description",
    "pattern",
    "format",
    "contentEncoding",
    "contentMediaType",
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$recursiveRef",
];
const COUNTS: &[&str] = &[
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minContains",
    "maxContains",
];
const FLAGS: &[&str] = &["uniqueItems", "readOnly", "writeOnly", "deprecated"];

/// Whether a draft knows a keyword.
fn known(key: &str, draft: u16) -> bool {
    let since = match key {
        "const" | "contains" | "propertyNames" | "examples" => 6,
        "if" | "then" | "else" | "$comment" | "readOnly" | "writeOnly" | "contentEncoding"
        | "contentMediaType" => 7,
        "$anchor"
        | "$recursiveRef"
        | "dependentSchemas"
        | "dependentRequired"
        | "minContains"
        | "maxContains"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "$defs"
        | "deprecated" => 2019,
        "prefixItems" | "$dynamicRef" | "$dynamicAnchor" => 2020,
        _ => 4,
    };
    draft >= since
}

/// What is wrong with a keyword's own value; schemas in it are looked at for
/// themselves.
fn keyword(key: &str, node: &Node, draft: u16, at: &mut Vec<String>) -> Vec<Fault> {
    if !known(key, draft) {
        return Vec::new();
    }
    let plain = |kinds: u8| -> Vec<Fault> {
        let fault = wrong(node, kinds).map(|message| Fault::new(at, message));
        fault.into_iter().collect()
    };
    match key {
        "pattern" if node.tag == Tag::Str => regex(node, at),
        "id" if draft == 4 => plain(STRING),
        "$id" if draft > 4 => plain(STRING),
        key if STRINGS.contains(&key) => plain(STRING),
        key if COUNTS.contains(&key) => at_least(node, INTEGER, 0.0, at),
        key if FLAGS.contains(&key) => plain(BOOL),
        "exclusiveMinimum" | "exclusiveMaximum" if draft == 4 => plain(BOOL),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => plain(NUMBER),
        "multipleOf" => match float(Some(node)) {
            Some(number) if number <= 0.0 => vec![Fault::new(
                at,
                format!(
                    "exclusiveMinimum: got {}, want 0",
                    super::fault::english(number)
                ),
            )],
            _ => plain(NUMBER),
        },
        "required" => names(node, draft == 4, at),
        "enum" if draft <= 7 && node.is_seq() => {
            let mut faults = not_empty(node, true, at);
            faults.extend(repeated(node, at));
            faults
        }
        "enum" | "examples" => plain(ARRAY),
        "type" => types(node, at),
        "items" if draft == 2020 => plain(BOOL | OBJECT),
        "items" if node.is_seq() && draft != 2020 => not_empty(node, draft < 2019 && draft > 4, at),
        "dependencies" | "dependentRequired" => dependencies(key, node, at),
        key if LISTS.contains(&key) && key != "items" => {
            let faults = plain(ARRAY);
            match faults.is_empty() {
                true => not_empty(node, true, at),
                false => faults,
            }
        }
        "patternProperties" if node.is_map() && draft > 4 => pattern_names(node),
        key if MAPS.contains(&key) => plain(OBJECT),
        key if ONE.contains(&key) => Vec::new(),
        _ => Vec::new(),
    }
}

fn regex(node: &Node, at: &[String]) -> Vec<Fault> {
    let pattern = node.as_str().unwrap_or_default();
    match Regexp::new(pattern) {
        Ok(_) => Vec::new(),
        Err(fault) => vec![Fault::new(
            at,
            format!("{} is not valid regex: {fault}", single(pattern)),
        )],
    }
}

fn pattern_names(node: &Node) -> Vec<Fault> {
    let names = node.entries().iter().filter_map(|entry| entry.key.as_str());
    let fault = |name: &str| {
        let fault = Regexp::new(name).err()?;
        let cause = format!("{} is not valid regex: {fault}", single(name));
        let whole = Fault::new(&[], format!("invalid propertyName {}", single(name)));
        Some(whole.because(vec![Fault::new(&[], cause)]))
    };
    names.filter_map(fault).collect()
}

fn at_least(node: &Node, kinds: u8, least: f64, at: &[String]) -> Vec<Fault> {
    if let Some(message) = wrong(node, kinds) {
        return vec![Fault::new(at, message)];
    }
    match float(Some(node)) {
        Some(number) if number < least => vec![Fault::new(
            at,
            format!("minimum: got {}, want 0", super::fault::english(number)),
        )],
        _ => Vec::new(),
    }
}

fn not_empty(node: &Node, demanded: bool, at: &[String]) -> Vec<Fault> {
    match demanded && node.items().is_empty() {
        true => vec![Fault::new(at, "minItems: got 0, want 1")],
        false => Vec::new(),
    }
}

/// A list of texts, each once.
fn names(node: &Node, filled: bool, at: &mut Vec<String>) -> Vec<Fault> {
    if let Some(message) = wrong(node, ARRAY) {
        return vec![Fault::new(at, message)];
    }
    let mut faults = not_empty(node, filled, at);
    faults.extend(repeated(node, at));
    for (index, item) in node.items().iter().enumerate() {
        if let Some(message) = wrong(item, STRING) {
            at.push(index.to_string());
            faults.push(Fault::new(at, message));
            at.pop();
        }
    }
    faults
}

fn repeated(node: &Node, at: &[String]) -> Option<Fault> {
    let items: Vec<Data> = node.items().iter().map(value).collect();
    let found = items.iter().enumerate().find_map(|(at, item)| {
        let before = items.get(..at)?;
        Some((before.iter().position(|other| equal(item, other))?, at))
    });
    let (one, other) = found?;
    Some(Fault::new(
        at,
        format!("items at {one} and {other} are equal"),
    ))
}

fn types(node: &Node, at: &mut Vec<String>) -> Vec<Fault> {
    let one = |node: &Node, at: &[String]| {
        let is = node.tag == Tag::Str && node.as_str().is_some_and(|name| TYPES.contains(&name));
        let mut sorted = TYPES;
        sorted.sort_unstable();
        let listed: Vec<String> = sorted.iter().map(|name| single(name)).collect();
        (!is).then(|| Fault::new(at, format!("value must be one of {}", listed.join(", "))))
    };
    if !node.is_seq() {
        let Some(first) = one(node, at) else {
            return Vec::new();
        };
        let second = wrong(node, ARRAY).map(|message| Fault::new(at, message));
        let causes = std::iter::once(first).chain(second).collect();
        return vec![Fault::new(at, "'anyOf' failed").because(causes)];
    }
    let mut faults = not_empty(node, true, at);
    faults.extend(repeated(node, at));
    for (index, item) in node.items().iter().enumerate() {
        at.push(index.to_string());
        faults.extend(one(item, at));
        at.pop();
    }
    match Fault::join(at, faults) {
        None => Vec::new(),
        Some(fault) => {
            let mut causes: Vec<Fault> = one(node, at).into_iter().collect();
            causes.push(fault);
            vec![Fault::new(at, "'anyOf' failed").because(causes)]
        }
    }
}

fn dependencies(key: &str, node: &Node, at: &mut Vec<String>) -> Vec<Fault> {
    if let Some(message) = wrong(node, OBJECT) {
        return vec![Fault::new(at, message)];
    }
    let mut faults = Vec::new();
    for entry in node.entries() {
        if key == "dependentRequired" || entry.value.is_seq() {
            at.push(entry.key.as_str().unwrap_or_default().to_owned());
            faults.extend(names(&entry.value, false, at));
            at.pop();
        }
    }
    faults
}
