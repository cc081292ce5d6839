//! Where a cluster's tree starts.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};

use crate::{Spanned, Version};

/// The directory a cluster's root Kustomization points at: what
/// `flux bootstrap` was given as `--path`.
#[derive(Clone, Debug, PartialEq)]
pub struct Entrypoint {
    /// The directory, relative to the repository's root.
    pub path: String,
    /// The Kubernetes release of this cluster, where it is not the common one.
    pub kube_version: Option<Spanned<Version>>,
}

/// The long form.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Long {
    /// The directory, relative to the repository's root.
    path: String,
    /// The Kubernetes release of this cluster, where it is not the common one.
    #[serde(default)]
    kube_version: Option<Spanned<Version>>,
}

impl<'de> Deserialize<'de> for Entrypoint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Entrypoint;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a directory, or a mapping with `path`")
            }

            fn visit_str<E: serde::de::Error>(self, path: &str) -> Result<Entrypoint, E> {
                Ok(Entrypoint {
                    path: path.into(),
                    kube_version: None,
                })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Entrypoint, A::Error> {
                let long = Long::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Entrypoint {
                    path: long.path,
                    kube_version: long.kube_version,
                })
            }
        }

        deserializer.deserialize_any(Either)
    }
}

impl JsonSchema for Entrypoint {
    fn schema_name() -> Cow<'static, str> {
        "Entrypoint".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut long = Long::json_schema(generator);
        long.remove("description");
        json_schema!({
            "description": "A directory, or a directory with its own Kubernetes release.",
            "anyOf": [{ "type": "string" }, long]
        })
    }
}
