//! What texts without quotes mean, for those who write scalars.

use super::number;
use super::resolve::{Resolved, resolve};
use crate::read::Dialect;
use crate::read::tag::implicit;
use crate::{Style, Tag};

/// The type kyaml's reader gives a scalar that has neither tag nor quotes.
pub fn plain_tag(text: &str) -> Tag {
    implicit(text, Style::Plain)
}

/// Whether a YAML 1.1 reader, which knows `yes` and `on`, takes a text without
/// quotes for a string. Dates are strings to it.
pub fn is_string_in_1_1(text: &str) -> bool {
    matches!(
        resolve(text, Dialect::V2, true),
        Resolved::Str | Resolved::Timestamp(_)
    )
}

/// A float as Go's YAML printers write it, `1e+06` for a million.
pub fn float_text(value: f64) -> String {
    number::format_g(value)
}
