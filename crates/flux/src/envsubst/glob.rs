//! Patterns of `#`, `##`, `%` and `%%`.
//!
//! `*` is any text, slashes included, `?` one character, `[a-z]` and `[^a-z]`
//! one of a class, `\` takes what follows literally. A fault in a pattern is
//! noticed only when matching gets to it, which decides whether a value stays
//! whole; so a pattern is not compiled but read while matching.

use super::ops::{Failure, Work};

/// A pattern that cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// A fault in the pattern.
    BadPattern,
    /// Too much work.
    TooMuch,
}

impl From<Failure> for Stop {
    fn from(_: Failure) -> Self {
        Stop::TooMuch
    }
}

/// Whether the pattern matches the whole name.
pub(super) fn matches(mut pattern: &[u8], name: &[u8], work: &mut Work) -> Result<bool, Stop> {
    let mut name = name;
    while !pattern.is_empty() {
        let (star, chunk, after) = next_chunk(pattern);
        pattern = after;
        let last = pattern.is_empty();
        if star && chunk.is_empty() {
            return Ok(true);
        }
        // Without a star only the first place counts. The last chunk has to
        // reach the end.
        let places = if star { name.len() } else { 0 };
        let mut found = None;
        for place in 0..=places {
            work.spend(1 + chunk.len())?;
            let here = name.get(place..).unwrap_or_default();
            if let Some(rest) = match_chunk(chunk, here)?
                && (!last || rest.is_empty())
            {
                found = Some(rest);
                break;
            }
        }
        match found {
            Some(rest) => name = rest,
            None => return Ok(false),
        }
    }
    Ok(name.is_empty())
}

/// Splits off leading stars and what follows them up to the next star.
fn next_chunk(pattern: &[u8]) -> (bool, &[u8], &[u8]) {
    let stars = pattern.iter().take_while(|byte| **byte == b'*').count();
    let pattern = pattern.get(stars..).unwrap_or_default();
    let mut in_class = false;
    let mut at = 0;
    while let Some(byte) = pattern.get(at) {
        match byte {
            b'\\' if at + 1 < pattern.len() => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'*' if !in_class => break,
            _ => {}
        }
        at += 1;
    }
    let (chunk, rest) = pattern.split_at(at.min(pattern.len()));
    (stars > 0, chunk, rest)
}

/// What is left of `name` behind a chunk that stands at its start.
fn match_chunk<'n>(mut chunk: &[u8], mut name: &'n [u8]) -> Result<Option<&'n [u8]>, Stop> {
    while let Some((first, rest)) = chunk.split_first() {
        let Some(have) = name.first() else {
            return Ok(None);
        };
        match first {
            b'[' => {
                let (c, width) = decode(name);
                let (inside, after) = match_class(rest, c)?;
                if !inside {
                    return Ok(None);
                }
                chunk = after;
                name = name.get(width..).unwrap_or_default();
                continue;
            }
            b'?' => {
                chunk = rest;
                name = name.get(decode(name).1..).unwrap_or_default();
                continue;
            }
            b'\\' => chunk = rest,
            _ => {}
        }
        let Some((wanted, rest)) = chunk.split_first() else {
            return Err(Stop::BadPattern);
        };
        if wanted != have {
            return Ok(None);
        }
        chunk = rest;
        name = name.get(1..).unwrap_or_default();
    }
    Ok(Some(name))
}

/// Whether the class that starts here has `c`, and what follows the class.
fn match_class(mut class: &[u8], c: u32) -> Result<(bool, &[u8]), Stop> {
    let negated = class.first() == Some(&b'^');
    if negated {
        class = class.get(1..).unwrap_or_default();
    }
    let mut inside = false;
    let mut first = true;
    loop {
        if class.first() == Some(&b']') && !first {
            return Ok((inside != negated, class.get(1..).unwrap_or_default()));
        }
        let (low, after) = class_char(class)?;
        class = after;
        let mut high = low;
        if let Some((b'-', after)) = class.split_first() {
            (high, class) = class_char(after)?;
        }
        inside |= low <= c && c <= high;
        first = false;
    }
}

/// A character of a class. It cannot be the last of a pattern.
fn class_char(class: &[u8]) -> Result<(u32, &[u8]), Stop> {
    let class = match class.split_first() {
        None | Some((b'-' | b']', _)) => return Err(Stop::BadPattern),
        Some((b'\\', rest)) => rest,
        Some(_) => class,
    };
    let (c, width) = decode(class);
    let after = class.get(width..).unwrap_or_default();
    if after.is_empty() || (c == u32::from(char::REPLACEMENT_CHARACTER) && width == 1) {
        return Err(Stop::BadPattern);
    }
    Ok((c, after))
}

/// The first character and its width; a byte that starts none counts as the
/// replacement character.
fn decode(bytes: &[u8]) -> (u32, usize) {
    let first = bytes
        .utf8_chunks()
        .next()
        .and_then(|chunk| chunk.valid().chars().next());
    match first {
        Some(c) => (u32::from(c), c.len_utf8()),
        None => (u32::from(char::REPLACEMENT_CHARACTER), 1),
    }
}
