//! The OpenAPI documents reduced to what merging needs: from a kind to its
//! lists that merge, with their keys.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::protobuf::{field, fields, string};

/// A schema, reduced.
#[derive(Clone, Debug, Default, PartialEq)]
struct Schema {
    reference: Option<String>,
    properties: BTreeMap<String, Schema>,
    /// Schema of the values of a free map.
    values: Option<Box<Schema>>,
    items: Option<Box<Schema>>,
    strategy: String,
    merge_key: Option<String>,
    map_keys: Vec<String>,
    /// `apiVersion` and kind of every type it describes.
    kinds: Vec<(String, String)>,
}

type Definitions = BTreeMap<String, Schema>;

/// Lines: `def`, name, begins a definition, numbered from 0 in order; `kind`,
/// `apiVersion`, kind, number; inside of a definition `map`, field or `*`,
/// number of the definition; `list`, field or `*`, number of the elements'
/// definition or nothing, strategies, keys joined by commas. Definition 0 is
/// empty and stands for everything below which nothing merges.
pub fn table(built_in: &[u8], own: &[u8]) -> Result<String, String> {
    let mut definitions = read_protobuf(built_in)?;
    let own: Value = serde_json::from_slice(own).map_err(|e| e.to_string())?;
    let named = own.get("definitions").and_then(Value::as_object);
    for (name, schema) in named.into_iter().flatten() {
        definitions.insert(name.clone(), read_json(schema));
    }
    let printer = Printer::new(&definitions);
    Ok(printer.print())
}

fn read_protobuf(document: &[u8]) -> Result<Definitions, String> {
    let named = field(document, 9)?.ok_or("no definitions")?;
    let mut definitions = Definitions::new();
    for (_, entry) in fields(named)? {
        let schema = field(entry, 2)?.unwrap_or_default();
        definitions.insert(string(entry, 1)?, read_schema(schema)?);
    }
    Ok(definitions)
}

fn read_schema(message: &[u8]) -> Result<Schema, String> {
    let mut schema = Schema::default();
    for (number, bytes) in fields(message)? {
        match number {
            1 => schema.reference = reference(std::str::from_utf8(bytes).unwrap_or_default()),
            21 => {
                if let Some(values) = field(bytes, 1)? {
                    schema.values = Some(Box::new(read_schema(values)?));
                }
            }
            23 => {
                if let Some(items) = field(bytes, 1)? {
                    schema.items = Some(Box::new(read_schema(items)?));
                }
            }
            25 => {
                for (_, entry) in fields(bytes)? {
                    let property = field(entry, 2)?.unwrap_or_default();
                    schema
                        .properties
                        .insert(string(entry, 1)?, read_schema(property)?);
                }
            }
            31 => {
                let yaml = string(field(bytes, 2)?.unwrap_or_default(), 2)?;
                extension(&mut schema, &string(bytes, 1)?, &yaml);
            }
            _ => {}
        }
    }
    Ok(schema)
}

/// Extensions come as YAML text: a word, or a list of words or of flat maps.
fn extension(schema: &mut Schema, name: &str, yaml: &str) {
    let words = || {
        yaml.lines()
            .map(|line| line.trim_start_matches("- ").trim())
    };
    match name {
        "x-kubernetes-patch-strategy" => schema.strategy = yaml.trim().into(),
        "x-kubernetes-patch-merge-key" => schema.merge_key = Some(yaml.trim().into()),
        "x-kubernetes-list-map-keys" => schema.map_keys = words().map(str::to_owned).collect(),
        "x-kubernetes-group-version-kind" => {
            for item in yaml.split("- ").filter(|item| !item.trim().is_empty()) {
                let value = |key: &str| {
                    item.lines()
                        .filter_map(|line| line.trim().split_once(':'))
                        .find(|(k, _)| *k == key)
                        .map_or("", |(_, value)| value.trim().trim_matches('"'))
                };
                push_kind(schema, value("group"), value("version"), value("kind"));
            }
        }
        _ => {}
    }
}

fn push_kind(schema: &mut Schema, group: &str, version: &str, kind: &str) {
    let api_version = match group {
        "" => version.to_owned(),
        group => format!("{group}/{version}"),
    };
    schema.kinds.push((api_version, kind.to_owned()));
}

fn read_json(value: &Value) -> Schema {
    let text = |value: &Value, key: &str| {
        let found = value.get(key).and_then(Value::as_str);
        found.unwrap_or_default().to_owned()
    };
    let list = |key| {
        value
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    let nested = |key| {
        let found = value.get(key).filter(|value| value.is_object());
        found.map(|value| Box::new(read_json(value)))
    };
    let mut schema = Schema {
        reference: reference(&text(value, "$ref")),
        values: nested("additionalProperties"),
        items: nested("items"),
        strategy: text(value, "x-kubernetes-patch-strategy"),
        merge_key: Some(text(value, "x-kubernetes-patch-merge-key")).filter(|k| !k.is_empty()),
        map_keys: list("x-kubernetes-list-map-keys")
            .filter_map(|key| key.as_str().map(str::to_owned))
            .collect(),
        ..Schema::default()
    };
    let properties = value.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        schema.properties.insert(name.clone(), read_json(property));
    }
    for kind in list("x-kubernetes-group-version-kind") {
        let [group, version, kind] = ["group", "version", "kind"].map(|key| text(kind, key));
        push_kind(&mut schema, &group, &version, &kind);
    }
    schema
}

fn reference(pointer: &str) -> Option<String> {
    pointer.strip_prefix("#/definitions/").map(str::to_owned)
}

/// Numbers the definitions below which something merges and prints them.
struct Printer<'a> {
    definitions: &'a Definitions,
    numbers: BTreeMap<&'a str, usize>,
}

impl<'a> Printer<'a> {
    fn new(definitions: &'a Definitions) -> Self {
        let mut merging: BTreeSet<&str> = BTreeSet::new();
        // Grows until nothing is added: references form cycles.
        loop {
            let found = |(name, schema): (&'a String, &'a Schema)| {
                (!merging.contains(name.as_str()) && merges_inside(schema, &merging))
                    .then_some(name.as_str())
            };
            let more: Vec<&str> = definitions.iter().filter_map(found).collect();
            if more.is_empty() {
                break;
            }
            merging.extend(more);
        }
        let numbers = merging.into_iter().zip(1..).collect();
        Printer {
            definitions,
            numbers,
        }
    }

    fn print(&self) -> String {
        let mut out = String::from("def\t\n");
        for name in self.numbers.keys() {
            out.push_str(&format!("def\t{name}\n"));
            let schema = &self.definitions[*name];
            for (field, property) in &schema.properties {
                self.print_field(field, property, &mut out);
            }
            if let Some(values) = &schema.values {
                self.print_field("*", values, &mut out);
            }
        }
        let mut kinds: Vec<_> = self
            .definitions
            .iter()
            .flat_map(|(name, schema)| {
                schema
                    .kinds
                    .iter()
                    .map(move |kind| (kind, self.number(name)))
            })
            .collect();
        kinds.sort();
        for ((api_version, kind), number) in kinds {
            out.push_str(&format!("kind\t{api_version}\t{kind}\t{number}\n"));
        }
        out
    }

    fn number(&self, name: &str) -> usize {
        self.numbers.get(name).copied().unwrap_or(0)
    }

    fn print_field(&self, name: &str, schema: &Schema, out: &mut String) {
        if merges(schema) {
            let keys = match schema.map_keys.as_slice() {
                [] => schema.merge_key.iter().cloned().collect::<Vec<_>>(),
                keys => keys.to_vec(),
            };
            let items = schema.items.as_deref().and_then(|s| s.reference.as_deref());
            let items = items.map_or(String::new(), |name| self.number(name).to_string());
            let (strategy, keys) = (&schema.strategy, keys.join(","));
            out.push_str(&format!("list\t{name}\t{items}\t{strategy}\t{keys}\n"));
        } else if let Some(reference) = &schema.reference {
            out.push_str(&format!("map\t{name}\t{}\n", self.number(reference)));
        } else if schema.values.is_some() {
            out.push_str(&format!("map\t{name}\t0\n"));
        }
    }
}

fn merges(schema: &Schema) -> bool {
    schema
        .strategy
        .split(',')
        .any(|strategy| strategy == "merge")
        && (schema.items.is_some())
}

fn merges_inside(schema: &Schema, merging: &BTreeSet<&str>) -> bool {
    let known = |schema: &Schema| {
        let reference = schema.reference.as_deref();
        reference.is_some_and(|name| merging.contains(name))
    };
    schema
        .properties
        .values()
        .chain(schema.values.as_deref())
        .any(|property| merges(property) || known(property))
}
