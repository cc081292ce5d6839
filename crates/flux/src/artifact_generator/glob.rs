//! Glob patterns of copy operations: one part of a path, and whole paths with
//! `**` and `{a,b}`.

/// Alternatives one pattern may expand to; more than that is no pattern people
/// write.
const MAX_ALTERNATIVES: usize = 256;

/// Whether a path part has wildcards.
pub(crate) fn is_pattern(part: &str) -> bool {
    part.contains(['*', '?', '[', ']'])
}

/// Whether one part of a path matches a pattern of `*`, `?`, `[a-z]` and
/// `\x`. `None` for a pattern that is no pattern.
pub(crate) fn part_matches(pattern: &str, part: &str) -> Option<bool> {
    let pattern = tokens(pattern)?;
    let text: Vec<char> = part.chars().collect();
    let (mut p, mut t) = (0, 0);
    // Where to go on when the last star takes one character more.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(Token::Star) => {
                star = Some((p + 1, t));
                p += 1;
            }
            Some(token) if text.get(t).is_some_and(|c| token.takes(*c)) => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((after, taken)) = star else {
                    return Some(false);
                };
                star = Some((after, taken + 1));
                p = after;
                t = taken + 1;
            }
        }
    }
    Some(
        pattern[p..]
            .iter()
            .all(|token| matches!(token, Token::Star)),
    )
}

/// Whether a whole path matches a pattern in which `**` stands for any number of
/// directories and `{a,b}` for either. A pattern that is none matches nothing.
pub(crate) fn path_matches(pattern: &str, path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    alternatives(pattern).iter().any(|pattern| {
        let pattern: Vec<&str> = pattern.split('/').collect();
        parts_match(&pattern, &parts)
    })
}

/// Parts against parts, by the reachable positions behind each pattern part:
/// linear in both, whatever the pattern.
fn parts_match(pattern: &[&str], parts: &[&str]) -> bool {
    let mut reached = vec![false; parts.len() + 1];
    reached[0] = true;
    for part in pattern {
        let mut next = vec![false; parts.len() + 1];
        if *part == "**" {
            let first = reached.iter().position(|at| *at).unwrap_or(next.len());
            next[first..].fill(true);
        } else {
            for (at, text) in parts.iter().enumerate() {
                next[at + 1] = reached[at] && part_matches(part, text) == Some(true);
            }
        }
        reached = next;
    }
    reached.last() == Some(&true)
}

/// The patterns that `{a,b}` groups stand for.
fn alternatives(pattern: &str) -> Vec<String> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(pattern) = open.pop() {
        match group(&pattern) {
            Some((before, choices, after)) if open.len() + done.len() < MAX_ALTERNATIVES => {
                open.extend(
                    choices
                        .iter()
                        .rev()
                        .map(|choice| format!("{before}{choice}{after}")),
                );
            }
            _ => done.push(pattern),
        }
    }
    done
}

/// The first `{…}` of a pattern: what stands before it, its choices, and what
/// follows.
fn group(pattern: &str) -> Option<(&str, Vec<&str>, &str)> {
    let start = pattern.find('{')?;
    let inner = pattern.get(start + 1..)?;
    let (mut depth, mut from) = (0usize, 0);
    let mut choices = Vec::new();
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            ',' if depth == 0 => {
                choices.push(&inner[from..at]);
                from = at + 1;
            }
            '}' if depth == 0 => {
                choices.push(&inner[from..at]);
                return Some((&pattern[..start], choices, &inner[at + 1..]));
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

enum Token {
    Star,
    Any,
    Exact(char),
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Token {
    fn takes(&self, c: char) -> bool {
        match self {
            Token::Star => false,
            Token::Any => true,
            Token::Exact(exact) => *exact == c,
            Token::Class { negated, ranges } => {
                ranges.iter().any(|(low, high)| (*low..=*high).contains(&c)) != *negated
            }
        }
    }
}

fn tokens(pattern: &str) -> Option<Vec<Token>> {
    let mut chars = pattern.chars().peekable();
    let mut tokens = Vec::new();
    while let Some(c) = chars.next() {
        tokens.push(match c {
            '*' => Token::Star,
            '?' => Token::Any,
            '\\' => Token::Exact(chars.next()?),
            '[' => class(&mut chars)?,
            c => Token::Exact(c),
        });
    }
    Some(tokens)
}

fn class(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Token> {
    let negated = chars.next_if(|c| matches!(c, '^' | '!')).is_some();
    let mut ranges = Vec::new();
    loop {
        let low = match chars.next()? {
            ']' if !ranges.is_empty() => return Some(Token::Class { negated, ranges }),
            '\\' => chars.next()?,
            c => c,
        };
        let high = if chars.next_if_eq(&'-').is_some() {
            match chars.next()? {
                '\\' => chars.next()?,
                c => c,
            }
        } else {
            low
        };
        ranges.push((low, high));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        for (pattern, part, expected) in [
            ("*.yaml", "a.yaml", Some(true)),
            ("*.yaml", "a.yml", Some(false)),
            ("**", "anything", Some(true)),
            ("a?c", "abc", Some(true)),
            ("[a-c]x", "bx", Some(true)),
            ("[^a-c]x", "bx", Some(false)),
            ("*a*b*", "xxaxxbxx", Some(true)),
            ("\\*", "*", Some(true)),
            ("[a", "a", None),
            ("", "", Some(true)),
            ("*", "", Some(true)),
        ] {
            assert_eq!(part_matches(pattern, part), expected, "{pattern} {part}");
        }
    }

    #[test]
    fn paths() {
        assert!(path_matches("**/testdata/**", "a/testdata/b.yaml"));
        assert!(path_matches("**/testdata/**", "testdata"));
        assert!(!path_matches("**/testdata/**", "a/test/b.yaml"));
        assert!(path_matches("a/{b,c{d,e}}/*.md", "a/ce/x.md"));
        assert!(!path_matches("a/{b,c}/*.md", "a/d/x.md"));
        assert!(path_matches("a/**/z", "a/z"));
        assert!(path_matches("*.md", "x.md"));
        assert!(!path_matches("*.md", "d/x.md"));
        assert!(path_matches("{unclosed", "{unclosed"));
    }
}
