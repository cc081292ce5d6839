//! Schemas that `openapi.path` names: an OpenAPI v2 document.

use ecow::EcoString;
use rustc_hash::FxHashMap;
use yaml::Node;

use super::schema::{Definition, Schema, UNKNOWN};

/// How many references in a row are followed before a schema counts as unknown.
const MAX_REFERENCES: usize = 16;

/// Where the built-in schemas are when a document is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltIn {
    /// Not loaded: the document takes their place.
    Absent,
    /// Loaded before: the document is laid over them.
    Below,
    /// Loaded after: they are laid over the document. Upstream does so when it
    /// had to ask whether some unknown kind is namespaced before it came to the
    /// document.
    Above,
}

/// The schemas of a document and, as it may be, the built-in ones.
pub fn read_openapi(document: &Node, built_in: BuiltIn) -> Schema {
    let mut schema = match built_in {
        BuiltIn::Absent => Schema {
            scopes: Schema::built_in().scopes.clone(),
            ..Schema::default()
        },
        BuiltIn::Below | BuiltIn::Above => Schema::built_in().clone(),
    };
    let wins = built_in != BuiltIn::Above;
    let definitions = document.get("definitions").map_or(&[][..], Node::entries);
    let first = schema.definitions.len();
    let named: Vec<(&EcoString, &Node, usize)> = definitions
        .iter()
        .zip(first..)
        .filter_map(|(entry, number)| Some((entry.key.text()?, &entry.value, number)))
        .collect();
    for (name, _, number) in &named {
        put(&mut schema.names, (*name).clone(), *number, wins);
    }
    schema
        .definitions
        .resize_with(first + definitions.len(), Definition::default);
    let mut reader = Reader { document, schema };
    for (_, definition, number) in named {
        let read = reader.definition(definition);
        if let Some(place) = reader.schema.definitions.get_mut(number) {
            *place = read;
        }
        for kind in kinds(definition) {
            put(&mut reader.schema.kinds, kind, number, wins);
        }
    }
    let mut schema = reader.schema;
    read_paths(document, &mut schema);
    schema
}

/// Puts a number into a map, over an old one only if it wins.
fn put<K: std::hash::Hash + Eq>(map: &mut FxHashMap<K, usize>, key: K, number: usize, wins: bool) {
    match map.entry(key) {
        std::collections::hash_map::Entry::Occupied(mut old) if wins => {
            old.insert(number);
        }
        std::collections::hash_map::Entry::Occupied(_) => {}
        std::collections::hash_map::Entry::Vacant(place) => {
            place.insert(number);
        }
    }
}

/// Reads schemas into the table of definitions.
pub(super) struct Reader<'a> {
    /// Where references lead first.
    pub document: &'a Node,
    pub schema: Schema,
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
    pub fn number(&mut self, schema: &'a Node) -> usize {
        if schema.str_at(&["$ref"]).is_some_and(|to| !to.is_empty()) {
            return self.target(schema);
        }
        let definition = self.definition(schema);
        self.schema.add(definition)
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
            let number = self.schema.names.get(name.as_str()).copied();
            let own = self.document.path(&["definitions", &name]);
            match own {
                Some(definition) if definition.str_at(&["$ref"]).is_some() => schema = definition,
                _ => return number.unwrap_or(UNKNOWN),
            }
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
        let schema = read_openapi(&document(), BuiltIn::Absent);
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
    fn references_reach_the_built_in_schemas() {
        let pod = "#/definitions/io.k8s.api.core.v1.PodTemplateSpec";
        let reference = Node::map([("$ref", Node::string(pod))]);
        let properties = Node::map([("template", reference)]);
        let kind = Node::map([
            ("version", Node::string("v1")),
            ("kind", Node::string("My")),
        ]);
        let my = Node::map([("properties", properties), (KINDS, Node::seq([kind]))]);
        let document = Node::map([("definitions", Node::map([("My", my)]))]);
        let template = |schema: &Schema| {
            let template = schema.of_kind("v1", "My")?.field("template")?;
            template
                .field("spec")?
                .field("containers")?
                .merge_keys()
                .map(<[_]>::len)
        };
        assert_eq!(template(&read_openapi(&document, BuiltIn::Above)), Some(1));
        assert_eq!(template(&read_openapi(&document, BuiltIn::Absent)), None);
    }

    #[test]
    fn over_the_built_in_schemas_both_are_known() {
        let schema = read_openapi(&document(), BuiltIn::Below);
        assert!(schema.of_kind("v1", "Pod").is_some());
        assert!(schema.of_kind("example.com/v1", "Hive").is_some());
    }
}
