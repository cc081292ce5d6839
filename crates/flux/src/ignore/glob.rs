//! Patterns of one name, as Go's `path/filepath` matches them.

/// A compiled pattern: `*` is any text, `?` one character, `[a-z]` and `[^a-z]`
/// one of a class, `\` takes what follows literally.
#[derive(Clone, Debug)]
pub(super) enum Glob {
    /// No wildcard.
    Literal(String),
    /// Parts to match one by one.
    Parts(Vec<Part>),
    /// A malformed pattern matches nothing.
    Never,
}

#[derive(Clone, Debug)]
pub(super) enum Part {
    AnyText,
    AnyChar,
    Char(char),
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Glob {
    pub(super) fn new(pattern: &str) -> Self {
        if !pattern.contains(['*', '?', '[', '\\']) {
            return Glob::Literal(pattern.to_owned());
        }
        compile(pattern).map_or(Glob::Never, Glob::Parts)
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        match self {
            Glob::Literal(text) => text == name,
            Glob::Parts(parts) => parts_match(parts, name),
            Glob::Never => false,
        }
    }
}

fn compile(pattern: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        parts.push(match c {
            '*' => Part::AnyText,
            '?' => Part::AnyChar,
            '\\' => Part::Char(rest.next()?),
            '[' => class(&mut rest)?,
            c => Part::Char(c),
        });
    }
    Some(parts)
}

fn class(rest: &mut std::str::Chars<'_>) -> Option<Part> {
    let negated = rest.as_str().starts_with('^');
    if negated {
        rest.next();
    }
    let mut ranges = Vec::new();
    loop {
        if rest.as_str().starts_with(']') && !ranges.is_empty() {
            rest.next();
            return Some(Part::Class { negated, ranges });
        }
        let low = class_char(rest)?;
        let mut high = low;
        if rest.as_str().starts_with('-') {
            rest.next();
            high = class_char(rest)?;
        }
        ranges.push((low, high));
    }
}

fn class_char(rest: &mut std::str::Chars<'_>) -> Option<char> {
    match rest.next()? {
        '-' | ']' => None,
        '\\' => rest.next(),
        c => Some(c),
    }
}

/// Matches from the left; when it fails, the last `*` takes one character
/// more.
fn parts_match(parts: &[Part], name: &str) -> bool {
    let mut name = name;
    let mut at = 0;
    let mut retry: Option<(usize, &str)> = None;
    loop {
        let mut chars = name.chars();
        match (parts.get(at), chars.next()) {
            (Some(Part::AnyText), _) => {
                at += 1;
                retry = Some((at, name));
                continue;
            }
            (Some(part), Some(c)) if part.takes(c) => {
                at += 1;
                name = chars.as_str();
                continue;
            }
            (None, None) => return true,
            _ => {}
        }
        let Some((after, from)) = &mut retry else {
            return false;
        };
        let mut longer = from.chars();
        if longer.next().is_none() {
            return false;
        }
        *from = longer.as_str();
        at = *after;
        name = from;
    }
}

impl Part {
    fn takes(&self, c: char) -> bool {
        match self {
            Part::AnyText => false,
            Part::AnyChar => true,
            Part::Char(wanted) => *wanted == c,
            Part::Class { negated, ranges } => {
                let inside = ranges.iter().any(|(low, high)| *low <= c && c <= *high);
                inside != *negated
            }
        }
    }
}
