//! Schemas that `openapi.path` names: an OpenAPI v2 document.

use ecow::EcoString;
use rustc_hash::FxHashMap;
use yaml::Node;

use super::schema::{Definition, Schema, UNKNOWN};

/// How many references in a row are followed before a schema counts as unknown.
const MAX_REFERENCES: usize = 16;

/// The schemas of a document, laid over those of `base`. The command line has
/// the document replace the built-in schemas; the controller has loaded those
/// before, so there they stay beneath it.
pub fn read_openapi(document: &Node, base: Option<&Schema>) -> Schema {
    let mut schema = base.cloned().unwrap_or_else(|| Schema {
        scopes: Schema::built_in().scopes.clone(),
        ..Schema::default()
    });
    let definitions = document.get("definitions").map_or(&[][..], Node::entries);
    let first = schema.definitions.len();
    let named = definitions.iter().zip(first..);
    let numbers = named
        .filter_map(|(entry, number)| Some((entry.key.text()?.clone(), number)))
        .collect();
    schema
        .definitions
        .resize_with(first + definitions.len(), Definition::default);
    let mut reader = Reader {
        document,
        numbers,
        schema,
    };
    for (entry, number) in definitions.iter().zip(first..) {
        let definition = reader.definition(&entry.value);
        if let Some(place) = reader.schema.definitions.get_mut(number) {
            *place = definition;
        }
        for (api_version, kind) in kinds(&entry.value) {
            reader.schema.kinds.insert((api_version, kind), number);
        }
    }
    let mut schema = reader.schema;
    read_paths(document, &mut schema);
    schema
}

struct Reader<'a> {
    document: &'a Node,
    numbers: FxHashMap<EcoString, usize>,
    schema: Schema,
}

impl<'a> Reader<'a> {
    fn definition(&mut self, schema: &'a Node) -> Definition {
        let mut definition = Definition {
            merge_keys: merge_keys(schema),
            ..Definition::default()
        };
        for property in schema.get("properties").map_or(&[][..], Node::entries) {
            if let Some(name) = property.key.text() {
                let number = self.number(&property.value);
                definition.fields.insert(name.clone(), number);
            }
        }
        let others = schema.get("additionalProperties").filter(|s| s.is_map());
        definition.others = others.map(|values| self.number(values));
        let is_list = match schema.get("type") {
            Some(kind) if kind.is_seq() => {
                matches!(kind.items(), [only] if only.as_str() == Some("array"))
            }
            Some(kind) => kind.as_str() == Some("array"),
            None => false,
        };
        let items = schema.get("items").filter(|s| is_list && s.is_map());
        definition.elements = items.map(|items| self.number(items));
        definition
    }

    /// The number of a schema; a reference has that of its target.
    fn number(&mut self, schema: &'a Node) -> usize {
        if schema.str_at(&["$ref"]).is_some_and(|to| !to.is_empty()) {
            return self.target(schema);
        }
        let definition = self.definition(schema);
        self.schema.definitions.push(definition);
        self.schema.definitions.len() - 1
    }

    fn target(&self, mut schema: &'a Node) -> usize {
        for _ in 0..MAX_REFERENCES {
            let name = schema
                .str_at(&["$ref"])
                .and_then(|to| to.strip_prefix("#/definitions/"));
            let Some(name) = name else {
                return UNKNOWN;
            };
            let name = name.replace("~1", "/").replace("~0", "~");
            let Some(definition) = self.document.path(&["definitions", &name]) else {
                return UNKNOWN;
            };
            if definition.str_at(&["$ref"]).is_none() {
                return self.numbers.get(name.as_str()).copied().unwrap_or(UNKNOWN);
            }
            schema = definition;
        }
        UNKNOWN
    }
}

fn merge_keys(schema: &Node) -> Option<Vec<EcoString>> {
    let strategies = schema.str_at(&["x-kubernetes-patch-strategy"])?;
    if !strategies.split(',').any(|strategy| strategy == "merge") {
        return None;
    }
    let text = |key: &Node| key.as_str().map(EcoString::from);
    match schema.get("x-kubernetes-list-map-keys") {
        Some(keys) => Some(keys.items().iter().filter_map(text).collect()),
        None => Some(
            schema
                .get("x-kubernetes-patch-merge-key")
                .and_then(text)
                .into_iter()
                .collect(),
        ),
    }
}

const KINDS: &str = "x-kubernetes-group-version-kind";

fn kinds(definition: &Node) -> impl Iterator<Item = (EcoString, EcoString)> {
    let items = definition.get(KINDS).map_or(&[][..], Node::items);
    items.iter().filter_map(type_of)
}

fn type_of(node: &Node) -> Option<(EcoString, EcoString)> {
    let version = node.str_at(&["version"])?;
    let api_version = match node.str_at(&["group"]) {
        None | Some("") => version.into(),
        Some(group) => ecow::eco_format!("{group}/{version}"),
    };
    Some((api_version, node.str_at(&["kind"])?.into()))
}

/// A kind that has a path with a namespace lives in namespaces.
fn read_paths(document: &Node, schema: &mut Schema) {
    for path in document.get("paths").map_or(&[][..], Node::entries) {
        let found = path.value.path(&["get", KINDS]).and_then(type_of);
        let (Some(kind), Some(path)) = (found, path.key.text()) else {
            continue;
        };
        // The list computed beforehand is asked first.
        if Schema::built_in().scopes.contains_key(&kind) {
            continue;
        }
        let namespaced = path.contains("namespaces/{namespace}");
        let scope = schema.scopes.entry(kind).or_default();
        *scope |= namespaced;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Node {
        let text = |key, value| Node::map([(key, Node::string(value))]);
        let kind = Node::map([
            ("group", Node::string("example.com")),
            ("version", Node::string("v1")),
            ("kind", Node::string("Hive")),
        ]);
        let bees = Node::map([
            ("type", Node::string("array")),
            ("items", text("$ref", "#/definitions/Bee")),
            ("x-kubernetes-patch-strategy", Node::string("merge")),
            ("x-kubernetes-patch-merge-key", Node::string("name")),
        ]);
        let hive = Node::map([
            ("properties", Node::map([("bees", bees)])),
            (KINDS, Node::seq([kind.clone()])),
        ]);
        let bee = Node::map([(
            "properties",
            Node::map([("next", text("$ref", "#/definitions/Bee"))]),
        )]);
        let path = Node::map([("get", Node::map([(KINDS, kind)]))]);
        Node::map([
            ("definitions", Node::map([("Hive", hive), ("Bee", bee)])),
            ("paths", Node::map([("/apis/example.com/v1/hives", path)])),
        ])
    }

    #[test]
    fn own_schemas_say_how_lists_merge() {
        let schema = read_openapi(&document(), None);
        let hive = schema.of_kind("example.com/v1", "Hive").unwrap();
        let bees = hive.field("bees").unwrap();
        assert_eq!(bees.merge_keys().unwrap(), ["name"]);
        assert!(
            bees.elements()
                .unwrap()
                .field("next")
                .unwrap()
                .field("next")
                .is_some()
        );
        assert!(schema.of_kind("v1", "Pod").is_none());
        assert_eq!(schema.is_namespaced("example.com/v1", "Hive"), Some(false));
        assert_eq!(schema.is_namespaced("v1", "Node"), Some(false));
    }

    #[test]
    fn over_the_built_in_schemas_both_are_known() {
        let schema = read_openapi(&document(), Some(Schema::built_in()));
        assert!(schema.of_kind("v1", "Pod").is_some());
        assert!(schema.of_kind("example.com/v1", "Hive").is_some());
    }
}
