//! Reading typed values out of nodes the way Go's JSON decoder fills structs:
//! field names match in any case, null leaves a field alone, and wrong types
//! fail with the decoder's words.

use ecow::{EcoString, eco_format};
use yaml::{Entry, Node, Tag, Value};

use crate::error::Error;
use crate::kustomization::{Item, Pairs};

/// How strictly to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decoder {
    /// Unknown fields fail.
    pub strict: bool,
    /// Numbers and booleans may stand where a string is expected.
    pub coerce: bool,
}

/// Kustomization files.
pub(crate) const STRICT: Decoder = Decoder {
    strict: true,
    coerce: false,
};

/// Configuration objects of built-in generators.
pub(crate) const UNTYPED: Decoder = Decoder {
    strict: false,
    coerce: false,
};

/// Configuration objects of built-in transformers.
pub(crate) const LENIENT: Decoder = Decoder {
    strict: false,
    coerce: true,
};

impl Decoder {
    /// For fields that upstream's types embed: the reader that lets numbers stand for
    /// strings does not find them.
    pub fn embedded(self) -> Self {
        Decoder {
            coerce: false,
            ..self
        }
    }

    /// Calls `field` with each lower-cased field name and value of an object;
    /// it answers whether it knows the field. `at` is the Go name of the type.
    pub fn object<'n>(
        self,
        node: &'n Node,
        at: &str,
        mut field: impl FnMut(&str, &'n Node) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        if node.is_null() {
            return Ok(());
        }
        if !node.is_map() {
            return Err(mismatch(node, at, "object"));
        }
        for entry in sorted(node) {
            let name = entry.key.text().map_or("", |text| text.as_str());
            if !field(&name.to_ascii_lowercase(), &entry.value)? && self.strict {
                let error = Error::new(eco_format!("json: unknown field {name:?}"));
                return Err(error.at(entry.key.span));
            }
        }
        Ok(())
    }

    /// A string; null is the empty one.
    pub fn string(self, node: &Node, at: &str) -> Result<EcoString, Error> {
        match (&node.value, &node.tag) {
            (_, Tag::Null) => Ok(EcoString::new()),
            (Value::Scalar(text), Tag::Str) => Ok(text.clone()),
            (Value::Scalar(text), _) if self.coerce => Ok(text.clone()),
            _ => Err(mismatch(node, at, "string")),
        }
    }

    /// A string and its place; `None` for null and the empty string.
    pub fn optional(self, node: &Node, at: &str) -> Result<Option<Item>, Error> {
        let text = self.string(node, at)?;
        let span = node.span;
        Ok((!text.is_empty()).then_some(Item { text, span }))
    }

    /// A boolean; null is false.
    pub fn bool(self, node: &Node, at: &str) -> Result<bool, Error> {
        match (&node.tag, node.as_bool()) {
            (Tag::Null, _) => Ok(false),
            (_, Some(value)) => Ok(value),
            _ => Err(mismatch(node, at, "bool")),
        }
    }

    /// An integer; null is zero.
    pub fn int(self, node: &Node, at: &str, go_type: &str) -> Result<i64, Error> {
        let whole = |text: &str| {
            let number: f64 = text.parse().ok()?;
            (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
        };
        match (&node.tag, node.text()) {
            (Tag::Null, _) => Ok(0),
            (Tag::Int, Some(text)) => text.parse().map_err(|_| mismatch(node, at, go_type)),
            (Tag::Float, Some(text)) => whole(text).ok_or_else(|| mismatch(node, at, go_type)),
            _ => Err(mismatch(node, at, go_type)),
        }
    }

    /// A list, each item read by `item`; null is the empty one.
    pub fn list<'n, T>(
        self,
        node: &'n Node,
        at: &str,
        go_type: &str,
        mut item: impl FnMut(&'n Node) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        match &node.value {
            _ if node.is_null() => Ok(Vec::new()),
            Value::Sequence(items) => items.iter().map(&mut item).collect(),
            _ => Err(mismatch(node, at, go_type)),
        }
    }

    /// A list of strings.
    pub fn strings(self, node: &Node, at: &str) -> Result<Vec<EcoString>, Error> {
        self.list(node, at, "[]string", |item| self.string(item, at))
    }

    /// A list of strings and their places.
    pub fn items(self, node: &Node, at: &str) -> Result<Vec<Item>, Error> {
        self.list(node, at, "[]string", |item| {
            let text = self.string(item, at)?;
            let span = item.span;
            Ok(Item { text, span })
        })
    }

    /// A map of strings, sorted by key.
    pub fn pairs(self, node: &Node, at: &str) -> Result<Pairs, Error> {
        if node.is_null() {
            return Ok(Pairs::new());
        }
        if !node.is_map() {
            return Err(mismatch(node, at, "map[string]string"));
        }
        let pair = |entry: &&Entry| {
            let text = self.string(&entry.value, at)?;
            let span = entry.value.span;
            let key = entry.key.text().cloned().unwrap_or_default();
            Ok((key, Item { text, span }))
        };
        sorted(node).iter().map(pair).collect()
    }
}

/// The entries in the order JSON text would have them: sorted by key.
fn sorted(node: &Node) -> Vec<&Entry> {
    let mut entries: Vec<&Entry> = node.entries().iter().collect();
    entries.sort_by(|a, b| a.key.text().cmp(&b.key.text()));
    entries
}

/// A value is not of the kind its field has.
fn mismatch(node: &Node, at: &str, go_type: &str) -> Error {
    let place = if at.contains('.') {
        eco_format!("Go struct field {at} of type {go_type}")
    } else {
        eco_format!("Go value of type types.{at}")
    };
    let found = found(node, go_type);
    Error::new(eco_format!("json: cannot unmarshal {found} into {place}")).at(node.span)
}

/// A whole value is not what a Go type takes.
pub(crate) fn not_a(node: &Node, go_type: &str) -> Error {
    let found = found(node, go_type);
    Error::new(eco_format!(
        "json: cannot unmarshal {found} into Go value of type {go_type}"
    ))
    .at(node.span)
}

fn found(node: &Node, go_type: &str) -> EcoString {
    match (&node.value, &node.tag) {
        (Value::Mapping(_), _) => "object".into(),
        (Value::Sequence(_), _) => "array".into(),
        (_, Tag::Bool) => "bool".into(),
        (Value::Scalar(text), Tag::Int | Tag::Float) if go_type.contains("int") => {
            eco_format!("number {text}")
        }
        (_, Tag::Int | Tag::Float) => "number".into(),
        _ => EcoString::from("string"),
    }
}
