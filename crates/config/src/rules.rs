//! Severities of rules.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use crate::error::nearest;
use crate::{Error, Spanned};

/// What a rule's findings count as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// An error.
    Error,
    /// A warning.
    Warning,
    /// Worth knowing.
    Info,
    /// Nothing: the rule does not run.
    Off,
}

/// Levels by rule, in written order. A rule is named by its id or its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules(pub Vec<(Spanned<String>, Spanned<Level>)>);

impl Rules {
    /// The level set for a rule; the last entry counts.
    pub fn level(&self, id: &str, name: &str) -> Option<Level> {
        let mut entries = self.0.iter().rev();
        entries
            .find(|(rule, _)| is_rule(rule, id, name))
            .map(|(_, level)| level.value)
    }

    /// Refuses names that are no rule, given (id, name) of all rules.
    pub(crate) fn check(&self, known: &[(&str, &str)]) -> Result<(), Error> {
        for (rule, _) in &self.0 {
            if !known.iter().any(|(id, name)| is_rule(rule, id, name)) {
                return Err(unknown_rule(rule, known).below("rules"));
            }
        }
        Ok(())
    }
}

/// Whether `text` names the rule, by id or by name.
pub(crate) fn is_rule(text: &str, id: &str, name: &str) -> bool {
    text.eq_ignore_ascii_case(id) || text == name
}

/// The error for a name that is no rule.
pub(crate) fn unknown_rule(rule: &Spanned<String>, known: &[(&str, &str)]) -> Error {
    let names = known.iter().flat_map(|(id, name)| [*id, *name]);
    let help = match nearest(rule, names) {
        Some(name) => format!("did you mean `{name}`? `fluxlint rules` lists them all"),
        None => "`fluxlint rules` lists them all".into(),
    };
    Error::new(format!("no rule is called `{}`", rule.value))
        .with_help(help)
        .at(rule.span)
}

impl<'de> Deserialize<'de> for Rules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Map;

        impl<'de> Visitor<'de> for Map {
            type Value = Rules;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping of rules to levels")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Rules, A::Error> {
                let mut rules = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    rules.push(entry);
                }
                Ok(Rules(rules))
            }
        }

        deserializer.deserialize_map(Map)
    }
}

impl JsonSchema for Rules {
    fn schema_name() -> Cow<'static, str> {
        "Rules".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let level = generator.subschema_for::<Level>();
        json_schema!({
            "description": "Levels by the id or the name of a rule.",
            "type": "object",
            "additionalProperties": level
        })
    }
}
