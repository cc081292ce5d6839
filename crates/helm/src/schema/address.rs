//! Addresses of schemas: references, and what they are relative to.

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

/// What Go's `url.Parse` takes, as far as schemas ask for it.
pub(super) fn reference(text: &str) -> Result<(), String> {
    let fault = |why: String| {
        let shown = gotmpl::strconv::quote(text.as_bytes());
        Err(format!("parse {shown}: {why}"))
    };
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return fault("net/url: invalid control character in URL".to_owned());
    }
    let (bare, _) = split(text);
    if bare.starts_with(':') {
        return fault("missing protocol scheme".to_owned());
    }
    let rest = match scheme(bare) {
        Some(scheme) => bare.get(scheme.len() + 1..).unwrap_or_default(),
        None => {
            let first = bare.split('/').next().unwrap_or_default();
            if first.contains(':') {
                return fault("first path segment in URL cannot contain colon".to_owned());
            }
            bare
        }
    };
    let rest = rest.split('?').next().unwrap_or_default();
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", rest),
    };
    let host = authority.rsplit('@').next().unwrap_or_default();
    if let Some(c) = host.chars().find(|c| " <>\"\\^`{|}".contains(*c)) {
        let shown = gotmpl::strconv::quote(c.encode_utf8(&mut [0; 4]).as_bytes());
        return fault(format!("invalid character {shown} in host name"));
    }
    let port = match host.rsplit_once(']') {
        Some((_, behind)) => behind,
        None => host
            .find(':')
            .and_then(|at| host.get(at..))
            .unwrap_or_default(),
    };
    let digits = port.strip_prefix(':').unwrap_or(port);
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        let shown = gotmpl::strconv::quote(port.as_bytes());
        return fault(format!("invalid port {shown} after host"));
    }
    // Texts that are opaque are not looked into.
    let opaque = scheme(bare).is_some() && !rest.starts_with('/');
    if !opaque && let Some(at) = bad_escape(path) {
        let shown = gotmpl::strconv::quote(at.as_bytes());
        return fault(format!("invalid URL escape {shown}"));
    }
    Ok(())
}

fn bad_escape(path: &str) -> Option<&str> {
    let hex = |at: usize| path.as_bytes().get(at).is_some_and(u8::is_ascii_hexdigit);
    let (at, _) = path
        .match_indices('%')
        .find(|(at, _)| !hex(at + 1) || !hex(at + 2))?;
    let rest = path.get(at..)?;
    Some(
        rest.char_indices()
            .nth(3)
            .map_or(rest, |(end, _)| rest.get(..end).unwrap_or(rest)),
    )
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
