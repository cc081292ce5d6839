//! Small pieces of text.

use std::borrow::Cow;

/// Text from a repository, fit for a terminal: control characters, which could
/// move the cursor or set colours, and characters that change the direction of
/// text are shown as `\u{..}`; line breaks become spaces.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_control) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\r' | '\t' => clean.push(' '),
            c if is_control(c) => clean.extend(c.escape_unicode()),
            c => clean.push(c),
        }
    }
    Cow::Owned(clean)
}

/// Whether a character changes how others are shown.
fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// `1 error`, `2 errors`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// A time in nanoseconds as people say it: `45s`, `12m30s`, `1h05m`.
pub fn duration(nanos: u64) -> String {
    let seconds = nanos / 1_000_000_000;
    let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (hours, minutes, rest) {
        (0, 0, 0) if nanos > 0 => format!("{}ms", nanos.div_ceil(1_000_000)),
        (0, 0, s) => format!("{s}s"),
        (0, m, 0) => format!("{m}m"),
        (0, m, s) => format!("{m}m{s:02}s"),
        (h, 0, _) => format!("{h}h"),
        (h, m, _) => format!("{h}h{m:02}m"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_cannot_reach_the_terminal() {
        assert_eq!(clean("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(clean("one\ntwo"), "one two");
        assert_eq!(clean("a\u{202e}b"), "a\\u{202e}b");
        assert!(matches!(clean("plain"), Cow::Borrowed(_)));
    }

    #[test]
    fn durations_are_short() {
        assert_eq!(duration(0), "0s");
        assert_eq!(duration(750_000_000_000), "12m30s");
        assert_eq!(duration(3_900_000_000_000), "1h05m");
    }
}
