//! Strings.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gotmpl::fmt::sprintf;
use gotmpl::strconv::{parse_int, quote};
use gotmpl::value::types::{STRING_MAP, STRING_SLICE};
use gotmpl::value::{List, Map, Str, Type};
use gotmpl::{Failure, Functions, Value};

use super::{ANY, TEXT, elements, made, text, text_of};

pub(super) fn add(all: &mut Functions) {
    plain(all);
    quoting(all);
    cutting(all);
    splitting(all);
    encoding(all);
}

fn replace_bytes(text: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    if old.is_empty() {
        let text = String::from_utf8_lossy(text);
        let old = String::from_utf8_lossy(new);
        return text.replace("", &old).into_bytes();
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = find(rest, old) {
        out.extend_from_slice(rest.get(..at).unwrap_or_default());
        out.extend_from_slice(new);
        rest = rest.get(at + old.len()..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    if part.is_empty() {
        return Some(0);
    }
    text.windows(part.len()).position(|window| window == part)
}

fn plain(all: &mut Functions) {
    text_of(all, "hello", &[], |_| "Hello!".to_owned());
    text_of(all, "trim", &[TEXT], |args| args.text(0).trim().to_owned());
    for name in ["trimAll", "trimall"] {
        text_of(all, name, &[TEXT, TEXT], |args| {
            let cut = args.text(0).into_owned();
            args.text(1).trim_matches(|c| cut.contains(c)).to_owned()
        });
    }
    text_of(all, "trimSuffix", &[TEXT, TEXT], |args| {
        let text = args.text(1);
        text.strip_suffix(&*args.text(0))
            .unwrap_or(&text)
            .to_owned()
    });
    text_of(all, "trimPrefix", &[TEXT, TEXT], |args| {
        let text = args.text(1);
        text.strip_prefix(&*args.text(0))
            .unwrap_or(&text)
            .to_owned()
    });
    all.add("contains", &[TEXT, TEXT], |_, args| {
        Ok(Value::Bool(find(args.bytes(1), args.bytes(0)).is_some()))
    });
    all.add("hasPrefix", &[TEXT, TEXT], |_, args| {
        Ok(Value::Bool(args.bytes(1).starts_with(args.bytes(0))))
    });
    all.add("hasSuffix", &[TEXT, TEXT], |_, args| {
        Ok(Value::Bool(args.bytes(1).ends_with(args.bytes(0))))
    });
    all.add("replace", &[TEXT, TEXT, TEXT], |cx, args| {
        made(
            cx,
            replace_bytes(args.bytes(2), args.bytes(0), args.bytes(1)),
        )
    });
    all.add("repeat", &[Type::INT, TEXT], |cx, args| {
        let count = usize::try_from(args.int(0)).map_err(|_| "strings: negative Repeat count")?;
        cx.charge(count.saturating_mul(args.bytes(1).len()))?;
        Ok(Value::string(args.bytes(1).repeat(count)))
    });
    all.add("plural", &[TEXT, TEXT, Type::INT], |_, args| {
        let at = usize::from(args.int(2) != 1);
        Ok(Value::String(args.string(at)))
    });
    all.add("atoi", &[TEXT], |_, args| {
        Ok(Value::int(parse_int(args.bytes(0), 10).unwrap_or_default()))
    });
    all.add("toString", &[ANY], |cx, args| made(cx, text(args.get(0))));
    all.add("toStrings", &[ANY], |_, args| {
        Ok(Value::List(texts(args.get(0))))
    });
}

fn quoting(all: &mut Functions) {
    all.add_variadic("quote", &[ANY], |cx, args| {
        let shown = args
            .all()
            .iter()
            .filter(|value| !matches!(value, Value::Nil));
        let shown: Vec<String> = shown.map(|value| quote(&text(value))).collect();
        made(cx, shown.join(" "))
    });
    all.add_variadic("squote", &[ANY], |cx, args| {
        let mut out = Vec::new();
        for value in args
            .all()
            .iter()
            .filter(|value| !matches!(value, Value::Nil))
        {
            if !out.is_empty() {
                out.push(b' ');
            }
            out.extend(sprintf(b"'%v'", std::slice::from_ref(value)));
        }
        made(cx, out)
    });
    all.add_variadic("cat", &[ANY], |cx, args| {
        let kept = args
            .all()
            .iter()
            .filter(|value| !matches!(value, Value::Nil));
        let kept: Vec<Value> = kept.cloned().collect();
        let format = vec!["%v"; kept.len()].join(" ");
        made(cx, sprintf(format.as_bytes(), &kept))
    });
    for (name, prefix) in [("indent", ""), ("nindent", "\n")] {
        all.add(name, &[Type::INT, TEXT], move |cx, args| {
            let count =
                usize::try_from(args.int(0)).map_err(|_| "strings: negative Repeat count")?;
            let text = args.bytes(1);
            let lines = text.iter().filter(|byte| **byte == b'\n').count() + 1;
            cx.charge(text.len().saturating_add(lines.saturating_mul(count)))?;
            let pad = vec![b' '; count];
            let mut out = prefix.as_bytes().to_vec();
            for (at, line) in text.split(|byte| *byte == b'\n').enumerate() {
                if at > 0 {
                    out.push(b'\n');
                }
                out.extend_from_slice(&pad);
                out.extend_from_slice(line);
            }
            Ok(Value::string(out))
        });
    }
}

/// Go panics where bounds do not fit.
fn part(text: &[u8], from: i64, to: i64) -> Result<Str, Failure> {
    let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
    let part = range.and_then(|(from, to)| text.get(from..to));
    match part {
        Some(part) => Ok(Str::from(part)),
        None if to < 0 || to > text.len() as i64 => {
            let len = text.len();
            Err(
                format!("runtime error: slice bounds out of range [:{to}] with length {len}")
                    .into(),
            )
        }
        None => Err(format!("runtime error: slice bounds out of range [{from}:{to}]").into()),
    }
}

fn cutting(all: &mut Functions) {
    all.add("trunc", &[Type::INT, TEXT], |_, args| {
        let (count, text) = (args.int(0), args.bytes(1));
        let len = text.len() as i64;
        let range = match count {
            _ if count < 0 && len + count > 0 => (len + count, len),
            _ if count >= 0 && len > count => (0, count),
            _ => (0, len),
        };
        Ok(Value::String(part(text, range.0, range.1)?))
    });
    all.add("substr", &[Type::INT, Type::INT, TEXT], |_, args| {
        let (start, end, text) = (args.int(0), args.int(1), args.bytes(2));
        let len = text.len() as i64;
        let (from, to) = match (start, end) {
            (start, end) if start < 0 => (0, end),
            (start, end) if end < 0 || end > len => (start, len),
            bounds => bounds,
        };
        Ok(Value::String(part(text, from, to)?))
    });
    all.add("abbrev", &[Type::INT, TEXT], |_, args| {
        Ok(Value::string(abbreviate(args.bytes(1), 0, args.int(0))))
    });
    all.add("abbrevboth", &[Type::INT, Type::INT, TEXT], |_, args| {
        let (left, right) = (args.int(0), args.int(1));
        let plain = right < 4 || left > 0 && right < 7;
        Ok(match plain {
            true => Value::String(args.string(2)),
            false => Value::string(abbreviate(args.bytes(2), left, right)),
        })
    });
    for (name, long) in [("wrap", false), ("wrapWith", true)] {
        let params: &[Type] = if long {
            &[Type::INT, TEXT, TEXT]
        } else {
            &[Type::INT, TEXT]
        };
        all.add(name, params, move |cx, args| {
            let (text, mark): (&[u8], &[u8]) = match long {
                true => (args.bytes(2), args.bytes(1)),
                false => (args.bytes(1), b""),
            };
            let mark = if mark.is_empty() { b"\n" } else { mark };
            cx.charge(text.len().saturating_mul(mark.len() + 1))?;
            Ok(Value::string(wrap(text, args.int(0), mark, long)))
        });
    }
}

/// A text of at most `width` bytes, `...` in place of what is left out.
fn abbreviate(text: &[u8], offset: i64, width: i64) -> Vec<u8> {
    let len = text.len() as i64;
    if width < 4 || len <= width {
        return text.to_vec();
    }
    let slice = |from: i64, to: i64| {
        let range = usize::try_from(from).unwrap_or(0)..usize::try_from(to).unwrap_or(0);
        text.get(range).unwrap_or_default()
    };
    let offset = offset.min(len).min(len - (width - 3)).max(offset.min(0));
    let offset = if len - offset < width - 3 {
        len - (width - 3)
    } else {
        offset
    };
    if offset <= 4 {
        return [slice(0, width - 3), b"..."].concat();
    }
    if width < 7 {
        return Vec::new();
    }
    if offset + width - 3 < len {
        let rest = abbreviate(slice(offset, len), 0, width - 3);
        return [b"...".to_vec(), rest].concat();
    }
    [b"...", slice(len - (width - 3), len)].concat()
}

/// A text in lines of at most `width` bytes; words that are longer are broken
/// if `long` says so.
fn wrap(text: &[u8], width: i64, mark: &[u8], long: bool) -> Vec<u8> {
    let width = usize::try_from(width.max(1)).unwrap_or(usize::MAX);
    let mut out = Vec::with_capacity(text.len() + 16);
    let mut rest = text;
    while rest.len() > width {
        if let Some(behind) = rest.strip_prefix(b" ") {
            rest = behind;
            continue;
        }
        let (line, skip) = match rest
            .get(..=width)
            .and_then(|line| line.iter().rposition(|b| *b == b' '))
        {
            Some(space) => (space, 1),
            None if long => (width, 0),
            None => {
                let behind = rest.get(width..).unwrap_or_default();
                match behind.iter().position(|byte| *byte == b' ') {
                    Some(space) => (width + space, 1),
                    None => {
                        out.extend_from_slice(rest);
                        return out;
                    }
                }
            }
        };
        out.extend_from_slice(rest.get(..line).unwrap_or_default());
        out.extend_from_slice(mark);
        rest = rest.get(line + skip..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}

/// A value as a slice of strings: its elements, or itself.
pub(super) fn texts(value: &Value) -> List {
    let items = match (elements(value), value) {
        (Some(items), _) => items,
        (None, Value::Nil) => Vec::new(),
        (None, value) => vec![value.clone()],
    };
    let kept = items.iter().filter(|item| !matches!(item, Value::Nil));
    List::new(
        &STRING_SLICE,
        kept.map(|item| Value::string(text(item))).collect(),
    )
}

/// The parts of a text, at most `most` if that is positive.
fn parts<'t>(text: &'t [u8], separator: &[u8], most: i64) -> Vec<&'t [u8]> {
    if most == 0 {
        return Vec::new();
    }
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut parts = Vec::new();
    let mut rest = text;
    if separator.is_empty() {
        while !rest.is_empty() && parts.len() + 1 < most {
            let rune = (1..rest.len()).find(|at| !matches!(rest.get(*at), Some(0x80..=0xbf)));
            let (first, behind) = rest.split_at(rune.unwrap_or(rest.len()));
            parts.push(first);
            rest = behind;
        }
        if !rest.is_empty() {
            parts.push(rest);
        }
        return parts;
    }
    while parts.len() + 1 < most {
        let Some(at) = find(rest, separator) else {
            break;
        };
        parts.push(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + separator.len()..).unwrap_or_default();
    }
    parts.push(rest);
    parts
}

fn numbered(parts: &[&[u8]]) -> Value {
    let entry = |(at, part): (usize, &&[u8])| (Str::from(format!("_{at}")), Value::string(*part));
    let entries: BTreeMap<Str, Value> = parts.iter().enumerate().map(entry).collect();
    Value::Map(Map::with(&STRING_MAP, entries))
}

fn splitting(all: &mut Functions) {
    all.add("split", &[TEXT, TEXT], |_, args| {
        Ok(numbered(&parts(args.bytes(1), args.bytes(0), -1)))
    });
    all.add("splitn", &[TEXT, Type::INT, TEXT], |_, args| {
        Ok(numbered(&parts(args.bytes(2), args.bytes(0), args.int(1))))
    });
    all.add("splitList", &[TEXT, TEXT], |_, args| {
        let parts = parts(args.bytes(1), args.bytes(0), -1);
        Ok(parts.into_iter().map(Str::from).collect::<List>().into())
    });
    all.add("join", &[TEXT, ANY], |cx, args| {
        let texts = texts(args.get(1));
        let mut out = Vec::new();
        for (at, item) in texts.items().iter().enumerate() {
            if at > 0 {
                out.extend_from_slice(args.bytes(0));
            }
            out.extend(text(item));
        }
        made(cx, out)
    });
}

const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

fn encode32(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(5) {
        let mut group = [0u8; 8];
        for (at, byte) in chunk.iter().enumerate() {
            group[at + 3] = *byte;
        }
        let bits = u64::from_be_bytes(group);
        let digits = (chunk.len() * 8).div_ceil(5);
        for at in 0..8 {
            let digit = usize::try_from(bits >> (35 - at * 5) & 31).unwrap_or_default();
            let digit = BASE32.get(digit).copied().unwrap_or_default();
            out.push(if at < digits { char::from(digit) } else { '=' });
        }
    }
    out
}

fn decode32(text: &[u8]) -> Result<Vec<u8>, usize> {
    let text: Vec<u8> = text
        .iter()
        .copied()
        .filter(|byte| !matches!(byte, b'\r' | b'\n'))
        .collect();
    let mut out = Vec::new();
    for (group, chunk) in text.chunks(8).enumerate() {
        let given = chunk.iter().take_while(|byte| **byte != b'=').count();
        if chunk.len() < 8 || !matches!(given, 2 | 4 | 5 | 7 | 8) {
            return Err(group * 8 + given);
        }
        let mut bits = 0u64;
        for (at, byte) in chunk.iter().enumerate() {
            let digit = match at < given {
                true => BASE32
                    .iter()
                    .position(|digit| digit == byte)
                    .ok_or(group * 8 + at)?,
                false => 0,
            };
            bits = bits << 5 | digit as u64;
        }
        let bytes = bits.to_be_bytes();
        out.extend_from_slice(bytes.get(3..3 + given * 5 / 8).unwrap_or_default());
    }
    Ok(out)
}

/// What is wrong with a base64 text: Go names the byte.
fn wrong_64(text: &[u8]) -> String {
    let alphabet = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let digits = text.iter().take_while(|byte| alphabet(byte)).count();
    let at = match digits == text.len() {
        true => text.len() / 4 * 4,
        false => digits,
    };
    format!("illegal base64 data at input byte {at}")
}

fn encoding(all: &mut Functions) {
    text_of(all, "b64enc", &[TEXT], |args| {
        STANDARD.encode(args.bytes(0))
    });
    all.add("b64dec", &[TEXT], |_, args| {
        let text: Vec<u8> = args
            .bytes(0)
            .iter()
            .copied()
            .filter(|byte| !matches!(byte, b'\r' | b'\n'))
            .collect();
        Ok(match STANDARD.decode(&text) {
            Ok(bytes) => Value::string(bytes),
            Err(_) => Value::from(wrong_64(&text)),
        })
    });
    text_of(all, "b32enc", &[TEXT], |args| encode32(args.bytes(0)));
    all.add("b32dec", &[TEXT], |_, args| {
        Ok(match decode32(args.bytes(0)) {
            Ok(bytes) => Value::string(bytes),
            Err(at) => Value::from(format!("illegal base32 data at input byte {at}")),
        })
    });
}
