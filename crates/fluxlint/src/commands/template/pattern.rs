//! Patterns of file names, as Go's `filepath.Match` has them.

/// A pattern matches a whole path. `*` and `?` do not go over slashes; a broken
/// pattern matches nothing.
pub fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), path.chars().collect());
    let (mut at, mut from) = (0, 0);
    // Where to go on when something behind the last star does not fit.
    let mut star: Option<(usize, usize)> = None;
    loop {
        if pattern.get(at) == Some(&'*') {
            at += 1;
            star = Some((at, from));
            continue;
        }
        let next = match (pattern.get(at), path.get(from)) {
            (None, None) => return true,
            (Some(_), Some(c)) => one(pattern.get(at..).unwrap_or_default(), *c),
            _ => None,
        };
        if let Some(width) = next {
            at += width;
            from += 1;
            continue;
        }
        match star {
            Some((behind, begin)) if path.get(begin).is_some_and(|c| *c != '/') => {
                (at, from) = (behind, begin + 1);
                star = Some((behind, begin + 1));
            }
            _ => return false,
        }
    }
}

/// How much of a pattern stands for a character; nothing when it does not fit.
fn one(pattern: &[char], c: char) -> Option<usize> {
    match pattern {
        ['?', ..] => (c != '/').then_some(1),
        ['\\', escaped, ..] => (*escaped == c).then_some(2),
        ['[', class @ ..] => class_of(class, c).map(|width| width + 1),
        [literal, ..] => (*literal == c).then_some(1),
        [] => None,
    }
}

fn class_of(class: &[char], c: char) -> Option<usize> {
    let is_not = class.first() == Some(&'^');
    let mut at = usize::from(is_not);
    let mut fits = false;
    let begin = at;
    loop {
        if class.get(at) == Some(&']') && at > begin {
            return (fits != is_not).then_some(at + 1);
        }
        let low = literal(class, &mut at)?;
        let high = match class.get(at) {
            Some('-') => {
                at += 1;
                literal(class, &mut at)?
            }
            _ => low,
        };
        fits |= (low..=high).contains(&c);
    }
}

fn literal(class: &[char], at: &mut usize) -> Option<char> {
    let escaped = class.get(*at) == Some(&'\\');
    *at += usize::from(escaped);
    let c = *class.get(*at)?;
    *at += 1;
    (escaped || !matches!(c, '-' | ']')).then_some(c)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns() {
        for (pattern, path, expected) in [
            ("a/b.yaml", "a/b.yaml", true),
            ("a/*", "a/b.yaml", true),
            ("*", "a/b", false),
            ("a/*/c*.yaml", "a/b/cdd.yaml", true),
            ("a/*b*b", "a/xbyb", true),
            ("?", "/", false),
            ("[a-c]x", "bx", true),
            ("[^a-c]x", "bx", false),
            ("[", "[", false),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("", "", true),
            ("a*", "", false),
        ] {
            assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
        }
    }
}
