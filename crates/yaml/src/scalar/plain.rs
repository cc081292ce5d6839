//! What texts without quotes mean, for those who write scalars.

use super::number;
use super::resolve::{Resolved, resolve};
use crate::decode::{How, decode};
use crate::read::Dialect;
use crate::read::raw::RawReader;
use crate::read::tag::implicit;
use crate::write::v2::is_base60;
use crate::{ErrorKind, FileId, Limits, Style, Tag};

/// The type kyaml's reader gives a scalar that has neither tag nor quotes.
pub fn plain_tag(text: &str) -> Tag {
    implicit(text, Style::Plain)
}

/// Whether a YAML 1.1 reader, which knows `yes` and `on`, takes a text that is
/// written without quotes for a string, as kyaml asks it: the text is read as a
/// document, so `a: b` is none. Dates are strings; so is what cannot be read.
pub fn is_string_in_1_1(text: &str) -> bool {
    let simple = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'/');
    if text.bytes().all(simple) {
        return matches!(
            resolve(text, Dialect::V2, true),
            Resolved::Str | Resolved::Timestamp(_)
        );
    }
    let limits = Limits::default();
    let mut reader = RawReader::new(text, Dialect::V2, FileId::NONE, 0, &limits);
    match reader.next() {
        Err(_) => true,
        Ok(None) => false,
        Ok(Some(document)) => match decode(&document, text, Dialect::V2, How::Lenient) {
            Ok(node) => node.tag == Tag::Str,
            // Values JSON cannot hold were read all the same.
            Err(error) => error.kind != ErrorKind::Value || !error.cause.starts_with("json"),
        },
    }
}

/// A float as Go's YAML printers write it, `1e+06` for a million.
pub fn float_text(value: f64) -> String {
    number::format_g(value)
}
/// Whether a text without quotes is a string that was none in YAML 1.1: a truth
/// (`yes`) or a number of base 60 (`12:30`). go-yaml puts such strings in quotes.
pub fn was_no_string(text: &str) -> bool {
    let was_truth = || matches!(resolve(text, Dialect::V2, true), Resolved::Bool(_));
    plain_tag(text) == Tag::Str && (was_truth() || is_base60(text))
}
