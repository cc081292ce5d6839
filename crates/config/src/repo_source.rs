//! Which source objects mean this repository.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::{Deserializer, SeqAccess, Visitor};

use crate::Spanned;
use crate::decode::ONE_OR_MANY;
use crate::values::from_text;

/// A source object that delivers this repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepoSource {
    /// By name; what is left out matches any.
    Object {
        /// `GitRepository`, `OCIRepository`, `Bucket` or `ExternalArtifact`.
        kind: Option<String>,
        /// Namespace.
        namespace: Option<String>,
        /// Name.
        name: String,
    },
    /// By its `spec.url`.
    Url(String),
}

impl RepoSource {
    /// Whether a source object is meant.
    pub fn matches(&self, kind: &str, namespace: &str, name: &str, url: Option<&str>) -> bool {
        let same =
            |asked: &Option<String>, has: &str| asked.as_deref().is_none_or(|asked| asked == has);
        match self {
            RepoSource::Object {
                kind: k,
                namespace: ns,
                name: n,
            } => n == name && same(k, kind) && same(ns, namespace),
            RepoSource::Url(asked) => url.is_some_and(|url| same_url(asked, url)),
        }
    }
}

/// Whether two addresses differ only by a trailing slash or `.git`.
fn same_url(a: &str, b: &str) -> bool {
    let plain = |url: &str| {
        let url = url.trim_end_matches('/');
        url.strip_suffix(".git").unwrap_or(url).to_owned()
    };
    plain(a) == plain(b)
}

impl FromStr for RepoSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.contains("://") || text.contains('@') {
            return Ok(RepoSource::Url(text.into()));
        }
        let mut parts = text.rsplit('/').map(str::to_owned);
        let name = parts.next().unwrap_or_default();
        let namespace = parts.next();
        let kind = parts.next();
        let empty = |part: &Option<String>| part.as_deref() == Some("");
        if parts.next().is_some() || name.is_empty() || empty(&namespace) || empty(&kind) {
            return Err(format!(
                "`{text}` names no source; write a name, namespace/name, kind/namespace/name or its URL"
            ));
        }
        Ok(RepoSource::Object {
            kind,
            namespace,
            name,
        })
    }
}

impl fmt::Display for RepoSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RepoSource::Url(url) => f.write_str(url),
            RepoSource::Object {
                kind,
                namespace,
                name,
            } => {
                for part in [kind, namespace].into_iter().flatten() {
                    write!(f, "{part}/")?;
                }
                f.write_str(name)
            }
        }
    }
}

impl<'de> Deserialize<'de> for RepoSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer)
    }
}

/// Reads one source, or a list of them.
pub(crate) fn one_or_many<'de, D>(deserializer: D) -> Result<Vec<Spanned<RepoSource>>, D::Error>
where
    D: Deserializer<'de>,
{
    struct Either;

    impl<'de> Visitor<'de> for Either {
        type Value = Vec<Spanned<RepoSource>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a source, or a list of sources")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
            let mut sources = Vec::new();
            while let Some(source) = items.next_element()? {
                sources.push(source);
            }
            Ok(sources)
        }

        fn visit_some<D: Deserializer<'de>>(self, one: D) -> Result<Self::Value, D::Error> {
            Ok(vec![Spanned::deserialize(one)?])
        }
    }

    deserializer.deserialize_tuple_struct(ONE_OR_MANY, 0, Either)
}

/// The schema of [`one_or_many`].
pub(crate) fn one_or_many_schema(generator: &mut SchemaGenerator) -> Schema {
    let one = generator.subschema_for::<RepoSource>();
    json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
}

impl JsonSchema for RepoSource {
    fn schema_name() -> Cow<'static, str> {
        "RepoSource".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A source: `name`, `namespace/name`, `Kind/namespace/name`, or its URL.",
            "type": "string",
            "minLength": 1
        })
    }
}
