//! What exists outside Git.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use crate::values::from_text;
use crate::{Pattern, Spanned};

/// What exists in the cluster although no file of the repository makes it. All
/// of it is taken on trust, so the run counts the entries and reports those that
/// nothing needs.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Externals {
    /// Namespaces that something outside Git, or an operator at run time,
    /// creates. `*` stands for any text.
    #[serde(default)]
    pub namespaces: Vec<Spanned<Pattern>>,
    /// API groups whose CRDs are installed from outside Git. `*` stands for any
    /// text.
    #[serde(default)]
    pub crd_groups: Vec<Spanned<Pattern>>,
    /// Secrets made by hand or by a tool outside Git.
    #[serde(default)]
    pub secrets: Vec<Spanned<ExternalSecret>>,
    /// ConfigMaps and Secrets that `postBuild.substituteFrom` reads and that
    /// come from outside Git.
    #[serde(default)]
    pub substitutions: Vec<Spanned<ExternalSubstitution>>,
    /// CRDs that a component creates only while it runs.
    #[serde(default, rename = "runtimeCRDs")]
    #[schemars(rename = "runtimeCRDs")]
    pub runtime_crds: Vec<Spanned<RuntimeCrd>>,
}

impl Externals {
    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.namespaces.len()
            + self.crd_groups.len()
            + self.secrets.len()
            + self.substitutions.len()
            + self.runtime_crds.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A Secret made outside Git.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExternalSecret {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The keys it is known to hold. Left out: any key.
    #[serde(default)]
    pub keys: Option<Spanned<Vec<String>>>,
}

/// Which kind of object variables come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
pub enum SubstitutionKind {
    /// A ConfigMap.
    ConfigMap,
    /// A Secret.
    Secret,
}

impl SubstitutionKind {
    /// The Kubernetes kind.
    pub fn as_str(self) -> &'static str {
        match self {
            SubstitutionKind::ConfigMap => "ConfigMap",
            SubstitutionKind::Secret => "Secret",
        }
    }
}

/// A substitution source made outside Git.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExternalSubstitution {
    /// ConfigMap or Secret.
    pub kind: SubstitutionKind,
    /// Its name.
    pub name: String,
    /// Its namespace: that of the Kustomizations that read it. Default
    /// `flux-system`.
    #[serde(default = "flux_system")]
    pub namespace: String,
    /// The variables it brings: a list of names, or names with values. A
    /// variable without a value is known to exist, and what contains it is
    /// not judged.
    #[serde(default)]
    pub variables: Variables,
}

fn flux_system() -> String {
    "flux-system".into()
}

/// Variables by name, in written order; `None` where the value is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables(pub Vec<(Spanned<String>, Option<String>)>);

impl Variables {
    /// What is known of a variable: `None` when it is not there, `Some(None)`
    /// when its value is not known.
    pub fn get(&self, name: &str) -> Option<Option<&str>> {
        let found = self.0.iter().find(|(known, _)| known.value == name);
        found.map(|(_, value)| value.as_deref())
    }
}

/// The text of any scalar.
struct Text(String);

impl std::str::FromStr for Text {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(Text(text.into()))
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer)
    }
}

impl<'de> Deserialize<'de> for Variables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Variables;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of names, or a mapping of names to values")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<Variables, A::Error> {
                let mut variables = Vec::new();
                while let Some(name) = names.next_element()? {
                    variables.push((name, None));
                }
                Ok(Variables(variables))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Variables, A::Error> {
                let mut variables = Vec::new();
                while let Some((name, value)) = map.next_entry::<_, Option<Text>>()? {
                    variables.push((name, value.map(|text| text.0)));
                }
                Ok(Variables(variables))
            }
        }

        deserializer.deserialize_any(Either)
    }
}

impl JsonSchema for Variables {
    fn schema_name() -> Cow<'static, str> {
        "Variables".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Names of variables, or names with values.",
            "anyOf": [
                { "type": "array", "items": { "type": "string" } },
                {
                    "type": "object",
                    "additionalProperties": { "type": ["string", "number", "boolean", "null"] }
                }
            ]
        })
    }
}

/// CRDs that appear only while a component runs.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuntimeCrd {
    /// The API group.
    pub group: String,
    /// The component that creates them: `namespace/name` of a Kustomization or
    /// `HelmRelease/namespace/name`.
    pub provided_by: String,
}
