//! A compiled schema.

use std::collections::BTreeMap;

use gotmpl::regexp::Regexp;

use super::fault::Fault;
use crate::data::Data;

/// The place of a rule among all.
pub(super) type Id = usize;

/// A document's rules; the first is the document's own.
#[derive(Debug)]
pub(super) struct Rules(pub Vec<Rule>);

/// Types in the order in which they are named.
pub(super) const TYPES: [&str; 7] = [
    "null", "boolean", "number", "integer", "string", "array", "object",
];

/// What `additionalProperties` and `additionalItems` say.
#[derive(Clone, Copy, Debug)]
pub(super) enum More {
    Allowed,
    Refused,
    Rule(Id),
}

/// What an entry of `dependencies` demands.
#[derive(Debug)]
pub(super) enum Demand {
    Names(Vec<String>),
    Rule(Id),
}

/// What `items` says of lists.
#[derive(Debug, Default)]
pub(super) enum Items {
    #[default]
    Any,
    All(Id),
    Each(Vec<Id>),
}

/// A number of a schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number(pub f64);

/// What a schema says. Fields have the names of their keywords.
#[derive(Debug, Default)]
pub(super) struct Rule {
    pub draft: u16,
    /// A schema that is `true` or `false`.
    pub verdict: Option<bool>,
    /// Bits of [`TYPES`].
    pub types: u8,
    /// The value, and what is said of others.
    pub constant: Option<(Data, String)>,
    /// The values, and what is said of others.
    pub options: Option<(Vec<Data>, String)>,
    pub format: Option<String>,
    pub reference: Option<Id>,
    /// `$recursiveRef` or `$dynamicRef`
    pub late_reference: Option<Id>,
    pub min_properties: Option<i64>,
    pub max_properties: Option<i64>,
    pub required: Vec<String>,
    pub dependencies: Vec<(String, Demand)>,
    pub properties: BTreeMap<String, Id>,
    pub patterns: Vec<(Regexp, Id)>,
    pub more_properties: Option<More>,
    pub property_names: Option<Id>,
    pub dependent_schemas: Vec<(String, Id)>,
    pub dependent_required: Vec<(String, Vec<String>)>,
    pub min_items: Option<i64>,
    pub max_items: Option<i64>,
    pub unique: bool,
    pub items: Items,
    pub more_items: Option<More>,
    /// `prefixItems`
    pub prefix: Vec<Id>,
    /// `items` behind `prefixItems`
    pub rest: Option<Id>,
    pub contains: Option<Id>,
    pub min_contains: Option<i64>,
    pub max_contains: Option<i64>,
    pub min_length: Option<i64>,
    pub max_length: Option<i64>,
    pub pattern: Option<(Regexp, String)>,
    pub minimum: Option<Number>,
    pub maximum: Option<Number>,
    pub above: Option<Number>,
    pub below: Option<Number>,
    pub multiple_of: Option<Number>,
    pub not: Option<Id>,
    pub all_of: Vec<Id>,
    pub any_of: Vec<Id>,
    pub one_of: Vec<Id>,
    pub condition: Option<Id>,
    pub then: Option<Id>,
    pub otherwise: Option<Id>,
    pub unevaluated_properties: Option<Id>,
    pub unevaluated_items: Option<Id>,
}

/// The type of a value, as a bit of [`TYPES`].
pub(super) fn type_bit(value: &Data) -> u8 {
    match value {
        Data::Null => 1,
        Data::Bool(_) => 1 << 1,
        Data::Int(_) | Data::Float(_) => 1 << 2,
        Data::String(_) => 1 << 4,
        Data::List(_) => 1 << 5,
        Data::Map(_) => 1 << 6,
    }
}

/// The number that a value is.
pub(super) fn number(value: &Data) -> Option<f64> {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "numbers of values are floats")]
        Data::Int(number) => Some(*number as f64),
        Data::Float(number) => Some(*number),
        _ => None,
    }
}

/// What a type is refused with.
pub(super) fn misfit(value: &Data, wanted: u8) -> String {
    let names = |bits: u8| {
        let named = TYPES.iter().enumerate();
        let named = named.filter(move |(at, _)| bits & (1 << at) != 0);
        named.map(|(_, name)| *name).collect::<Vec<_>>()
    };
    let got = names(type_bit(value)).concat();
    format!("got {got}, want {}", names(wanted).join(" or "))
}

/// Equal as JSON has it: numbers by their value.
pub(super) fn equal(one: &Data, other: &Data) -> bool {
    match (one, other) {
        (Data::Map(one), Data::Map(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|((a, x), (b, y))| a == b && equal(x, y))
        }
        (Data::List(one), Data::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(x, y)| equal(x, y))
        }
        _ => match (number(one), number(other)) {
            (Some(one), Some(other)) => one == other,
            (None, None) => one == other,
            _ => false,
        },
    }
}

/// Faults of a value, or none.
pub(super) type Found = Vec<Fault>;
