//! URLs, taken apart and put together.

use gotmpl::value::types::ANY_MAP;
use gotmpl::value::{Map, Str, Type};
use gotmpl::{Failure, Functions, Value};

use super::{TEXT, kind, made};

pub(super) fn add(all: &mut Functions) {
    all.add("urlParse", &[TEXT], |_, args| {
        let url = Url::parse(&args.text(0)).map_err(|e| {
            let text = gotmpl::strconv::quote(args.bytes(0));
            Failure::from(format!("unable to parse url: parse {text}: {e}"))
        })?;
        let map = Map::new(&ANY_MAP);
        let put =
            |key: &'static str, text: String| map.insert(Str::from_static(key), Value::from(text));
        put("hostname", url.hostname());
        put("scheme", url.scheme);
        put("host", url.host);
        put("path", url.path);
        put("query", url.query);
        put("opaque", url.opaque);
        put("fragment", url.fragment);
        put("userinfo", url.user);
        Ok(map.into())
    });
    all.add("urlJoin", &[Type::DICT], |cx, args| {
        let field = |key: &str| match args.map(0).and_then(|map| map.get(key.as_bytes())) {
            None => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.text().into_owned()),
            Some(other) => Err(Failure::from(format!(
                "unable to parse {key} key, must be of type string, but {} found",
                kind(&other)
            ))),
        };
        let url = Url {
            scheme: field("scheme")?,
            host: field("host")?,
            path: field("path")?,
            query: field("query")?,
            opaque: field("opaque")?,
            fragment: field("fragment")?,
            user: field("userinfo")?,
        };
        made(cx, url.text())
    });
}

#[derive(Default)]
struct Url {
    scheme: String,
    opaque: String,
    user: String,
    host: String,
    path: String,
    query: String,
    fragment: String,
}

impl Url {
    fn parse(text: &str) -> Result<Self, String> {
        if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
            return Err("net/url: invalid control character in URL".to_owned());
        }
        let mut url = Url::default();
        let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
        url.fragment = decoded(fragment)?;
        let rest = match scheme(text)? {
            Some((scheme, rest)) => {
                url.scheme = scheme.to_ascii_lowercase();
                rest
            }
            None => text,
        };
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        url.query = query.to_owned();
        if !rest.starts_with('/') && !url.scheme.is_empty() {
            url.opaque = rest.to_owned();
            return Ok(url);
        }
        let path = match rest.strip_prefix("//") {
            Some(rest) => {
                let at = rest.find('/').unwrap_or(rest.len());
                let (authority, path) = rest.split_at(at);
                let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
                url.user = user.to_owned();
                url.host = decoded(host)?;
                path
            }
            None => rest,
        };
        url.path = decoded(path)?;
        Ok(url)
    }

    /// The host without its port and brackets.
    fn hostname(&self) -> String {
        let host = &self.host;
        if let Some((inside, _)) = host.strip_prefix('[').and_then(|host| host.split_once(']')) {
            return inside.to_owned();
        }
        match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name.to_owned(),
            _ => host.clone(),
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        if !self.scheme.is_empty() {
            out.push_str(&self.scheme);
            out.push(':');
        }
        if !self.opaque.is_empty() {
            out.push_str(&self.opaque);
        } else {
            let authority = !self.host.is_empty() || !self.user.is_empty();
            if authority || !self.scheme.is_empty() && self.path.starts_with("//") {
                out.push_str("//");
                if !self.user.is_empty() {
                    out.push_str(&self.user);
                    out.push('@');
                }
                out.push_str(&self.host);
            } else if !self.scheme.is_empty() && !self.path.is_empty() {
                out.push_str("//");
            }
            if !self.path.is_empty() && !self.path.starts_with('/') && !self.host.is_empty() {
                out.push('/');
            }
            out.push_str(&encoded(&self.path, b"$&+,/:;=@"));
        }
        if !self.query.is_empty() {
            out.push('?');
            out.push_str(&self.query);
        }
        if !self.fragment.is_empty() {
            out.push('#');
            out.push_str(&encoded(&self.fragment, b"!()*$&+,/:;=?@"));
        }
        out
    }
}

fn scheme(text: &str) -> Result<Option<(&str, &str)>, String> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => {
                return Ok(text
                    .split_at_checked(at)
                    .and_then(|(s, r)| Some((s, r.get(1..)?))));
            }
            _ => return Ok(None),
        }
    }
    Ok(None)
}

fn decoded(text: &str) -> Result<String, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, behind)) = rest.split_first() {
        if *byte != b'%' {
            out.push(*byte);
            rest = behind;
            continue;
        }
        let digits = behind
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let number = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let Some(number) = number else {
            let shown = String::from_utf8_lossy(rest.get(..3).unwrap_or(rest)).into_owned();
            return Err(format!(
                "invalid URL escape {}",
                gotmpl::strconv::quote(shown.as_bytes())
            ));
        };
        out.push(number);
        rest = behind.get(2..).unwrap_or_default();
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn encoded(text: &str, plain: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        let kept = byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) || plain.contains(&byte);
        match kept {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
