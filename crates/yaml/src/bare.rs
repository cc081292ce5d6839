//! The short way to a document that is nothing but maps, lists and scalars: no
//! anchors, aliases, tags and merges. Most are. What is not, and what is refused,
//! goes the long way, which knows every case and has upstream's words.

use memchr::{memchr2, memmem};

use crate::decode::canonical_scalar;
use crate::read::{Dialect, Grammar, input::stop, tree::TreeSink};
use crate::scalar::resolve::{Resolved, resolve};
use crate::stack::SHALLOW;
use crate::{Entry, FileId, Limits, Mapping, Node, Style, Tag, Text, Value};

/// What sigs.k8s.io/yaml makes of a text's first document; `None` where the
/// long way has to tell.
pub(crate) fn first_document(text: &str, file: FileId, limits: &Limits) -> Option<Node> {
    match read(text, Dialect::V2, file, limits)? {
        None => Some(Node::null()),
        Some(mut node) => {
            settle(&mut node, 0)?;
            Some(node)
        }
    }
}

/// What [`crate::parse`] gives for a text of one document, if
/// [`crate::sigs_to_json`] is certain to take the text as well, and to find the
/// same below the same keys: numbers, truths and words like `yes` apart, for which
/// ask [`is_text_to_both`]. `None` where that is not certain.
pub fn alike(text: &str, file: FileId) -> Option<Vec<Node>> {
    let bytes = text.as_bytes();
    // Tabs before comments, and returns, are not the same to both readers; other
    // documents and what is said of them are read by one of them only.
    let begins = ["---", "...", "%", "\u{FEFF}"];
    if memchr2(b'\t', b'\r', bytes).is_some()
        || begins.iter().any(|mark| text.starts_with(mark))
        || memmem::find(bytes, b"\n---").is_some()
        || memmem::find(bytes, b"\n...").is_some()
    {
        return None;
    }
    let limits = Limits::default();
    if text.len() > limits.bytes {
        return None;
    }
    let node = read(text, Dialect::V3, file, &limits)?;
    let node = node.filter(|node| !node.is_null());
    let certain = node.as_ref().is_none_or(|node| is_alike(node, 0));
    certain.then(|| node.into_iter().collect())
}

/// Whether a scalar that [`alike`] read is the same text to both readers.
pub fn is_text_to_both(node: &Node) -> bool {
    match (&node.value, node.style) {
        (Value::Scalar(text), Style::Plain) => node.tag == Tag::Str && is_text(text),
        (Value::Scalar(_), _) => node.tag == Tag::Str,
        _ => false,
    }
}

pub(crate) fn is_text(text: &str) -> bool {
    let resolved = resolve(text, Dialect::V2, true);
    matches!(resolved, Resolved::Str | Resolved::Timestamp(_))
}

/// The first document, if there is one, of a text that goes the short way.
fn read(text: &str, dialect: Dialect, file: FileId, limits: &Limits) -> Option<Option<Node>> {
    if stop(text).is_some() {
        return None;
    }
    let mut sink = TreeSink::new(file, 0, limits);
    let found = Grammar::new(text, dialect).document(&mut sink).ok()?;
    if !found {
        return Some(None);
    }
    let bare = sink.bare;
    let node = sink.finish()?;
    bare.then_some(Some(node))
}

/// A scalar in the form that JSON has; `None` where it has none.
pub(crate) fn settled(text: Text, style: Style) -> Option<Node> {
    let mut node = Node::string(text);
    node.style = style;
    settle(&mut node, 0)?;
    Some(node)
}

/// Brings a node to the form that JSON has.
fn settle(node: &mut Node, depth: usize) -> Option<()> {
    if depth > SHALLOW {
        return None;
    }
    match &mut node.value {
        Value::Scalar(text) => {
            let resolved = match node.style {
                Style::Plain => resolve(text, Dialect::V2, true),
                _ => Resolved::Str,
            };
            match resolved {
                Resolved::Str | Resolved::Timestamp(_) => node.tag = Tag::Str,
                Resolved::Float(number) if !number.is_finite() => return None,
                Resolved::Int(_) if is_decimal(text) => node.tag = Tag::Int,
                resolved => {
                    let made = canonical_scalar(resolved, text);
                    node.value = made.value;
                    node.tag = made.tag;
                }
            }
        }
        Value::Sequence(items) => {
            for item in items.make_mut() {
                settle(item, depth + 1)?;
            }
        }
        Value::Mapping(entries) => settle_entries(entries, depth)?,
    }
    node.style = Style::Plain;
    Some(())
}

fn settle_entries(entries: &mut Mapping, depth: usize) -> Option<()> {
    let mut sorted = true;
    let mut last: Option<Text> = None;
    for entry in entries.make_mut() {
        let text = key(&entry.key)?;
        sorted &= last.is_none_or(|last| last < *text);
        last = Some(text.clone());
        entry.key.tag = Tag::Str;
        entry.key.style = Style::Plain;
        settle(&mut entry.value, depth + 1)?;
    }
    if sorted {
        return Some(());
    }
    let by_key = |a: &Entry, b: &Entry| a.key.text().cmp(&b.key.text());
    let entries = entries.make_mut();
    entries.sort_by(by_key);
    // Which of two counts the long way knows.
    let twice = entries
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a.key.text() == b.key.text()));
    (!twice).then_some(())
}

/// The text of a key that is a string to both readers.
fn key(node: &Node) -> Option<&Text> {
    match &node.value {
        Value::Scalar(text) if node.style != Style::Plain || is_text(text) => Some(text),
        _ => None,
    }
}

/// Digits, as few as the number needs.
fn is_decimal(text: &str) -> bool {
    match text.as_bytes() {
        b"0" => true,
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Whether both readers take a node, which the newer one read.
fn is_alike(node: &Node, depth: usize) -> bool {
    if depth > SHALLOW {
        return false;
    }
    match &node.value {
        Value::Scalar(text) => {
            node.tag != Tag::Float
                || matches!(resolve(text, Dialect::V2, true), Resolved::Float(number) if number.is_finite())
        }
        Value::Sequence(items) => items.iter().all(|item| is_alike(item, depth + 1)),
        Value::Mapping(entries) => entries
            .iter()
            .all(|entry| key(&entry.key).is_some() && is_alike(&entry.value, depth + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::decode::{How, decode};
    use crate::read::raw::RawReader;

    fn the_long_way(text: &str) -> Result<Node, Error> {
        let limits = Limits::default();
        let mut reader = RawReader::new(text, Dialect::V2, FileId::NONE, 0, &limits);
        match reader.next()? {
            Some(document) => decode(&document, text, Dialect::V2, How::Lenient),
            None => Ok(Node::null()),
        }
    }

    fn the_short_way(text: &str) -> Option<Node> {
        first_document(text, FileId::NONE, &Limits::default())
    }

    const BARE: &[&str] = &[
        "",
        "# only a comment\n",
        "a: 1\nb: [x, 'y', \"z\\n\", {c: d, a: b}]\n",
        "z: yes\na: on\nm: ~\nnot:\nor: null\np: 012\nq: 0x1F\nr: 1_000\ns: 1.50\nt: -0\nu: 1e3\n",
        "d: 2001-01-01\ne: 2001-01-01T00:00:00Z\nf: 12:30:45\ng: 0o17\nh: +5\ni: .5\n",
        "big: 18446744073709551615\nhuge: 18446744073709551616\n",
        "text: |\n  a\n   b\nfolded: >-\n  a\n  b\n\nlast: 'it''s'\n",
        "- a\n-\n  - b\n- c: d\n  e: f\n",
        "a: 1\n---\nb: 2\n",
        "'1': a\n\"y\": b\n",
        "é: ü\nschön: \"\\u00e9\"\n",
        "just text",
    ];
    const ODD: &[&str] = &[
        "a: &x 1\nb: *x\n",
        "a: !!str 1\n",
        "a: ! 1\n",
        "<<: {a: b}\n",
        "1: a\n",
        "yes: a\n",
        "~: a\n",
        "a: .inf\n",
        "a: 1\na: 2\n",
        "[a]: b\n",
        "a: b: c\n",
        "a: \u{7}\n",
    ];

    #[test]
    fn the_short_way_leads_to_the_same_place() {
        for text in BARE {
            let (long, short) = (the_long_way(text).unwrap(), the_short_way(text));
            let short = short.unwrap_or_else(|| panic!("{text:?} goes the long way"));
            assert_eq!(format!("{long:?}"), format!("{short:?}"), "{text:?}");
        }
    }

    #[test]
    fn what_is_odd_goes_the_long_way() {
        for text in ODD {
            assert!(the_short_way(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn documents_that_both_readers_take() {
        for text in BARE.iter().filter(|text| !text.contains("---")) {
            let both = alike(text, FileId::NONE).unwrap();
            let newer = crate::parse(text, FileId::NONE, &Limits::default()).unwrap();
            assert_eq!(format!("{both:?}"), format!("{newer:?}"), "{text:?}");
        }
        let more = ["a: 1\n---\nb: 2\n", "---\na: 1\n", "a:\t1\n", "a: 1\r\n"];
        for text in ODD
            .iter()
            .chain(&more)
            .filter(|text| !text.contains("a: 2"))
        {
            assert!(alike(text, FileId::NONE).is_none(), "{text:?}");
        }
        let read = alike("a: yes\nb: no way\nc: 'yes'\nd: 1\n", FileId::NONE).unwrap();
        let texts: Vec<bool> = read[0]
            .entries()
            .iter()
            .map(|entry| is_text_to_both(&entry.value))
            .collect();
        assert_eq!(texts, [false, true, true, false]);
    }
}
