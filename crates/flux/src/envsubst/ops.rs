//! What operators do to a value. Values are bytes: a slice may cut a character.

use super::glob;

/// Why an operator gives nothing.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Go's message.
    Panic(String),
    /// Too much work.
    TooMuch,
}

/// How much a single expansion may still do. Patterns take time that grows
/// with the square of a value, so somebody could make it take for ever.
pub(super) struct Work(u64);

impl Default for Work {
    fn default() -> Self {
        Work(5_000_000)
    }
}

impl Work {
    pub(super) fn spend(&mut self, steps: usize) -> Result<(), Failure> {
        match self.0.checked_sub(steps as u64) {
            Some(left) => {
                self.0 = left;
                Ok(())
            }
            None => Err(Failure::TooMuch),
        }
    }
}

/// Whether the operator gives a value to a variable that has none.
pub(super) fn has_default(operator: &str) -> bool {
    matches!(operator, "=" | ":=" | ":-" | ":?" | ":+")
}

/// The value of an expression.
pub(super) fn apply(
    operator: &str,
    value: &str,
    arguments: &[&[u8]],
    work: &mut Work,
) -> Result<Vec<u8>, Failure> {
    let bytes = value.as_bytes();
    let first = arguments.first().copied().unwrap_or_default();
    Ok(match operator {
        "#" if arguments.is_empty() => value.len().to_string().into_bytes(),
        "," => first_char(value, lower),
        ",," => value.chars().map(lower).collect::<String>().into_bytes(),
        "^" => first_char(value, upper),
        "^^" => value.chars().map(upper).collect::<String>().into_bytes(),
        ":" => slice(value, arguments)?,
        "#" => trim(bytes, first, Pick::Shortest, work)?,
        "##" => trim(bytes, first, Pick::Longest, work)?,
        "%" => trim_end(value, first, Pick::Shortest, work)?,
        "%%" => trim_end(value, first, Pick::Longest, work)?,
        "/" | "//" | "/#" | "/%" => replace(operator, bytes, arguments, work)?,
        // The plain value, and whatever has a default: nothing is assigned,
        // and `:+` and `:?` are no different.
        _ if value.is_empty() => arguments.concat(),
        _ => bytes.to_vec(),
    })
}

fn first_char(value: &str, map: fn(char) -> char) -> Vec<u8> {
    let mut chars = value.chars();
    let mut result = String::with_capacity(value.len());
    result.extend(chars.next().map(map));
    result.push_str(chars.as_str());
    result.into_bytes()
}

/// The one upper-case character of a character.
fn upper(c: char) -> char {
    let mut full = c.to_uppercase();
    match (full.next(), full.next()) {
        (Some(one), None) => one,
        // Upper case takes more than one character, but the Greek letters with
        // an iota below have a single form as well.
        _ => match u32::from(c) {
            n @ (0x1F80..=0x1F87 | 0x1F90..=0x1F97 | 0x1FA0..=0x1FA7) => plus(n, 8, c),
            n @ (0x1FB3 | 0x1FC3 | 0x1FF3) => plus(n, 9, c),
            _ => c,
        },
    }
}

fn plus(code: u32, distance: u32, otherwise: char) -> char {
    char::from_u32(code + distance).unwrap_or(otherwise)
}

/// The one lower-case character of a character.
fn lower(c: char) -> char {
    // The only one whose lower case starts with a plain letter and goes on is
    // the dotted capital I.
    c.to_lowercase().next().unwrap_or(c)
}

fn slice(value: &str, arguments: &[&[u8]]) -> Result<Vec<u8>, Failure> {
    let bytes = value.as_bytes();
    let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
    let mut numbers = arguments.iter().map(|text| integer(text));
    // What is no number leaves the value whole.
    let Some(Some(position)) = numbers.next() else {
        return Ok(bytes.to_vec());
    };
    let position = if position < 0 {
        size.saturating_add(position).max(0)
    } else {
        position
    };
    let tail = || bytes.get(usize::try_from(position).unwrap_or(usize::MAX)..);
    let length = match numbers.next() {
        None => return Ok(tail().unwrap_or_default().to_vec()),
        Some(None) => return Ok(bytes.to_vec()),
        Some(Some(length)) => length,
    };
    let end = position.wrapping_add(length);
    if end >= size {
        return Ok(tail().unwrap_or_default().to_vec());
    }
    let range = usize::try_from(position)
        .ok()
        .zip(usize::try_from(end).ok());
    match range.and_then(|(from, to)| bytes.get(from..to)) {
        Some(part) => Ok(part.to_vec()),
        None if end < 0 => Err(out_of_range(&format!(":{end}"))),
        None => Err(out_of_range(&format!("{position}:{end}"))),
    }
}

fn out_of_range(bounds: &str) -> Failure {
    Failure::Panic(format!(
        "runtime error: slice bounds out of range [{bounds}]"
    ))
}

/// A decimal integer with an optional sign.
fn integer(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn replace(
    operator: &str,
    value: &[u8],
    arguments: &[&[u8]],
    work: &mut Work,
) -> Result<Vec<u8>, Failure> {
    let old = arguments.first().copied().unwrap_or_default();
    let new = arguments.get(1).copied();
    Ok(match (operator, new) {
        // An empty replacement is no argument, and these two want both.
        ("/#" | "/%", None) => value.to_vec(),
        ("/#", Some(new)) => match value.strip_prefix(old) {
            Some(rest) => [new, rest].concat(),
            None => value.to_vec(),
        },
        ("/%", Some(new)) => match value.strip_suffix(old) {
            Some(rest) => [rest, new].concat(),
            None => value.to_vec(),
        },
        _ => {
            let most = if operator == "/" { 1 } else { usize::MAX };
            replace_up_to(value, old, new.unwrap_or_default(), most, work)?
        }
    })
}

/// Replaces up to `most` occurrences from the left. The empty text occurs
/// before every character and at the end.
fn replace_up_to(
    value: &[u8],
    old: &[u8],
    new: &[u8],
    most: usize,
    work: &mut Work,
) -> Result<Vec<u8>, Failure> {
    let mut result = Vec::with_capacity(value.len());
    let mut rest = value;
    for _ in 0..most {
        work.spend(1 + new.len())?;
        if old.is_empty() {
            result.extend_from_slice(new);
            let Some(chunk) = rest.utf8_chunks().next() else {
                return Ok(result);
            };
            let width = chunk.valid().chars().next().map_or(1, char::len_utf8);
            let (head, tail) = rest.split_at(width.min(rest.len()));
            result.extend_from_slice(head);
            rest = tail;
        } else {
            let Some(at) = memchr::memmem::find(rest, old) else {
                break;
            };
            result.extend_from_slice(rest.get(..at).unwrap_or_default());
            result.extend_from_slice(new);
            rest = rest.get(at + old.len()..).unwrap_or_default();
        }
    }
    result.extend_from_slice(rest);
    Ok(result)
}

#[derive(Clone, Copy)]
enum Pick {
    Shortest,
    Longest,
}

/// Cuts off the shortest or longest prefix that matches, if it is not empty.
/// A faulty pattern leaves the value whole.
fn trim(value: &[u8], pattern: &[u8], pick: Pick, work: &mut Work) -> Result<Vec<u8>, Failure> {
    let mut cut = 0;
    // From the longest down, even for the shortest: a fault in the pattern may
    // show on the way.
    for length in (1..=value.len()).rev() {
        let prefix = value.get(..length).unwrap_or_default();
        match glob::matches(pattern, prefix, work) {
            Ok(true) => {
                cut = length;
                if matches!(pick, Pick::Longest) {
                    break;
                }
            }
            Ok(false) => {}
            Err(glob::Stop::BadPattern) => {
                cut = 0;
                break;
            }
            Err(glob::Stop::TooMuch) => return Err(Failure::TooMuch),
        }
    }
    Ok(value.get(cut..).unwrap_or_default().to_vec())
}

/// A suffix is a prefix read backwards, pattern included.
fn trim_end(value: &str, pattern: &[u8], pick: Pick, work: &mut Work) -> Result<Vec<u8>, Failure> {
    let backwards = reversed(value);
    let pattern = reversed(&String::from_utf8_lossy(pattern));
    let rest = trim(backwards.as_bytes(), pattern.as_bytes(), pick, work)?;
    Ok(reversed(&String::from_utf8_lossy(&rest)).into_bytes())
}

fn reversed(text: &str) -> String {
    text.chars().rev().collect()
}
