//! Upper and lower case, and words written together.

use gotmpl::Functions;

use super::{TEXT, text_of};

pub(super) fn add(all: &mut Functions) {
    text_of(all, "upper", &[TEXT], |args| {
        args.text(0).chars().map(upper).collect()
    });
    text_of(all, "lower", &[TEXT], |args| {
        args.text(0).chars().map(lower).collect()
    });
    text_of(all, "title", &[TEXT], |args| title(&args.text(0)));
    text_of(all, "untitle", &[TEXT], |args| {
        let mut next = true;
        let word = |c: char| {
            let starts = std::mem::replace(&mut next, c.is_whitespace());
            if starts { lower(c) } else { c }
        };
        args.text(0).chars().map(word).collect()
    });
    text_of(all, "swapcase", &[TEXT], |args| {
        let swap = |c: char| if c.is_uppercase() { lower(c) } else { upper(c) };
        args.text(0).chars().map(swap).collect()
    });
    text_of(all, "nospace", &[TEXT], |args| {
        args.text(0)
            .chars()
            .filter(|c| !c.is_whitespace())
            .collect()
    });
    text_of(all, "initials", &[TEXT], |args| {
        let text = args.text(0);
        text.split_whitespace()
            .filter_map(|word| word.chars().next())
            .collect()
    });
    text_of(all, "snakecase", &[TEXT], |args| {
        separated(&args.text(0), '_')
    });
    text_of(all, "kebabcase", &[TEXT], |args| {
        separated(&args.text(0), '-')
    });
    text_of(all, "camelcase", &[TEXT], |args| pascal(&args.text(0)));
}

/// A character in upper case, where that is one character.
fn upper(c: char) -> char {
    let mut mapped = c.to_uppercase();
    match (mapped.next(), mapped.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

fn lower(c: char) -> char {
    c.to_lowercase().next().unwrap_or(c)
}

fn title(text: &str) -> String {
    let mut before = ' ';
    let word = |c: char| {
        let separates = match before {
            '_' => false,
            before if before.is_ascii() => !before.is_ascii_alphanumeric(),
            before => !before.is_alphanumeric() && before.is_whitespace(),
        };
        before = c;
        if separates { upper(c) } else { c }
    };
    text.chars().map(word).collect()
}

fn is_connector(c: char) -> bool {
    c == '-' || c == '_' || c.is_whitespace()
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() && !matches!(c, '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~')
}

/// Words with a connector between them, all in lower case.
fn separated(text: &str, connector: char) -> String {
    let words = words(text);
    let mut out = String::new();
    let mut at = 0;
    while let Some((kind, word)) = words.get(at) {
        let next = words.get(at + 1).map(|(kind, _)| *kind);
        push(&mut out, *kind, word, connector);
        at += 1;
        let parts =
            |kind: Option<Kind>| !matches!(kind, None | Some(Kind::Connector | Kind::Punctuation));
        match kind {
            Kind::Connector | Kind::Punctuation => {}
            Kind::Number => {
                while let Some((kind @ (Kind::Letters | Kind::Number), word)) = words.get(at) {
                    push(&mut out, *kind, word, connector);
                    at += 1;
                }
                if parts(words.get(at).map(|(kind, _)| *kind)) {
                    out.push(connector);
                }
            }
            _ if next == Some(Kind::Number) => at = number_behind(&mut out, &words, at, connector),
            _ if parts(next) => out.push(connector),
            _ => {}
        }
    }
    out
}

/// A number belongs to the word before it, unless small letters follow.
fn number_behind(out: &mut String, words: &[(Kind, String)], at: usize, connector: char) -> usize {
    let Some((_, number)) = words.get(at) else {
        return at;
    };
    let parts = |at: usize| {
        let kind = words.get(at).map(|(kind, _)| *kind);
        !matches!(kind, None | Some(Kind::Connector | Kind::Punctuation))
    };
    let mut next = at + 1;
    if words.get(next).map(|(kind, _)| *kind) != Some(Kind::Letters) {
        push(out, Kind::Number, number, connector);
        if parts(next) {
            out.push(connector);
        }
        return next;
    }
    out.push(connector);
    push(out, Kind::Number, number, connector);
    while let Some((kind @ (Kind::Letters | Kind::Number), word)) = words.get(next) {
        push(out, *kind, word, connector);
        next += 1;
    }
    if parts(next) {
        out.push(connector);
    }
    next
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Upper,
    Letters,
    Connector,
    Punctuation,
    Other,
}

fn push(out: &mut String, kind: Kind, word: &str, connector: char) {
    match kind {
        Kind::Connector => out.extend(word.chars().map(|_| connector)),
        Kind::Upper => out.extend(word.chars().map(lower)),
        _ => out.push_str(word),
    }
}

/// Letters that have a case.
fn is_letter(c: char) -> bool {
    c.is_uppercase() || c.is_lowercase()
}

/// A text in words of one kind.
fn words(text: &str) -> Vec<(Kind, String)> {
    let chars: Vec<char> = text.chars().collect();
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(first) = chars.get(at) {
        let run = |from: usize, fits: &dyn Fn(char) -> bool| {
            let rest = chars.get(from..).unwrap_or_default();
            from + rest.iter().take_while(|c| fits(**c)).count()
        };
        let small = |c: char| is_letter(c) && !c.is_uppercase();
        let (kind, end) = match *first {
            c if is_connector(c) => (Kind::Connector, run(at, &is_connector)),
            c if is_punctuation(c) => (Kind::Punctuation, run(at, &is_punctuation)),
            c if c.is_uppercase() => {
                let capitals = run(at, &|c| c.is_uppercase());
                let follows = chars.get(capitals).is_some_and(|c| small(*c));
                // The last capital begins the word of the small letters.
                let end = match (capitals - at, follows) {
                    (1, true) => run(capitals, &small),
                    (_, true) => capitals - 1,
                    _ => capitals,
                };
                (Kind::Upper, end)
            }
            c if is_letter(c) => (Kind::Letters, run(at, &small)),
            c if c.is_numeric() => (Kind::Number, run(at, &char::is_numeric)),
            _ => {
                let other = |c: char| {
                    !is_connector(c) && !is_letter(c) && !c.is_numeric() && !is_punctuation(c)
                };
                (Kind::Other, run(at, &other))
            }
        };
        let end = end.max(at + 1);
        words.push((
            kind,
            chars.get(at..end).unwrap_or_default().iter().collect(),
        ));
        at = end;
    }
    words
}

/// Words written together, each with a capital.
fn pascal(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let leading = chars.iter().take_while(|c| is_connector(**c)).count();
    if leading == chars.len() {
        return text.to_owned();
    }
    let mut out: String = chars.iter().take(leading).collect();
    let rest = chars.get(leading..).unwrap_or_default();
    let mut capitals = rest.first().is_some_and(|c| c.is_uppercase());
    let mut before = rest.first().map(|c| upper(*c)).unwrap_or_default();
    for c in rest.iter().skip(1) {
        let mut c = *c;
        match (is_connector(before), is_connector(c)) {
            (true, true) => {
                out.push(before);
                continue;
            }
            (true, false) => {
                capitals = c.is_uppercase();
                c = upper(c);
            }
            (false, _) => {
                if capitals {
                    match c.is_uppercase() {
                        true => c = lower(c),
                        false => capitals = false,
                    }
                }
                out.push(before);
            }
        }
        before = c;
    }
    out.push(before);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_part_as_in_go() {
        for (text, snake) in [
            ("FirstName", "first_name"),
            ("HTTPServer", "http_server"),
            ("NoHTTPS", "no_https"),
            ("GO_PATH", "go_path"),
            ("GO PATH", "go_path"),
            ("HTTP2xx", "http_2xx"),
            ("Bld4Floor3rd", "bld4_floor_3rd"),
            ("1A2", "1_a2"),
        ] {
            assert_eq!(separated(text, '_'), snake, "{text}");
        }
        assert_eq!(pascal("http_server"), "HttpServer");
        assert_eq!(pascal("_camel_case"), "_CamelCase");
        assert_eq!(pascal("no-https"), "NoHttps");
        assert_eq!(title("hello there_x"), "Hello There_x");
    }
}
