//! Go's regular expressions, on the `regex` crate's engine. Both match
//! leftmost-first in linear time; [`syntax`] translates what differs in
//! writing.

mod syntax;

use regex::bytes::Regex;

use crate::unicode;

/// A compiled regular expression.
#[derive(Clone, Debug)]
pub struct Regexp(Regex);

/// Where a match is: start and end.
type Range = std::ops::Range<usize>;

impl Regexp {
    /// Compiles a pattern in Go's syntax. The error is Go's message.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let translated = syntax::translate(pattern)
            .map_err(|e| format!("error parsing regexp: {}: `{}`", e.what, e.part))?;
        regex::bytes::RegexBuilder::new(&translated)
            .size_limit(50 << 20)
            .nest_limit(500)
            .build()
            .map(Regexp)
            .map_err(|_| {
                format!(
                    "error parsing regexp: expression is too large or not supported: `{pattern}`"
                )
            })
    }

    /// There is a match anywhere.
    pub fn is_match(&self, text: &[u8]) -> bool {
        self.0.is_match(text)
    }

    /// The first match.
    pub fn find(&self, text: &[u8]) -> Option<Range> {
        self.0.find(text).map(|found| found.range())
    }

    /// The matches, at most `most` of them; all if that is negative.
    pub fn find_all(&self, text: &[u8], most: i64) -> Vec<Range> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        self.matches(text).take(most).collect()
    }

    /// Matches between runes: the engine also finds nothing inside of one.
    fn matches<'t>(&self, text: &'t [u8]) -> impl Iterator<Item = Range> + use<'_, 't> {
        let found = self.0.find_iter(text).map(|found| found.range());
        found.filter(|range| is_whole(text, range))
    }

    /// The text with every match replaced. `$1`, `$name` and `${name}` stand
    /// for groups, `$$` for a dollar sign.
    pub fn replace_all(&self, text: &[u8], replacement: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        let mut end = 0;
        for captures in self.0.captures_iter(text) {
            let Some(whole) = captures.get(0).filter(|m| is_whole(text, &m.range())) else {
                continue;
            };
            out.extend_from_slice(text.get(end..whole.start()).unwrap_or_default());
            self.expand(&mut out, replacement, &captures);
            end = whole.end();
        }
        out.extend_from_slice(text.get(end..).unwrap_or_default());
        out
    }

    /// The text with every match replaced by a text as it is.
    pub fn replace_all_literal(&self, text: &[u8], replacement: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        let mut end = 0;
        for found in self.matches(text) {
            out.extend_from_slice(text.get(end..found.start).unwrap_or_default());
            out.extend_from_slice(replacement);
            end = found.end;
        }
        out.extend_from_slice(text.get(end..).unwrap_or_default());
        out
    }

    fn expand(&self, out: &mut Vec<u8>, template: &[u8], captures: &regex::bytes::Captures<'_>) {
        let mut rest = template;
        while let Some(at) = memchr::memchr(b'$', rest) {
            out.extend_from_slice(rest.get(..at).unwrap_or_default());
            rest = rest.get(at + 1..).unwrap_or_default();
            if let [b'$', behind @ ..] = rest {
                out.push(b'$');
                rest = behind;
                continue;
            }
            let Some((name, behind)) = reference(rest) else {
                // What is malformed stands for itself.
                out.push(b'$');
                continue;
            };
            rest = behind;
            let group = match name.parse::<usize>() {
                Ok(number) if name.bytes().all(|b| b.is_ascii_digit()) => captures.get(number),
                _ => captures.name(name),
            };
            out.extend_from_slice(group.map_or(b"", |group| group.as_bytes()));
        }
        out.extend_from_slice(rest);
    }

    /// The parts between matches, at most `most` of them; all if that is
    /// negative.
    pub fn split<'t>(&self, text: &'t [u8], most: i64) -> Vec<&'t [u8]> {
        if most == 0 {
            return Vec::new();
        }
        if text.is_empty() && !self.0.as_str().is_empty() {
            return vec![text];
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let part = |range: Range| text.get(range).unwrap_or_default();
        let (mut parts, mut start, mut end) = (Vec::new(), 0, 0);
        for found in self.matches(text) {
            if parts.len() + 1 >= most {
                break;
            }
            end = found.start;
            if found.end != 0 {
                parts.push(part(start..end));
            }
            start = found.end;
        }
        if end != text.len() {
            parts.push(part(start..text.len()));
        }
        parts
    }
}

/// A match is not an empty one inside a rune.
fn is_whole(text: &[u8], range: &Range) -> bool {
    !range.is_empty()
        || !text
            .get(range.start)
            .is_some_and(|byte| matches!(byte, 0x80..=0xbf))
}

/// A group's name behind `$`, and what is behind it.
fn reference(text: &[u8]) -> Option<(&str, &[u8])> {
    let (braced, body) = match text {
        [b'{', body @ ..] => (true, body),
        body => (false, body),
    };
    let word = |rune: char| rune == '_' || unicode::is_letter(rune) || unicode::is_digit(rune);
    let runes = unicode::runes(body).take_while(|(rune, _)| word(*rune));
    let len: usize = runes.map(|(_, bytes)| bytes.len()).sum();
    let name = std::str::from_utf8(body.get(..len)?).ok()?;
    let behind = body.get(len..)?;
    match (name.is_empty(), braced, behind) {
        (true, ..) => None,
        (_, false, _) => Some((name, behind)),
        (_, true, [b'}', behind @ ..]) => Some((name, behind)),
        _ => None,
    }
}

/// A pattern that matches a text as it is.
pub fn quote_meta(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        if b"\\.+*?()|[]{}^$".contains(byte) {
            out.push(b'\\');
        }
        out.push(*byte);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(pattern: &str, text: &str, with: &str) -> String {
        let regexp = Regexp::new(pattern).unwrap();
        String::from_utf8(regexp.replace_all(text.as_bytes(), with.as_bytes())).unwrap()
    }

    #[test]
    fn replacements_name_groups_as_go_does() {
        assert_eq!(replaced("a(x*)b", "-ab-axxb-", "${1}W"), "-W-xxW-");
        assert_eq!(replaced("a(x*)b", "-ab-axxb-", "$1W"), "---");
        assert_eq!(replaced("(?P<n>b)", "abc", "[$n$$]"), "a[b$]c");
        assert_eq!(replaced("b", "abc", "$"), "a$c");
        assert_eq!(replaced("x*", "abc", "-"), "-a-b-c-");
        assert_eq!(replaced("b*", "abb", "-"), "-a-");
    }

    #[test]
    fn splits_as_go_does() {
        let split = |pattern: &str, text: &str, most| {
            let regexp = Regexp::new(pattern).unwrap();
            let parts = regexp.split(text.as_bytes(), most);
            let text = |part: &&[u8]| String::from_utf8_lossy(part).into_owned();
            parts.iter().map(text).collect::<Vec<_>>()
        };
        assert_eq!(
            split("a*", "abaabaccadaaae", 5),
            ["", "b", "b", "c", "cadaaae"]
        );
        assert_eq!(split("/", "/a/b", -1), ["", "a", "b"]);
        assert_eq!(split("/", "", -1), [""]);
        assert!(split("/", "a", 0).is_empty());
    }
}
