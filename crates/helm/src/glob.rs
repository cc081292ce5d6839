//! Patterns of `.Files.Glob`: `*` and `?` stay inside a path's part, `**`
//! does not; `[a-z]` and `{a,b}` are known.

use gotmpl::regexp::Regexp;

/// A pattern.
pub(crate) struct Glob(Option<Regexp>);

impl Glob {
    /// A pattern; one that is malformed matches all.
    pub fn new(pattern: &str) -> Self {
        Glob(translated(pattern).and_then(|regexp| Regexp::new(&regexp).ok()))
    }

    /// A path fits it.
    pub fn matches(&self, path: &str) -> bool {
        self.0
            .as_ref()
            .is_none_or(|regexp| regexp.is_match(path.as_bytes()))
    }
}

fn translated(pattern: &str) -> Option<String> {
    let mut out = String::from("(?s)\\A");
    let mut chars = pattern.chars().peekable();
    let mut open = 0u32;
    while let Some(c) = chars.next() {
        match c {
            '*' if chars.next_if_eq(&'*').is_some() => out.push_str(".*"),
            '*' => out.push_str("[^/]*"),
            '?' => out.push_str("[^/]"),
            '[' => {
                out.push('[');
                if chars.next_if_eq(&'!').is_some() {
                    out.push('^');
                }
                loop {
                    match chars.next()? {
                        ']' => break,
                        c @ ('\\' | '[' | '^') => out.extend(['\\', c]),
                        c => out.push(c),
                    }
                }
                out.push(']');
            }
            '{' => {
                open += 1;
                out.push_str("(?:");
            }
            '}' if open > 0 => {
                open -= 1;
                out.push(')');
            }
            ',' if open > 0 => out.push('|'),
            '\\' => push(&mut out, chars.next()?),
            c => push(&mut out, c),
        }
    }
    out.push_str("\\z");
    (open == 0).then_some(out)
}

fn push(out: &mut String, c: char) {
    let quoted = gotmpl::regexp::quote_meta(c.encode_utf8(&mut [0; 4]).as_bytes());
    out.push_str(&String::from_utf8_lossy(&quoted));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_paths() {
        let matches = |pattern: &str, path: &str| Glob::new(pattern).matches(path);
        assert!(matches("config/*", "config/a.txt") && !matches("config/*", "config/b/a.txt"));
        assert!(matches("**.yaml", "a/b/c.yaml") && matches("conf/{a,b}.*", "conf/b.txt"));
        assert!(matches("[a-c]?", "bx") && !matches("[!a-c]?", "bx"));
    }
}
