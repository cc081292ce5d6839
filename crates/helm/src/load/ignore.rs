//! `.helmignore`: Helm's own rules, which are fewer than git's.
//!
//! Rules without a slash look at names alone. Rules are asked in order, and
//! the first that speaks decides: one with `!` takes out all that it does not
//! match.

/// The rules of a file.
#[derive(Default)]
pub(super) struct Rules(Vec<Rule>);

struct Rule {
    pattern: Pattern,
    /// `!`
    negated: bool,
    /// It ends with a slash.
    directory: bool,
    /// It looks at the last part of a path.
    name_only: bool,
}

impl Rules {
    /// The rules of a file, each on its line.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        let text = String::from_utf8_lossy(super::plain(text));
        let mut rules = Rules::default();
        for line in text.lines() {
            rules.add(line)?;
        }
        Ok(rules)
    }

    /// With the rule that Helm always has: hidden files among templates.
    pub fn with_defaults(mut self) -> Self {
        // The rule is well formed.
        let _ = self.add("templates/.?*");
        self
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        if line.contains("**") {
            return Err("double-star (**) syntax is not supported".to_owned());
        }
        let malformed = || "syntax error in pattern".to_owned();
        Pattern::parse(line).ok_or_else(malformed)?;
        let (negated, rest) = match line.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let (directory, rest) = match rest.strip_suffix('/') {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let (name_only, rest) = match rest.strip_prefix('/') {
            Some(rest) => (false, rest),
            None => (!rest.contains('/'), rest),
        };
        // What became malformed by taking parts away matches nothing.
        self.0.push(Rule {
            pattern: Pattern::parse(rest).unwrap_or_default(),
            negated,
            directory,
            name_only,
        });
        Ok(())
    }

    /// The path, relative to the chart, is left out.
    pub fn ignores(&self, path: &str, directory: bool) -> bool {
        for rule in &self.0 {
            let fits = || {
                let name = path.rsplit('/').next().unwrap_or_default();
                rule.pattern
                    .matches(if rule.name_only { name } else { path })
            };
            let wrong_kind = rule.directory && !directory;
            match rule.negated {
                true if wrong_kind || !fits() => return true,
                false if !wrong_kind && fits() => return true,
                _ => {}
            }
        }
        false
    }
}

/// A pattern of Go's `filepath.Match`. Without parts it matches nothing.
#[derive(Default)]
struct Pattern(Option<Vec<Part>>);

enum Part {
    /// `*`: any characters but slashes.
    Any,
    /// `?`: one that is no slash.
    One,
    Char(char),
    /// `[a-z]`, `[^a-z]`
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Pattern {
    /// Nothing where it is malformed.
    fn parse(text: &str) -> Option<Self> {
        let mut parts = Vec::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            parts.push(match c {
                '*' => Part::Any,
                '?' => Part::One,
                '\\' => Part::Char(chars.next()?),
                '[' => {
                    let negated = chars.next_if_eq(&'^').is_some();
                    let mut ranges = Vec::new();
                    while ranges.is_empty() || chars.next_if_eq(&']').is_none() {
                        let low = member(&mut chars)?;
                        let high = match chars.next_if_eq(&'-') {
                            Some(_) => member(&mut chars)?,
                            None => low,
                        };
                        ranges.push((low, high));
                    }
                    Part::Class { negated, ranges }
                }
                c => Part::Char(c),
            });
        }
        Some(Pattern(Some(parts)))
    }

    fn matches(&self, text: &str) -> bool {
        let Some(parts) = &self.0 else {
            return false;
        };
        let text: Vec<char> = text.chars().collect();
        let (mut part, mut at) = (0, 0);
        // Where to go on when the last star takes one character more.
        let mut retry: Option<(usize, usize)> = None;
        loop {
            match (parts.get(part), text.get(at)) {
                (None, None) => return true,
                (Some(Part::Any), _) => {
                    retry = Some((part + 1, at));
                    part += 1;
                    continue;
                }
                (Some(one), Some(c)) if one.fits(*c) => {
                    (part, at) = (part + 1, at + 1);
                    continue;
                }
                _ => {}
            }
            match retry {
                Some((behind, from)) if text.get(from).is_some_and(|c| *c != '/') => {
                    retry = Some((behind, from + 1));
                    (part, at) = (behind, from + 1);
                }
                _ => return false,
            }
        }
    }
}

impl Part {
    fn fits(&self, c: char) -> bool {
        match self {
            Part::Any => false,
            Part::One => c != '/',
            Part::Char(own) => *own == c,
            Part::Class { negated, ranges } => {
                let inside = ranges.iter().any(|(low, high)| (*low..=*high).contains(&c));
                inside != *negated
            }
        }
    }
}

/// A character of a class.
fn member(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<char> {
    match chars.next()? {
        '-' | ']' => None,
        '\\' => chars.next(),
        c => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignored(rules: &str, path: &str) -> bool {
        let (path, directory) = match path.strip_suffix('/') {
            Some(path) => (path, true),
            None => (path, false),
        };
        let rules = Rules::parse(rules.as_bytes()).unwrap().with_defaults();
        rules.ignores(path, directory)
    }

    #[test]
    fn names_and_paths() {
        assert!(ignored("*.txt", "a/b/c.txt") && !ignored("/*.txt", "a/c.txt"));
        assert!(ignored("/*.txt", "c.txt") && ignored("a/*.txt", "a/c.txt"));
        assert!(!ignored("a/*.txt", "b/a/c.txt") && !ignored("a", "ab"));
        assert!(ignored("cargo/", "x/cargo/") && !ignored("cargo/", "cargo"));
        assert!(ignored("[a-c]?", "bx") && !ignored("[^a-c]?", "bx"));
        assert!(ignored("", "templates/.hidden") && !ignored("", ".hidden"));
        assert!(ignored("# x\n\n \\*.md ", "*.md") && !ignored("\\*.md", "a.md"));
    }

    #[test]
    fn negation_takes_out_what_it_does_not_match() {
        assert!(!ignored("!a.yaml", "a.yaml") && ignored("!a.yaml", "b.yaml"));
        assert!(ignored("!a/", "a") && !ignored("!a/", "a/"));
    }

    #[test]
    fn malformed_rules_are_faults() {
        let fault = |text: &str| Rules::parse(text.as_bytes()).err().unwrap_or_default();
        assert_eq!(fault("**/x"), "double-star (**) syntax is not supported");
        assert_eq!(fault("["), "syntax error in pattern");
        assert_eq!(fault("a["), "syntax error in pattern");
        assert_eq!(fault("[]a]"), "syntax error in pattern");
        assert_eq!(fault("a\\"), "syntax error in pattern");
    }
}
