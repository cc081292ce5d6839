//! Addresses of schemas: references, and what they are relative to.

use gotmpl::strconv::quote;

/// Splits an address at its fragment.
pub(super) fn split(address: &str) -> (&str, &str) {
    address.split_once('#').unwrap_or((address, ""))
}

/// The scheme of an absolute address.
pub(super) fn scheme(address: &str) -> Option<&str> {
    let (scheme, _) = address.split_once(':')?;
    let mut letters = scheme.bytes();
    let first = letters.next().is_some_and(|b| b.is_ascii_alphabetic());
    let known = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    (first && letters.all(known)).then_some(scheme)
}

/// An address as seen from another one; neither has a fragment.
pub(super) fn join(base: &str, address: &str) -> String {
    if address.is_empty() {
        return base.to_owned();
    }
    if scheme(address).is_some() {
        return address.to_owned();
    }
    let scheme = scheme(base).unwrap_or_default();
    let behind = base.get(scheme.len() + 1..).unwrap_or_default();
    if let Some(rest) = address.strip_prefix("//") {
        return format!("{scheme}://{rest}");
    }
    let (authority, path) = match behind.strip_prefix("//") {
        Some(rest) => match rest.find('/') {
            Some(at) => rest.split_at(at),
            None => (rest, "/"),
        },
        None => return address.to_owned(),
    };
    let path = match address.starts_with('/') {
        true => address.to_owned(),
        false => {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            format!("{folder}/{address}")
        }
    };
    format!("{scheme}://{authority}{}", without_dots(&path))
}

fn without_dots(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut steps = path.split('/').skip(1).peekable();
    while let Some(step) = steps.next() {
        let last = steps.peek().is_none();
        match step {
            "." | ".." => {
                if step == ".." {
                    parts.pop();
                }
                if last {
                    parts.push("");
                }
            }
            step => parts.push(step),
        }
    }
    format!("/{}", parts.join("/"))
}

/// The steps of a JSON pointer in a fragment, which begins with a slash.
pub(super) fn steps(pointer: &str) -> Option<Vec<String>> {
    let step = |step: &str| Some(unescaped(step)?.replace("~1", "/").replace("~0", "~"));
    pointer.split('/').skip(1).map(step).collect()
}

/// What Go's `url.Parse` takes.
pub(super) fn reference(text: &str) -> Result<(), String> {
    match gourl::Url::parse(text.as_bytes()) {
        Ok(_) => Ok(()),
        Err((fault, part)) => Err(format!("parse {}: {}", quote(part), fault.message(quote))),
    }
}

/// As [`reference`], with a scheme.
pub(super) fn absolute(text: &str) -> Result<(), String> {
    reference(text)?;
    match scheme(text) {
        Some(_) => Ok(()),
        None => Err("relative url".to_owned()),
    }
}

/// Without percent signs.
pub(super) fn unescaped(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let mut digit = || char::from(bytes.next()?).to_digit(16);
        let (high, low) = (digit()?, digit()?);
        out.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_addresses() {
        let root = "file:///values.schema.json";
        assert_eq!(join(root, "x.json"), "file:///x.json");
        assert_eq!(join(root, "../a/./x.json"), "file:///a/x.json");
        assert_eq!(join("https://e.com/a/b", "c"), "https://e.com/a/c");
        assert_eq!(join("https://e.com/a/b", "/c"), "https://e.com/c");
        assert_eq!(join("https://e.com", "//f.com/c"), "https://f.com/c");
        assert_eq!(join(root, "urn:x:y"), "urn:x:y");
        assert_eq!(steps("/a~1b/c%20d~0").unwrap(), ["a/b", "c d~"]);
    }
}
