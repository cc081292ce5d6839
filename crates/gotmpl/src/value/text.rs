//! Strings of templates: any bytes, cheap to copy.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

/// A string as Go has it: bytes that are mostly, but need not be, UTF-8.
/// Copies share the bytes.
#[derive(Clone)]
pub struct Str(Bytes);

#[derive(Clone)]
enum Bytes {
    Static(&'static [u8]),
    /// Made while a template runs.
    Local(Rc<[u8]>),
    /// Part of a parsed template, which threads share.
    Shared(Arc<[u8]>),
}

impl Str {
    /// The empty string.
    pub const EMPTY: Str = Str(Bytes::Static(b""));

    /// A string that is part of the program.
    pub const fn from_static(text: &'static str) -> Self {
        Str(Bytes::Static(text.as_bytes()))
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        match &self.0 {
            Bytes::Static(bytes) => bytes,
            Bytes::Local(bytes) => bytes,
            Bytes::Shared(bytes) => bytes,
        }
    }

    /// The text, with U+FFFD for bytes that are no UTF-8.
    pub fn text(&self) -> Cow<'_, str> {
        crate::unicode::text(self.bytes())
    }
}

impl Deref for Str {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes()
    }
}

impl Default for Str {
    fn default() -> Self {
        Str::EMPTY
    }
}

impl PartialEq for Str {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for Str {}

impl PartialOrd for Str {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Str {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.bytes().cmp(other.bytes())
    }
}

impl std::hash::Hash for Str {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.bytes().hash(state);
    }
}

impl Borrow<[u8]> for Str {
    fn borrow(&self) -> &[u8] {
        self.bytes()
    }
}

impl fmt::Debug for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text(), f)
    }
}

impl fmt::Display for Str {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl From<&str> for Str {
    fn from(text: &str) -> Self {
        Str::from(text.as_bytes())
    }
}

impl From<String> for Str {
    fn from(text: String) -> Self {
        Str::from(text.into_bytes())
    }
}

impl From<&[u8]> for Str {
    fn from(bytes: &[u8]) -> Self {
        match bytes {
            [] => Str::EMPTY,
            _ => Str(Bytes::Local(Rc::from(bytes))),
        }
    }
}

impl From<Vec<u8>> for Str {
    fn from(bytes: Vec<u8>) -> Self {
        Str::from(bytes.as_slice())
    }
}

impl From<Arc<[u8]>> for Str {
    fn from(bytes: Arc<[u8]>) -> Self {
        Str(Bytes::Shared(bytes))
    }
}
