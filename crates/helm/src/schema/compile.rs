//! From a schema's text to its rules.

use std::collections::HashMap;

use gotmpl::regexp::Regexp;
use gotmpl::strconv::{parse_float, quote};
use yaml::{FileId, Node, Tag};

use super::address::{join, scheme, split, steps, unescaped};
use super::fault::single;
use super::rule::{Demand, Id, Items, More, Number, Rule, Rules, TYPES};
use super::{Problem, shape};
use crate::data::Data;

/// Where Helm says that the schema is.
pub(super) const ROOT: &str = "file:///values.schema.json";
/// Schemas in each other.
const DEEPEST: usize = 300;

/// Compiles what can be reached from the document.
pub(super) fn compile(text: &[u8]) -> Result<Rules, Problem> {
    let refused = |message: String| Problem::Refused(message);
    let text = String::from_utf8_lossy(text);
    let root = yaml::from_json(&text, FileId::NONE).map_err(|e| {
        refused(match e.cause.as_str() {
            "unexpected end of JSON input" if text.trim().is_empty() => "EOF".to_owned(),
            "unexpected end of JSON input" => "unexpected EOF".to_owned(),
            cause => cause.to_owned(),
        })
    })?;
    let draft = draft_of(&root)?;
    shape::check(&root, draft).map_err(refused)?;
    let mut compiler = Compiler {
        draft,
        rules: Vec::new(),
        known: HashMap::new(),
        todo: Vec::new(),
        resources: HashMap::new(),
        anchors: HashMap::new(),
        dynamic: HashMap::new(),
        bases: HashMap::new(),
    };
    let base = compiler.names(&root, ROOT, 0)?;
    compiler.resources.insert(ROOT.to_owned(), &root);
    compiler.rule(&root, "", &base);
    while let Some(todo) = compiler.todo.pop() {
        let rule = compiler.compile(&todo)?;
        if let Some(place) = compiler.rules.get_mut(todo.id) {
            *place = rule;
        }
    }
    Ok(Rules(compiler.rules))
}

/// The draft that a document names.
fn draft_of(root: &Node) -> Result<u16, Problem> {
    let Some(named) = root.get("$schema").and_then(Node::as_str) else {
        return Ok(2020);
    };
    let (address, fragment) = split(named);
    let bare = address
        .strip_prefix("http://")
        .or_else(|| address.strip_prefix("https://"))
        .unwrap_or(address);
    match bare {
        _ if !fragment.is_empty() => {}
        "json-schema.org/schema" | "json-schema.org/draft/2020-12/schema" => return Ok(2020),
        "json-schema.org/draft/2019-09/schema" => return Ok(2019),
        "json-schema.org/draft-07/schema" => return Ok(7),
        "json-schema.org/draft-06/schema" => return Ok(6),
        "json-schema.org/draft-04/schema" => return Ok(4),
        _ => {}
    }
    Err(Problem::Unjudged(format!(
        "its own schema {named} is not fetched"
    )))
}

/// Keywords that hold a schema.
pub(super) const ONE: &[&str] = &[
    "items",
    "additionalItems",
    "additionalProperties",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords that hold a list of them.
pub(super) const LISTS: &[&str] = &["allOf", "anyOf", "oneOf", "prefixItems", "items"];
/// Keywords that hold them by name.
pub(super) const MAPS: &[&str] = &[
    "properties",
    "patternProperties",
    "definitions",
    "$defs",
    "dependentSchemas",
    "dependencies",
];

/// The schemas that stand in a schema, with the steps to them.
pub(super) fn inside(node: &Node) -> Vec<(Vec<String>, &Node)> {
    let mut found = Vec::new();
    for entry in node.entries() {
        let Some(key) = entry.key.as_str() else {
            continue;
        };
        let value = &entry.value;
        if LISTS.contains(&key) && value.is_seq() {
            for (at, item) in value.items().iter().enumerate() {
                found.push((vec![key.to_owned(), at.to_string()], item));
            }
        } else if MAPS.contains(&key) {
            for entry in value.entries().iter().filter(|entry| !entry.value.is_seq()) {
                let name = entry.key.as_str().unwrap_or_default();
                found.push((vec![key.to_owned(), name.to_owned()], &entry.value));
            }
        } else if ONE.contains(&key) {
            found.push((vec![key.to_owned()], value));
        }
    }
    found
}

/// A schema that is to be compiled.
struct Todo<'n> {
    id: Id,
    node: &'n Node,
    /// The pointer to it, for messages.
    at: String,
    base: String,
}

struct Compiler<'n> {
    draft: u16,
    rules: Vec<Rule>,
    /// Rules by the places of their nodes in memory.
    known: HashMap<usize, Id>,
    todo: Vec<Todo<'n>>,
    resources: HashMap<String, &'n Node>,
    anchors: HashMap<(String, String), &'n Node>,
    /// How often a name is a `$dynamicAnchor`.
    dynamic: HashMap<String, usize>,
    bases: HashMap<usize, String>,
}

fn place(node: &Node) -> usize {
    std::ptr::from_ref(node).addr()
}

impl<'n> Compiler<'n> {
    /// Learns the names of a schema and of those in it; gives its address.
    fn names(&mut self, node: &'n Node, base: &str, depth: usize) -> Result<String, Problem> {
        if depth > DEEPEST {
            return Err(Problem::Unjudged("it nests too deeply".to_owned()));
        }
        let keyword = if self.draft == 4 { "id" } else { "$id" };
        let text = |key: &str| node.get(key).and_then(Node::as_str).unwrap_or_default();
        let hidden = self.draft < 2019 && node.get("$ref").is_some();
        let (own, anchor) = match hidden {
            true => ("", ""),
            false => split(text(keyword)),
        };
        let base = join(base, own);
        if !own.is_empty() {
            self.resources.insert(base.clone(), node);
        }
        let mut named = |name: &str| {
            if !name.is_empty() {
                let key = (base.clone(), name.to_owned());
                self.anchors.insert(key, node);
            }
        };
        if self.draft < 2019 {
            named(anchor);
        } else {
            named(text("$anchor"));
            named(text("$dynamicAnchor"));
            if !text("$dynamicAnchor").is_empty() {
                *self
                    .dynamic
                    .entry(text("$dynamicAnchor").to_owned())
                    .or_default() += 1;
            }
        }
        self.bases.insert(place(node), base.clone());
        for (_, inner) in inside(node) {
            self.names(inner, &base, depth + 1)?;
        }
        Ok(base)
    }

    /// The rule of a schema, compiled later.
    fn rule(&mut self, node: &'n Node, at: &str, base: &str) -> Id {
        if let Some(id) = self.known.get(&place(node)) {
            return *id;
        }
        let id = self.rules.len();
        self.rules.push(Rule::default());
        self.known.insert(place(node), id);
        let base = self.bases.get(&place(node)).map_or(base, String::as_str);
        self.todo.push(Todo {
            id,
            node,
            at: at.to_owned(),
            base: base.to_owned(),
        });
        id
    }

    fn refer(&mut self, reference: &str, todo: &Todo<'n>) -> Result<Id, Problem> {
        let (address, fragment) = split(reference);
        let address = join(&todo.base, address);
        let Some(resource) = self.resources.get(&address).copied() else {
            return match scheme(&address) {
                Some("urn") => {
                    // Helm takes what nobody resolves for a schema that allows all.
                    let id = self.rules.len();
                    self.rules.push(Rule {
                        verdict: Some(true),
                        ..Rule::default()
                    });
                    Ok(id)
                }
                Some("http" | "https") => Err(Problem::Unjudged(format!(
                    "it refers to {address}, which is not fetched"
                ))),
                Some("file") => {
                    let path = address.strip_prefix("file://").unwrap_or_default();
                    Err(Problem::Refused(format!(
                        "failing loading {}: open {path}: no such file or directory",
                        quote(address.as_bytes())
                    )))
                }
                _ => Err(Problem::Refused(format!(
                    "failing loading {0}: no URLLoader registered for {0}",
                    quote(address.as_bytes())
                ))),
            };
        };
        let full = format!("{address}#{fragment}");
        let missing = |kind: &str| {
            Problem::Refused(format!("{kind} in {} not found", quote(full.as_bytes())))
        };
        let target = if fragment.is_empty() {
            resource
        } else if fragment.starts_with('/') {
            let steps = steps(fragment).ok_or_else(|| missing("json-pointer"))?;
            let found = steps
                .iter()
                .try_fold(resource, |node, step| match node.is_seq() {
                    true => node.items().get(step.parse::<usize>().ok()?),
                    false => node.get(step),
                });
            found.ok_or_else(|| missing("json-pointer"))?
        } else {
            let name = unescaped(fragment).unwrap_or_default();
            let found = self.anchors.get(&(address.clone(), name)).copied();
            found.ok_or_else(|| missing("anchor"))?
        };
        if !target.is_map() && target.as_bool().is_none() {
            return Err(Problem::Refused(format!(
                "{} is not valid against metaschema",
                quote(full.as_bytes())
            )));
        }
        Ok(self.rule(target, fragment, &address))
    }

    fn compile(&mut self, todo: &Todo<'n>) -> Result<Rule, Problem> {
        let mut rule = Rule {
            draft: self.draft,
            ..Rule::default()
        };
        if let Some(verdict) = todo.node.as_bool() {
            rule.verdict = Some(verdict);
            return Ok(rule);
        }
        if let Some(reference) = text(todo.node, "$ref") {
            rule.reference = Some(self.refer(reference, todo)?);
            if self.draft < 2019 {
                // All else beside a reference is left out, but for this.
                rule.constant = self.constant(todo.node);
                return Ok(rule);
            }
        }
        self.late(&mut rule, todo)?;
        self.scalars(&mut rule, todo)?;
        self.objects(&mut rule, todo)?;
        self.lists(&mut rule, todo);
        self.choices(&mut rule, todo);
        Ok(rule)
    }

    fn late(&mut self, rule: &mut Rule, todo: &Todo<'n>) -> Result<(), Problem> {
        if self.draft < 2019 {
            return Ok(());
        }
        let keyword = match self.draft {
            2019 => "$recursiveRef",
            _ => "$dynamicRef",
        };
        let Some(reference) = text(todo.node, keyword) else {
            return Ok(());
        };
        let name = reference.trim_start_matches('#');
        if self.dynamic.get(name).is_some_and(|times| *times > 1)
            || self.draft == 2019 && self.resources.len() > 2
        {
            return Err(Problem::Unjudged(format!(
                "what its {keyword} refers to depends on the way there"
            )));
        }
        rule.late_reference = Some(self.refer(reference, todo)?);
        Ok(())
    }

    fn one(&mut self, todo: &Todo<'n>, keyword: &str) -> Option<Id> {
        let node = todo.node.get(keyword)?;
        Some(self.rule(node, &format!("{}/{keyword}", todo.at), &todo.base))
    }

    fn all(&mut self, todo: &Todo<'n>, keyword: &str) -> Vec<Id> {
        let items = todo.node.get(keyword).map_or(&[][..], Node::items);
        let each = items.iter().enumerate();
        each.map(|(at, node)| self.rule(node, &format!("{}/{keyword}/{at}", todo.at), &todo.base))
            .collect()
    }

    fn by_name(&mut self, todo: &Todo<'n>, keyword: &str) -> Vec<(String, Id)> {
        let entries = todo.node.get(keyword).map_or(&[][..], Node::entries);
        let each = entries.iter();
        each.map(|entry| {
            let name = entry.key.as_str().unwrap_or_default().to_owned();
            let at = format!("{}/{keyword}/{name}", todo.at);
            let id = self.rule(&entry.value, &at, &todo.base);
            (name, id)
        })
        .collect()
    }

    fn more(&mut self, todo: &Todo<'n>, keyword: &str) -> Option<More> {
        match todo.node.get(keyword)?.as_bool() {
            Some(true) => Some(More::Allowed),
            Some(false) => Some(More::Refused),
            None => self.one(todo, keyword).map(More::Rule),
        }
    }

    fn constant(&self, node: &Node) -> Option<(Data, String)> {
        let constant = node.get("const").filter(|_| self.draft >= 6)?;
        let said = match constant.is_scalar() {
            true => format!("value must be {}", shown(constant)),
            false => "'const' failed".to_owned(),
        };
        Some((value(constant), said))
    }

    fn scalars(&mut self, rule: &mut Rule, todo: &Todo<'n>) -> Result<(), Problem> {
        let node = todo.node;
        rule.types = types(node.get("type"));
        rule.constant = self.constant(node);
        if let Some(options) = node.get("enum").filter(|options| options.is_seq()) {
            let items = options.items();
            let texts: Vec<String> = items.iter().map(shown).collect();
            let said = match items {
                _ if !items.iter().all(Node::is_scalar) => "'enum' failed".to_owned(),
                [_] => format!("value must be {}", texts.concat()),
                _ => format!("value must be one of {}", texts.join(", ")),
            };
            rule.options = Some((items.iter().map(value).collect(), said));
        }
        if self.draft < 2019 {
            rule.format = text(node, "format").map(str::to_owned);
        }
        let bound = |keyword: &str| float(node.get(keyword)).map(Number);
        let flag = |keyword: &str| node.get(keyword).and_then(Node::as_bool) == Some(true);
        rule.multiple_of = bound("multipleOf");
        (rule.maximum, rule.below) = match flag("exclusiveMaximum") {
            true => (None, bound("maximum")),
            false => (bound("maximum"), bound("exclusiveMaximum")),
        };
        (rule.minimum, rule.above) = match flag("exclusiveMinimum") {
            true => (None, bound("minimum")),
            false => (bound("minimum"), bound("exclusiveMinimum")),
        };
        rule.min_length = whole(node, "minLength");
        rule.max_length = whole(node, "maxLength");
        if let Some(pattern) = text(node, "pattern") {
            let at = format!("{}/pattern", todo.at);
            rule.pattern = Some((regexp(pattern, &at)?, pattern.to_owned()));
        }
        Ok(())
    }

    fn objects(&mut self, rule: &mut Rule, todo: &Todo<'n>) -> Result<(), Problem> {
        let node = todo.node;
        rule.min_properties = whole(node, "minProperties");
        rule.max_properties = whole(node, "maxProperties");
        rule.required = texts(node.get("required"));
        rule.properties = self.by_name(todo, "properties").into_iter().collect();
        for (pattern, id) in self.by_name(todo, "patternProperties") {
            let at = format!("{}/patternProperties", todo.at);
            rule.patterns.push((regexp(&pattern, &at)?, id));
        }
        rule.more_properties = self.more(todo, "additionalProperties");
        for entry in node.get("dependencies").map_or(&[][..], Node::entries) {
            let name = entry.key.as_str().unwrap_or_default().to_owned();
            let demand = match entry.value.is_seq() {
                true => Demand::Names(texts(Some(&entry.value))),
                false => {
                    let at = format!("{}/dependencies/{name}", todo.at);
                    Demand::Rule(self.rule(&entry.value, &at, &todo.base))
                }
            };
            rule.dependencies.push((name, demand));
        }
        if self.draft >= 6 {
            rule.property_names = self.one(todo, "propertyNames");
        }
        if self.draft >= 2019 {
            rule.dependent_schemas = self.by_name(todo, "dependentSchemas");
            let required = node.get("dependentRequired").map_or(&[][..], Node::entries);
            let named = |entry: &yaml::Entry| {
                let name = entry.key.as_str().unwrap_or_default().to_owned();
                (name, texts(Some(&entry.value)))
            };
            rule.dependent_required = required.iter().map(named).collect();
            rule.unevaluated_properties = self.one(todo, "unevaluatedProperties");
        }
        Ok(())
    }

    fn lists(&mut self, rule: &mut Rule, todo: &Todo<'n>) {
        let node = todo.node;
        rule.min_items = whole(node, "minItems");
        rule.max_items = whole(node, "maxItems");
        rule.unique = node.get("uniqueItems").and_then(Node::as_bool) == Some(true);
        if self.draft < 2020 {
            if node.get("items").is_some_and(Node::is_seq) {
                rule.items = Items::Each(self.all(todo, "items"));
                rule.more_items = self.more(todo, "additionalItems");
            } else if let Some(id) = self.one(todo, "items") {
                rule.items = Items::All(id);
            }
        } else {
            rule.prefix = self.all(todo, "prefixItems");
            rule.rest = self.one(todo, "items");
        }
        if self.draft >= 6 {
            rule.contains = self.one(todo, "contains");
        }
        if self.draft >= 2019 {
            rule.unevaluated_items = self.one(todo, "unevaluatedItems");
            if rule.contains.is_some() {
                rule.min_contains = whole(node, "minContains");
                rule.max_contains = whole(node, "maxContains");
            }
        }
    }

    fn choices(&mut self, rule: &mut Rule, todo: &Todo<'n>) {
        rule.all_of = self.all(todo, "allOf");
        rule.any_of = self.all(todo, "anyOf");
        rule.one_of = self.all(todo, "oneOf");
        rule.not = self.one(todo, "not");
        if self.draft >= 7 {
            rule.condition = self.one(todo, "if");
            if rule.condition.is_some() {
                rule.then = self.one(todo, "then");
                rule.otherwise = self.one(todo, "else");
            }
        }
    }
}

fn text<'n>(node: &'n Node, keyword: &str) -> Option<&'n str> {
    let value = node.get(keyword)?;
    value.as_str().filter(|_| value.tag == Tag::Str)
}

fn texts(node: Option<&Node>) -> Vec<String> {
    let items = node.map_or(&[][..], Node::items).iter();
    let texts = items.filter(|item| item.tag == Tag::Str);
    texts.filter_map(Node::as_str).map(str::to_owned).collect()
}

pub(super) fn float(node: Option<&Node>) -> Option<f64> {
    let node = node.filter(|node| matches!(node.tag, Tag::Int | Tag::Float))?;
    parse_float(node.text()?.as_bytes())
}

fn whole(node: &Node, keyword: &str) -> Option<i64> {
    let number = float(node.get(keyword))?;
    #[expect(clippy::cast_possible_truncation, reason = "larger ones bound nothing")]
    (number.fract() == 0.0).then_some(number as i64)
}

fn types(node: Option<&Node>) -> u8 {
    let Some(node) = node else {
        return 0;
    };
    let names = match node.is_seq() {
        true => texts(Some(node)),
        false => node.as_str().map(str::to_owned).into_iter().collect(),
    };
    let bit = |name: &String| TYPES.iter().position(|known| known == name);
    names
        .iter()
        .filter_map(bit)
        .fold(0, |bits, at| bits | 1 << at)
}

fn regexp(pattern: &str, at: &str) -> Result<Regexp, Problem> {
    Regexp::new(pattern).map_err(|e| {
        Problem::Refused(format!(
            "invalid regex {} at {}: {e}",
            quote(pattern.as_bytes()),
            quote(format!("{ROOT}#{at}").as_bytes())
        ))
    })
}

/// A value of the schema.
pub(super) fn value(node: &Node) -> Data {
    match &node.value {
        yaml::Value::Mapping(entries) => {
            let entry = |entry: &yaml::Entry| {
                let key = entry.key.as_str().unwrap_or_default();
                (key.as_bytes().into(), value(&entry.value))
            };
            Data::Map(entries.iter().map(entry).collect())
        }
        yaml::Value::Sequence(items) => Data::List(items.iter().map(value).collect()),
        yaml::Value::Scalar(text) => match node.tag {
            Tag::Null => Data::Null,
            Tag::Bool => Data::Bool(node.as_bool().unwrap_or_default()),
            Tag::Int | Tag::Float => Data::Float(float(Some(node)).unwrap_or(f64::INFINITY)),
            _ => Data::text(text),
        },
    }
}

/// A scalar as Go prints it.
fn shown(node: &Node) -> String {
    match (&node.tag, node.text()) {
        (Tag::Null, _) => "<nil>".to_owned(),
        (Tag::Str, Some(text)) => single(text),
        (_, Some(text)) => text.to_string(),
        (_, None) => "value".to_owned(),
    }
}
