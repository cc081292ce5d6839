//! A value together with the place it is written at.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor};
use yaml::{FileId, Span};

/// The name [`crate::decode`] answers with (file, start, end, value).
pub(crate) const SPANNED: &str = "$fluxlint::Spanned";

/// A value and where it is written. Reads as the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it is written; [`Span::NONE`] when a program made it.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// A value that no file holds.
    pub fn made(value: T) -> Self {
        Spanned {
            value,
            span: Span::NONE,
        }
    }
}

impl<T> Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: JsonSchema> JsonSchema for Spanned<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Parts<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Parts<T> {
            type Value = Spanned<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value with its place")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
                let short = || serde::de::Error::custom("a value without its place");
                let file = parts.next_element()?.ok_or_else(short)?;
                let start = parts.next_element()?.ok_or_else(short)?;
                let end = parts.next_element()?.ok_or_else(short)?;
                let value = parts.next_element()?.ok_or_else(short)?;
                Ok(Spanned {
                    value,
                    span: Span {
                        file: FileId(file),
                        start,
                        end,
                    },
                })
            }
        }

        deserializer.deserialize_tuple_struct(SPANNED, 4, Parts(PhantomData))
    }
}
