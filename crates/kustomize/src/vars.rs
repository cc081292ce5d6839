//! `vars`: values of fields, put where `$(NAME)` stands. Deprecated upstream in
//! favour of replacements, still in use.

use std::collections::BTreeMap;

use ecow::{EcoString, eco_format};
use yaml::{Node, Span, Tag, Tagging, Value};

use crate::error::Error;
use crate::field_spec::FieldSpecs;
use crate::kustomization::Var;
use crate::resmap::ResMap;
use crate::trail::{Trail, locate, node_at_mut, split_path};

/// The vars of a build by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct VarSet(BTreeMap<EcoString, Var>);

impl VarSet {
    /// Adds vars. Fails when a name is taken.
    pub fn extend<'a>(&mut self, vars: impl IntoIterator<Item = &'a Var>) -> Result<(), Error> {
        for var in vars {
            if self.0.contains_key(&var.name) {
                let error = Error::new(eco_format!("var '{}' already encountered", var.name));
                return Err(match var.span {
                    Some(span) => error.at(span),
                    None => error,
                });
            }
            self.0.insert(var.name.clone(), var.clone());
        }
        Ok(())
    }

    /// Adds those of another set.
    pub fn merge(&mut self, other: &VarSet) -> Result<(), Error> {
        self.extend(other.0.values())
    }
}

/// Notes on the object of each var that the var reads from it. An object that
/// is not there yet is looked for no more; several are an error.
pub(crate) fn attach(map: &mut ResMap, vars: &[Var]) -> Result<(), Error> {
    if !vars.is_empty() {
        map.check_pasts()?;
    }
    for var in vars {
        let wanted = &var.object;
        let found = map.with_any_id(|id| {
            if var.is_namespaced() {
                wanted.same(id)
            } else {
                wanted.name == id.name && wanted.gvk == id.gvk
            }
        });
        match found.as_slice() {
            [] => {}
            [at] => {
                if let Some(resource) = map.get_mut(*at) {
                    resource.record.vars.push(var.name.clone());
                }
            }
            many => {
                let error = Error::new(eco_format!(
                    "found {} resId matches for var {} (unable to disambiguate)",
                    many.len(),
                    describe(var, &var.field_path)
                ));
                return Err(match var.span {
                    Some(span) => error.at(span),
                    None => error,
                });
            }
        }
    }
    Ok(())
}

/// A var the way Go prints the struct.
fn describe(var: &Var, field: &str) -> EcoString {
    eco_format!("{{{} {} {{{field}}}}}", var.name, var.object.gvk)
}

/// Expands every `$(NAME)` in the fields of the table. Fails when a var reads
/// from nothing, and on a field of the table that is no text.
pub(crate) fn expand(map: &mut ResMap, vars: &VarSet, fields: &FieldSpecs) -> Result<(), Error> {
    let values = values(map, vars)?;
    if values.is_empty() {
        return Ok(());
    }
    let paths: Vec<_> = fields.0.iter().map(|spec| split_path(&spec.path)).collect();
    for resource in map {
        for (spec, path) in fields.0.iter().zip(&paths) {
            if !spec.gvk.selects(resource.gvk()) {
                continue;
            }
            let mut changes = Vec::new();
            locate(resource.node(), path, &mut |node, trail| {
                collect(node, trail, &values, &mut changes)
            })
            .map_err(|e| {
                e.during(eco_format!(
                    "considering field '{}' of object {}",
                    spec.path,
                    resource.id()
                ))
                .at(resource.node().span)
            })?;
            if changes.is_empty() {
                continue;
            }
            let node = resource.node_mut();
            for (trail, value) in changes {
                if let Some(field) = node_at_mut(node, &trail) {
                    let span = field.span;
                    *field = value.at(span);
                }
            }
            resource.settle_links();
        }
    }
    Ok(())
}

/// The value of each var, by name: a scalar, or anything else, which is never
/// put anywhere.
fn values(map: &ResMap, vars: &VarSet) -> Result<BTreeMap<EcoString, Node>, Error> {
    let value = |var: &Var| {
        let reads = |resource: &&crate::Resource| resource.record.vars.contains(&var.name);
        let resource = map.iter().find(reads).ok_or_else(|| {
            Error::new(eco_format!(
                "var '{}' cannot be mapped to a field in the set of known resources",
                describe(var, var.field())
            ))
        })?;
        look_up(resource.node(), var.field())
            .cloned()
            .ok_or_else(|| {
                Error::new(eco_format!(
                    "field specified in var '{}' not found in corresponding resource",
                    describe(var, var.field())
                ))
            })
    };
    let at = |var: &Var, error: Error| error.at(var.span.unwrap_or(Span::NONE));
    vars.0
        .values()
        .map(|var| Ok((var.name.clone(), value(var).map_err(|e| at(var, e))?)))
        .collect()
}

/// The node a dotted path leads to: names, `[key=value]`, `[=value]` and
/// indices, also behind a name as in `list[0]`.
fn look_up<'a>(node: &'a Node, path: &str) -> Option<&'a Node> {
    let mut node = node;
    for part in dotted(path) {
        node = step(node, &part)?;
    }
    Some(node)
}

/// Splits at dots that are neither escaped nor in brackets, and `name[0]` into
/// two parts.
fn dotted(path: &str) -> Vec<EcoString> {
    let mut parts: Vec<EcoString> = vec![EcoString::new()];
    let mut bracket = false;
    let mut characters = path.chars().peekable();
    while let Some(c) = characters.next() {
        let start = parts.last().is_some_and(EcoString::is_empty);
        match c {
            '\\' if characters.peek() == Some(&'.') => {
                characters.next();
                push(&mut parts, '.');
            }
            '.' if !bracket => parts.push(EcoString::new()),
            '[' if !bracket && !start && is_index(&characters.clone().collect::<String>()) => {
                bracket = true;
                parts.push("[".into());
            }
            _ => {
                bracket = (bracket || (c == '[' && start)) && c != ']';
                push(&mut parts, c);
            }
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn push(parts: &mut [EcoString], c: char) {
    if let Some(part) = parts.last_mut() {
        part.push(c);
    }
}

/// Whether a text behind `[` is `digits]`.
fn is_index(rest: &str) -> bool {
    rest.split_once(']')
        .is_some_and(|(digits, _)| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

fn step<'a>(node: &'a Node, part: &str) -> Option<&'a Node> {
    let inside = part
        .strip_prefix('[')
        .and_then(|part| part.strip_suffix(']'));
    let text = |node: &'a Node| node.text().map_or("", |text| text.as_str());
    if let Some((key, value)) = inside.and_then(|inside| inside.split_once('=')) {
        return node.items().iter().find(|item| {
            if key.is_empty() {
                item.is_scalar() && text(item) == value
            } else {
                item.get(key).is_some_and(|field| text(field) == value)
            }
        });
    }
    let name = inside.unwrap_or(part);
    match &node.value {
        Value::Sequence(items) if name == "-" => items.last(),
        Value::Sequence(items) => items.get(name.parse::<usize>().ok()?),
        _ => node.get(name),
    }
}

type Changes = Vec<(Trail, Node)>;

fn collect(
    node: &Node,
    trail: &Trail,
    values: &BTreeMap<EcoString, Node>,
    changes: &mut Changes,
) -> Result<(), Error> {
    let below = |index: usize| {
        let mut trail = trail.clone();
        trail.push(index);
        trail
    };
    match &node.value {
        Value::Scalar(_) => {
            changes.extend(replaced(node, values).map(|value| (trail.clone(), value)));
        }
        Value::Mapping(entries) => {
            for (index, entry) in entries.iter().enumerate() {
                if !is_text(&entry.key) {
                    return Err(Error::new("invalid map key").at(entry.key.span));
                }
                let new = replaced(&entry.value, values);
                changes.extend(new.map(|value| (below(index), value)));
            }
        }
        Value::Sequence(items) => {
            for (index, item) in items.iter().enumerate() {
                if !is_text(item) {
                    return Err(Error::new("invalid value type expect a string").at(item.span));
                }
                let new = replaced(item, values);
                changes.extend(new.map(|value| (below(index), value)));
            }
        }
    }
    Ok(())
}

fn is_text(node: &Node) -> bool {
    node.is_scalar() && (node.tag == Tag::Str || is_untyped(node))
}

/// Whether a scalar has no type of its own; it is a text from here on.
fn is_untyped(node: &Node) -> bool {
    node.tagging == Tagging::Open && node.tag != Tag::Str
}

/// What a text becomes, if it changes.
fn replaced(node: &Node, values: &BTreeMap<EcoString, Node>) -> Option<Node> {
    let text = node.text().filter(|_| is_text(node))?.as_str();
    if !text.contains('$') {
        return is_untyped(node).then(|| Node::string(text));
    }
    let mut result = EcoString::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, tail) = rest.split_at(at);
        result.push_str(before);
        let tail = tail.strip_prefix('$').unwrap_or(tail);
        if let Some(escaped) = tail.strip_prefix('$') {
            result.push('$');
            rest = escaped;
        } else if let Some((name, behind)) = reference(tail) {
            let value = values.get(name).filter(|value| value.is_scalar());
            match value {
                // Alone, it keeps its type.
                Some(value) if name.len() + "$()".len() == text.len() => {
                    return Some(typed(value));
                }
                Some(value) => result.push_str(&printed(value)),
                None => result.push_str(&eco_format!("$({name})")),
            }
            rest = behind;
        } else {
            result.push('$');
            rest = tail;
        }
    }
    result.push_str(rest);
    (result != text || is_untyped(node)).then(|| Node::string(result))
}

/// A value on its own: numbers and booleans stay, anything else is text.
fn typed(value: &Node) -> Node {
    match value.tag {
        Tag::Int | Tag::Float | Tag::Bool => value.clone(),
        _ => Node::string(value.text().cloned().unwrap_or_default()),
    }
}

/// `(NAME)` and what is behind it.
fn reference(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('(')?.split_once(')')
}

/// A value the way Go prints it inside of a text.
fn printed(value: &Node) -> EcoString {
    let text = value.text().cloned().unwrap_or_default();
    match value.tag {
        Tag::Int => text.parse::<i64>().map_or(text, |n| eco_format!("{n}")),
        Tag::Float => text.parse::<f64>().map_or(text, |n| eco_format!("{n}")),
        Tag::Bool => value.as_bool().map_or(text, |b| eco_format!("{b}")),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> BTreeMap<EcoString, Node> {
        [
            ("A".into(), Node::string("x")),
            ("N".into(), Node::int(8080)),
            ("M".into(), Node::map([("k", Node::int(1))])),
        ]
        .into()
    }

    #[test]
    fn alone_a_var_keeps_its_type() {
        let expand = |text: &str| replaced(&Node::string(text), &values());
        assert_eq!(expand("$(N)"), Some(Node::int(8080)));
        assert_eq!(expand(":$(N)/$(A)"), Some(Node::string(":8080/x")));
        assert_eq!(
            expand("$$(A) $(B) $A $(M)"),
            Some(Node::string("$(A) $(B) $A $(M)"))
        );
        assert_eq!(expand("$(B)"), None);
    }

    #[test]
    fn paths_know_list_elements() {
        let item = |name: &str| Node::map([("name", Node::string(name))]);
        let node = Node::map([(
            "a",
            Node::map([("list", Node::seq([item("x.y"), item("z")]))]),
        )]);
        let found = |path: &str| look_up(&node, path).and_then(Node::as_str);
        assert_eq!(found("a.list[1].name"), Some("z"));
        assert_eq!(found("a.list.[name=x.y].name"), Some("x.y"));
        assert_eq!(found("a.list.0.name"), Some("x.y"));
        assert_eq!(found("a.other"), None);
    }
}
