//! Addresses of things on HTTP servers.

use std::fmt;

use ecow::{EcoString, eco_format};

use crate::Error;

/// An `http` or `https` address. It is shown without credentials.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Url {
    secure: bool,
    /// Lower case; an IPv6 address in brackets.
    host: EcoString,
    port: u16,
    /// Path and query; begins with a slash.
    path: EcoString,
    /// User and password of the address itself.
    user: Option<(EcoString, EcoString)>,
}

impl Url {
    /// Reads an address. Fails when it is no `http` or `https` address, has no
    /// host or holds control characters.
    pub fn parse(text: &str) -> Result<Url, Error> {
        let text = text.trim();
        let refuse = |why: &str| Error::Address(eco_format!("`{}` {why}", shown(text)));
        let (scheme, rest) = text
            .split_once("://")
            .ok_or_else(|| refuse("has no scheme"))?;
        let secure = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err(refuse("is no http or https address")),
        };
        if text.chars().any(char::is_control) {
            return Err(refuse("holds control characters"));
        }
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, place)) => (Some(user), place),
            None => (None, authority),
        };
        let (host, port) = host_and_port(place).ok_or_else(|| refuse("has no valid host"))?;
        Ok(Url {
            secure,
            host,
            port: port.unwrap_or(if secure { 443 } else { 80 }),
            path: rooted(path),
            user: user.map(user_and_password),
        })
    }

    /// Where a reference found at this address leads: another address, a path,
    /// or a path beside this one.
    pub fn join(&self, reference: &str) -> Result<Url, Error> {
        let reference = reference.trim();
        if is_absolute(reference) {
            return Url::parse(reference);
        }
        if let Some(rest) = reference.strip_prefix("//") {
            let scheme = if self.secure { "https" } else { "http" };
            return Url::parse(&format!("{scheme}://{rest}"));
        }
        if reference.chars().any(char::is_control) {
            let why = eco_format!("a reference found at {self} holds control characters");
            return Err(Error::Address(why));
        }
        let own = self.path.split(['?', '#']).next().unwrap_or("/");
        let path = match reference {
            "" => own.to_owned(),
            rooted if rooted.starts_with('/') => rooted.to_owned(),
            query if query.starts_with('?') => format!("{own}{query}"),
            beside => {
                let directory = own.rsplit_once('/').map_or("", |(directory, _)| directory);
                format!("{directory}/{beside}")
            }
        };
        Ok(self.with_path(&path))
    }

    /// An address below this one, which is taken for a directory. Its query
    /// stays.
    pub fn below(&self, path: &str) -> Url {
        let own = self.path.split('#').next().unwrap_or("/");
        let (own, query) = match own.split_once('?') {
            Some((own, query)) => (own, format!("?{query}")),
            None => (own, String::new()),
        };
        self.with_path(&format!("{}/{path}{query}", own.trim_end_matches('/')))
    }

    /// The same server with another path and query.
    pub fn with_path(&self, path: &str) -> Url {
        Url {
            path: rooted(path),
            ..self.clone()
        }
    }

    /// Whether it is `https`.
    pub fn is_secure(&self) -> bool {
        self.secure
    }

    /// Name or IP address, in lower case.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Name and port; the port is left out where the scheme says it.
    pub fn authority(&self) -> EcoString {
        match (self.secure, self.port) {
            (true, 443) | (false, 80) => self.host.clone(),
            (_, port) => eco_format!("{}:{port}", self.host),
        }
    }

    /// Whether two addresses are of one server: scheme, host and port.
    pub fn same_server(&self, other: &Url) -> bool {
        (self.secure, &self.host, self.port) == (other.secure, &other.host, other.port)
    }

    /// User and password that the address itself names.
    pub fn user(&self) -> Option<(&str, &str)> {
        let (user, password) = self.user.as_ref()?;
        Some((user, password))
    }

    /// The address without query, as messages show it: a query may hold a
    /// token.
    pub fn bare(&self) -> EcoString {
        let whole = eco_format!("{self}");
        let end = whole.find(['?', '#']).unwrap_or(whole.len());
        whole.get(..end).unwrap_or_default().into()
    }

    /// What goes over the wire; without fragment and credentials.
    pub(crate) fn wire(&self) -> String {
        let whole = format!("{self}");
        let end = whole.find('#').unwrap_or(whole.len());
        let whole = whole.get(..end).unwrap_or_default();
        whole
            .chars()
            .map(|c| match c {
                ' ' | '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}' => {
                    format!("%{:02X}", u32::from(c))
                }
                c if c.is_ascii() => c.to_string(),
                c => {
                    let mut buffer = [0; 4];
                    let bytes = c.encode_utf8(&mut buffer).bytes();
                    bytes.map(|byte| format!("%{byte:02X}")).collect()
                }
            })
            .collect()
    }
}

/// Without credentials.
impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.secure { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority(), self.path)
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

fn is_absolute(reference: &str) -> bool {
    reference.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty()
            && scheme
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '+')
    })
}

fn rooted(path: &str) -> EcoString {
    match path.starts_with('/') {
        true => path.into(),
        false => eco_format!("/{path}"),
    }
}

fn host_and_port(place: &str) -> Option<(EcoString, Option<u16>)> {
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (address, port) = rest.split_once(']')?;
            address.parse::<std::net::Ipv6Addr>().ok()?;
            (format!("[{address}]"), port.strip_prefix(':'))
        }
        None => match place.split_once(':') {
            Some((host, port)) => (host.to_owned(), Some(port)),
            None => (place.to_owned(), None),
        },
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || "-._[]:".contains(c);
    if host.is_empty() || !host.chars().all(fits) {
        return None;
    }
    let port = match port {
        None | Some("") => None,
        Some(port) => Some(port.parse().ok()?),
    };
    Some((host.to_ascii_lowercase().into(), port))
}

fn user_and_password(user: &str) -> (EcoString, EcoString) {
    let (user, password) = user.split_once(':').unwrap_or((user, ""));
    (unescaped(user), unescaped(password))
}

/// `%41` is `A`.
fn unescaped(text: &str) -> EcoString {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = match (first, tail) {
            (b'%', [a, b, ..]) => hex(*a).zip(hex(*b)).map(|(a, b)| a * 16 + b),
            _ => None,
        };
        bytes.push(escaped.unwrap_or(*first));
        rest = match escaped {
            Some(_) => tail.get(2..).unwrap_or_default(),
            None => tail,
        };
    }
    String::from_utf8_lossy(&bytes).as_ref().into()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|digit| u8::try_from(digit).ok())
}

/// An address of any kind as messages show it: without user, password, query
/// and control characters.
pub fn shown(text: &str) -> EcoString {
    let end = text.find(['?', '#']).unwrap_or(text.len());
    let text = text.get(..end).unwrap_or_default();
    let clean = |text: &str| -> EcoString { text.chars().filter(|c| !c.is_control()).collect() };
    match text.split_once("://") {
        Some((scheme, rest)) => {
            let end = rest.find('/').unwrap_or(rest.len());
            let (authority, path) = rest.split_at(end);
            let host = authority
                .rsplit_once('@')
                .map_or(authority, |(_, host)| host);
            clean(&format!("{scheme}://{host}{path}"))
        }
        None => clean(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_shown_without_credentials() {
        for (text, shown, wire) in [
            (
                "https://Example.com",
                "https://example.com/",
                "https://example.com/",
            ),
            (
                "http://a:8080/x?y=1#z",
                "http://a:8080/x?y=1#z",
                "http://a:8080/x?y=1",
            ),
            (
                "https://u:p%40ss@h:443/a b",
                "https://h/a b",
                "https://h/a%20b",
            ),
            (
                "https://[::1]:5000/é",
                "https://[::1]:5000/é",
                "https://[::1]:5000/%C3%A9",
            ),
        ] {
            let url = Url::parse(text).unwrap();
            assert_eq!(url.to_string(), shown);
            assert_eq!(url.wire(), wire);
        }
        let url = Url::parse("https://u:p%40ss@h/").unwrap();
        assert_eq!(url.user(), Some(("u", "p@ss")));
        assert_eq!(format!("{url:?}"), "https://h/");
        for wrong in [
            "h/x",
            "ftp://h/x",
            "https://",
            "https:///x",
            "https://h:x/",
            "https://h\n/",
        ] {
            assert!(Url::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(shown("oci://u:secret@h/x?token=1"), "oci://h/x");
    }

    #[test]
    fn references_are_joined() {
        let base = Url::parse("https://h/charts/index.yaml?x=1").unwrap();
        for (reference, expected) in [
            ("a-1.0.0.tgz", "https://h/charts/a-1.0.0.tgz"),
            ("/a.tgz", "https://h/a.tgz"),
            ("//other/a.tgz", "https://other/a.tgz"),
            ("http://other:1/a.tgz", "http://other:1/a.tgz"),
            ("?page=2", "https://h/charts/index.yaml?page=2"),
        ] {
            assert_eq!(base.join(reference).unwrap().to_string(), expected);
        }
        let base = Url::parse("https://h/charts/?x=1").unwrap();
        assert_eq!(
            base.below("index.yaml").to_string(),
            "https://h/charts/index.yaml?x=1"
        );
    }
}
