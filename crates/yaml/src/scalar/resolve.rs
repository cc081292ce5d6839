//! What a scalar without tag and quotes means.

use std::borrow::Cow;

use super::number::{has_float_form, parse_float, parse_int, parse_uint};
use super::timestamp::Timestamp;
use crate::Tag;
use crate::read::Dialect;

/// A resolved scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Resolved {
    Null,
    Bool(bool),
    Int(i64),
    /// Beyond the range of a signed integer.
    Uint(u64),
    Float(f64),
    Timestamp(Timestamp),
    Str,
}

impl Resolved {
    pub(crate) fn tag(&self) -> Tag {
        match self {
            Resolved::Null => Tag::Null,
            Resolved::Bool(_) => Tag::Bool,
            Resolved::Int(_) | Resolved::Uint(_) => Tag::Int,
            Resolved::Float(_) => Tag::Float,
            Resolved::Timestamp(_) => Tag::Timestamp,
            Resolved::Str => Tag::Str,
        }
    }
}

/// Resolves a plain scalar. `timestamps` is off where a tag other than
/// `!!timestamp` was given.
pub(crate) fn resolve(text: &str, dialect: Dialect, timestamps: bool) -> Resolved {
    let Some(first) = text.as_bytes().first() else {
        return Resolved::Null;
    };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => {
            word(text, dialect)
        }
        b'.' => match word(text, dialect) {
            Resolved::Str => point(text),
            other => other,
        },
        b'0'..=b'9' | b'+' | b'-' => match word(text, dialect) {
            Resolved::Str => number(text, dialect, timestamps),
            other => other,
        },
        _ => Resolved::Str,
    }
}

fn old_bool(text: &str) -> Option<bool> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

fn word(text: &str, dialect: Dialect) -> Resolved {
    if text.len() > 5 {
        return Resolved::Str;
    }
    match text {
        "true" | "True" | "TRUE" => Resolved::Bool(true),
        "false" | "False" | "FALSE" => Resolved::Bool(false),
        "~" | "null" | "Null" | "NULL" => Resolved::Null,
        ".nan" | ".NaN" | ".NAN" => Resolved::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Resolved::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Resolved::Float(f64::NEG_INFINITY),
        _ if dialect == Dialect::V2 => old_bool(text).map_or(Resolved::Str, Resolved::Bool),
        _ => Resolved::Str,
    }
}

fn point(text: &str) -> Resolved {
    let plain = match text.contains('_') {
        false => Cow::Borrowed(text),
        true if separates_digits(text) => Cow::Owned(text.replace('_', "")),
        true => return Resolved::Str,
    };
    match has_float_form(&plain)
        .then(|| parse_float(&plain))
        .flatten()
    {
        Some(value) => Resolved::Float(value),
        None => Resolved::Str,
    }
}

/// Whether every underscore stands between two digits, where Go's own floats
/// may have one.
fn separates_digits(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_digit)
    };
    let mut underscores = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'_');
    underscores.all(|(at, _)| digit(at.checked_sub(1)) && digit(Some(at + 1)))
}

fn number(text: &str, dialect: Dialect, timestamps: bool) -> Resolved {
    if timestamps
        && text.as_bytes().get(4) == Some(&b'-')
        && let Some(timestamp) = Timestamp::parse(text)
    {
        return Resolved::Timestamp(timestamp);
    }
    let plain = if text.contains('_') {
        Cow::Owned(text.replace('_', ""))
    } else {
        Cow::Borrowed(text)
    };
    if let Ok(value) = parse_int(&plain, 0) {
        return Resolved::Int(value);
    }
    if let Ok(value) = parse_uint(&plain, 0) {
        return Resolved::Uint(value);
    }
    if has_float_form(&plain)
        && let Some(value) = parse_float(&plain)
    {
        return Resolved::Float(value);
    }
    prefixed(&plain, "0b", 2)
        .or_else(|| {
            (dialect == Dialect::V3)
                .then(|| prefixed(&plain, "0o", 8))
                .flatten()
        })
        .unwrap_or(Resolved::Str)
}

/// A sign behind the prefix, `0b-1`, which both readers take.
fn prefixed(plain: &str, prefix: &str, radix: u32) -> Option<Resolved> {
    if let Some(digits) = plain.strip_prefix(prefix) {
        return match parse_int(digits, radix) {
            Ok(value) => Some(Resolved::Int(value)),
            Err(_) => parse_uint(digits, radix).ok().map(Resolved::Uint),
        };
    }
    let digits = plain.strip_prefix('-')?.strip_prefix(prefix)?;
    parse_int(&format!("-{digits}"), radix)
        .ok()
        .map(Resolved::Int)
}
