//! From nodes to types: a serde deserializer that knows the place of
//! everything it hands out.

use serde::de::value::U32Deserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use yaml::{Entry, Node, Tag};

use crate::Error;
use crate::spanned::SPANNED;

/// A newtype of this name gets the text of any scalar, however YAML would type
/// it: `1.30` stays `1.30`, `off` stays `off`.
pub(crate) const TEXT: &str = "$fluxlint::Text";

/// A tuple of this name gets the items of a sequence, or itself again as the
/// only one.
pub(crate) const ONE_OR_MANY: &str = "$fluxlint::OneOrMany";

/// Hands out one node.
pub(crate) struct Decoder<'a>(pub &'a Node);

/// What a node is, for messages.
pub(crate) fn describe(node: &Node) -> String {
    let text = node.text().map_or("", |text| text.as_str());
    match node.tag {
        Tag::Null => "nothing".into(),
        Tag::Bool => format!("the boolean `{text}`"),
        Tag::Int | Tag::Float => format!("the number `{text}`"),
        _ if node.is_map() => "a mapping".into(),
        _ if node.is_seq() => "a list".into(),
        _ => format!("the text `{text}`"),
    }
}

fn mismatch(node: &Node, expected: &str) -> Error {
    Error::new(format!("expected {expected}, found {}", describe(node))).at(node.span)
}

impl<'a> Decoder<'a> {
    fn string(&self) -> Result<&'a str, Error> {
        let node = self.0;
        if let Some(text) = node.as_str() {
            return Ok(text);
        }
        let error = mismatch(node, "text");
        match node.text() {
            Some(text) if !node.is_null() => Err(error.with_help(format!(
                "put it in quotes if it is meant as text: \"{text}\""
            ))),
            _ => Err(error),
        }
    }
}

impl<'de> Deserializer<'de> for Decoder<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let node = self.0;
        let text = node.text().map_or("", |text| text.as_str());
        let result = match node.tag {
            _ if node.is_map() => visitor.visit_map(Entries::new(node, &[])),
            _ if node.is_seq() => visitor.visit_seq(Items::new(node)),
            Tag::Null => visitor.visit_unit(),
            Tag::Bool if node.as_bool().is_some() => {
                visitor.visit_bool(node.as_bool().unwrap_or_default())
            }
            Tag::Int if node.as_i64().is_some() => {
                visitor.visit_i64(node.as_i64().unwrap_or_default())
            }
            _ => visitor.visit_borrowed_str(text),
        };
        result.map_err(|error| error.at(node.span))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.as_bool() {
            Some(value) => visitor.visit_bool(value),
            None => Err(mismatch(self.0, "true or false")),
        }
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0.as_i64().map(u32::try_from) {
            Some(Ok(value)) => visitor.visit_u32(value),
            _ => Err(mismatch(self.0, "a whole number of 0 or more")),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let number = match self.0.tag {
            Tag::Int | Tag::Float => self.0.text().and_then(|text| text.parse::<f64>().ok()),
            _ => None,
        };
        match number.filter(|number| number.is_finite()) {
            Some(value) => visitor.visit_f64(value),
            None => Err(mismatch(self.0, "a number")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let text = self.string()?;
        visitor
            .visit_borrowed_str(text)
            .map_err(|error: Error| error.at(self.0.span))
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_newtype_struct(TEXT, visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if name != TEXT {
            return visitor.visit_newtype_struct(self);
        }
        match self.0.text() {
            Some(text) if !self.0.is_null() => visitor
                .visit_borrowed_str(text)
                .map_err(|error: Error| error.at(self.0.span)),
            _ => Err(mismatch(self.0, "text")),
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if name == SPANNED {
            return visitor.visit_seq(Placed {
                node: self.0,
                at: 0,
            });
        }
        if name == ONE_OR_MANY && !self.0.is_seq() {
            return visitor.visit_some(self);
        }
        self.deserialize_seq(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if !self.0.is_seq() {
            return Err(mismatch(self.0, "a list"));
        }
        visitor
            .visit_seq(Items::new(self.0))
            .map_err(|error: Error| error.at(self.0.span))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if !self.0.is_map() {
            return Err(mismatch(self.0, "a mapping"));
        }
        visitor
            .visit_map(Entries::new(self.0, &[]))
            .map_err(|error: Error| error.at(self.0.span))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if !self.0.is_map() {
            return Err(mismatch(self.0, "a mapping"));
        }
        visitor
            .visit_map(Entries::new(self.0, fields))
            .map_err(|error: Error| error.at(self.0.span))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0.text() {
            Some(text) if !self.0.is_null() => visitor
                .visit_enum(Unit(text))
                .map_err(|error: Error| error.at(self.0.span)),
            _ => Err(mismatch(self.0, &format!("one of {}", variants.join(", ")))),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 u8 u16 u64 f32 char bytes byte_buf unit unit_struct
        tuple ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Error> for Decoder<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// The items of a sequence.
struct Items<'a> {
    items: &'a [Node],
    at: usize,
}

impl<'a> Items<'a> {
    fn new(node: &'a Node) -> Self {
        Items {
            items: node.items(),
            at: 0,
        }
    }
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let Some(item) = self.items.get(self.at) else {
            return Ok(None);
        };
        let index = self.at;
        self.at += 1;
        seed.deserialize(Decoder(item))
            .map(Some)
            .map_err(|error| error.at(item.span).below(format!("[{index}]")))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len().saturating_sub(self.at))
    }
}

/// The entries of a mapping.
struct Entries<'a> {
    rest: std::slice::Iter<'a, Entry>,
    current: Option<&'a Entry>,
    /// The keys of a type: without a value they count as left out. Empty for a
    /// map of the user's own names, where a key without a value means something.
    fields: &'static [&'static str],
}

impl<'a> Entries<'a> {
    fn new(node: &'a Node, fields: &'static [&'static str]) -> Self {
        Entries {
            rest: node.entries().iter(),
            current: None,
            fields,
        }
    }
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        loop {
            let Some(entry) = self.rest.next() else {
                return Ok(None);
            };
            let name = entry.key.text().map_or("", |text| text.as_str());
            if entry.value.is_null() && self.fields.contains(&name) {
                continue;
            }
            self.current = Some(entry);
            return seed
                .deserialize(Decoder(&entry.key))
                .map(Some)
                .map_err(|error| error.at(entry.key.span));
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let Some(entry) = self.current.take() else {
            return Err(Error::new("a value without a key"));
        };
        let name = entry.key.text().map_or("?", |text| text.as_str());
        seed.deserialize(Decoder(&entry.value))
            .map_err(|error| error.at(entry.value.span).at(entry.key.span).below(name))
    }
}

/// A node taken apart for [`crate::Spanned`]: file, start, end, value.
struct Placed<'a> {
    node: &'a Node,
    at: u8,
}

impl<'de> SeqAccess<'de> for Placed<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let span = self.node.span;
        let number = |number: u32| -> U32Deserializer<Error> { number.into_deserializer() };
        self.at += 1;
        match self.at {
            1 => seed.deserialize(number(span.file.0)).map(Some),
            2 => seed.deserialize(number(span.start)).map(Some),
            3 => seed.deserialize(number(span.end)).map(Some),
            4 => seed.deserialize(Decoder(self.node)).map(Some),
            _ => Ok(None),
        }
    }
}

/// The variant of an enum of plain names.
struct Unit<'a>(&'a str);

impl<'de> EnumAccess<'de> for Unit<'de> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let name: serde::de::value::BorrowedStrDeserializer<'de, Error> =
            serde::de::value::BorrowedStrDeserializer::new(self.0);
        Ok((seed.deserialize(name)?, self))
    }
}

impl<'de> VariantAccess<'de> for Unit<'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _seed: T) -> Result<T::Value, Error> {
        Err(Error::new("expected a plain name"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, _visitor: V) -> Result<V::Value, Error> {
        Err(Error::new("expected a plain name"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Error> {
        Err(Error::new("expected a plain name"))
    }
}
