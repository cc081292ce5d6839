//! URLs as Go's `net/url` (1.26) reads and writes them: what charts, kustomizations
//! and schemas may hold is what that package takes.
//!
//! Texts are bytes: percent signs may stand for what is no UTF-8.

#![forbid(unsafe_code)]

mod escape;
mod fault;
mod host;

pub use fault::Fault;

use escape::{Place, escaped, is_escaped, unescaped};

/// A URL, taken apart; or put together, from [`Url::default`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Url {
    /// In lower case; empty for a relative reference.
    pub scheme: Vec<u8>,
    /// What follows a scheme without a slash.
    pub opaque: Vec<u8>,
    /// Who asks.
    pub user: Option<User>,
    /// Host and port.
    pub host: Vec<u8>,
    /// The path, without percent signs.
    pub path: Vec<u8>,
    /// The query, as written.
    pub query: Vec<u8>,
    /// The fragment, without percent signs.
    pub fragment: Vec<u8>,
    /// The path as written, where it is not how it would be written.
    raw_path: Vec<u8>,
    raw_fragment: Vec<u8>,
    /// There is a question mark, and nothing behind it.
    empty_query: bool,
    /// A path follows the scheme at once.
    no_host: bool,
}

/// Name and password, without percent signs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub name: Vec<u8>,
    /// The password, if there is a colon.
    pub password: Option<Vec<u8>>,
}

/// Cuts at the first of a byte.
fn cut(text: &[u8], mark: u8) -> (&[u8], Option<&[u8]>) {
    match text.iter().position(|byte| *byte == mark) {
        Some(at) => {
            let (before, behind) = text.split_at(at);
            (before, behind.get(1..))
        }
        None => (text, None),
    }
}

impl Url {
    /// Reads a URL or a relative reference, as `url.Parse`.
    ///
    /// # Errors
    /// What Go says is wrong, and of which part of the text.
    pub fn parse(text: &[u8]) -> Result<Url, (Fault, &[u8])> {
        let (bare, fragment) = cut(text, b'#');
        let mut url = Url::without_fragment(bare).map_err(|fault| (fault, bare))?;
        let fragment = fragment.unwrap_or_default();
        url.fragment = unescaped(fragment, Place::Fragment).map_err(|fault| (fault, text))?;
        if escaped(&url.fragment, Place::Fragment) != fragment {
            url.raw_fragment = fragment.to_vec();
        }
        Ok(url)
    }

    fn without_fragment(text: &[u8]) -> Result<Url, Fault> {
        if text.iter().any(|byte| *byte < b' ' || *byte == 0x7f) {
            return Err(Fault::Control);
        }
        let mut url = Url::default();
        if text == b"*" {
            url.path = text.to_vec();
            return Ok(url);
        }
        let (scheme, rest) = scheme(text)?;
        url.scheme = scheme.to_ascii_lowercase();
        let (mut rest, query) = cut(rest, b'?');
        url.query = query.unwrap_or_default().to_vec();
        url.empty_query = query.is_some_and(<[u8]>::is_empty);
        if !rest.starts_with(b"/") {
            if !url.scheme.is_empty() {
                url.opaque = rest.to_vec();
                return Ok(url);
            }
            let (first, _) = cut(rest, b'/');
            if first.contains(&b':') {
                return Err(Fault::Colon);
            }
        }
        let has_authority = !url.scheme.is_empty() || !rest.starts_with(b"///");
        match rest.strip_prefix(b"//").filter(|_| has_authority) {
            Some(behind) => {
                let end = behind.iter().position(|byte| *byte == b'/');
                let (authority, path) = behind.split_at(end.unwrap_or(behind.len()));
                url.read_authority(authority)?;
                rest = path;
            }
            None => url.no_host = !url.scheme.is_empty() && rest.starts_with(b"/"),
        }
        url.path = unescaped(rest, Place::Path)?;
        if escaped(&url.path, Place::Path) != rest {
            url.raw_path = rest.to_vec();
        }
        Ok(url)
    }

    fn read_authority(&mut self, authority: &[u8]) -> Result<(), Fault> {
        let at = authority.iter().rposition(|byte| *byte == b'@');
        let (user, host) = match at {
            Some(at) => {
                let (user, host) = authority.split_at(at);
                (Some(user), host.get(1..).unwrap_or_default())
            }
            None => (None, authority),
        };
        self.host = host::read(&self.scheme, host)?;
        self.user = user.map(User::read).transpose()?;
        Ok(())
    }

    /// The host without its port and brackets.
    pub fn hostname(&self) -> &[u8] {
        let host = self.host.as_slice();
        let colon = host.iter().rposition(|byte| *byte == b':');
        let (name, port) = host.split_at(colon.unwrap_or(host.len()));
        let name = if host::is_port(port) { name } else { host };
        let inside = name.strip_prefix(b"[").and_then(|n| n.strip_suffix(b"]"));
        inside.unwrap_or(name)
    }

    /// The whole, as `URL.String` writes it.
    pub fn text(&self) -> Vec<u8> {
        let mut out = Vec::new();
        if !self.scheme.is_empty() {
            out.extend(&self.scheme);
            out.push(b':');
        }
        if self.opaque.is_empty() {
            self.write_authority(&mut out);
            self.write_path(&mut out);
        } else {
            out.extend(&self.opaque);
        }
        if self.empty_query || !self.query.is_empty() {
            out.push(b'?');
            out.extend(&self.query);
        }
        if !self.fragment.is_empty() {
            out.push(b'#');
            out.extend(written(&self.fragment, &self.raw_fragment, Place::Fragment));
        }
        out
    }

    fn write_authority(&self, out: &mut Vec<u8>) {
        let has_host = !self.host.is_empty() || self.user.is_some();
        let omitted = self.no_host && !has_host;
        if (self.scheme.is_empty() && !has_host) || omitted {
            return;
        }
        if has_host || !self.path.is_empty() {
            out.extend(b"//");
        }
        if let Some(user) = &self.user {
            out.extend(user.text());
            out.push(b'@');
        }
        out.extend(escaped(&self.host, Place::Host));
    }

    fn write_path(&self, out: &mut Vec<u8>) {
        let path = match self.raw_path.is_empty() && self.path == b"*" {
            true => self.path.clone(),
            false => written(&self.path, &self.raw_path, Place::Path),
        };
        if !path.is_empty() && !path.starts_with(b"/") && !self.host.is_empty() {
            out.push(b'/');
        }
        // Else the first segment would be taken for a scheme.
        if out.is_empty() && cut(&path, b'/').0.contains(&b':') {
            out.extend(b"./");
        }
        out.extend(path);
    }
}

impl User {
    fn read(text: &[u8]) -> Result<User, Fault> {
        if !text.iter().all(|byte| host::is_of_user(*byte)) {
            return Err(Fault::User);
        }
        let (name, password) = cut(text, b':');
        let read = |text| unescaped(text, Place::User);
        Ok(User {
            name: read(name)?,
            password: password.map(read).transpose()?,
        })
    }

    /// As `Userinfo.String` writes it.
    pub fn text(&self) -> Vec<u8> {
        let mut out = escaped(&self.name, Place::User);
        if let Some(password) = &self.password {
            out.push(b':');
            out.extend(escaped(password, Place::User));
        }
        out
    }
}

/// As it was written, where that still stands for it.
fn written(text: &[u8], raw: &[u8], place: Place) -> Vec<u8> {
    let stands = !raw.is_empty()
        && is_escaped(raw, place)
        && unescaped(raw, place).is_ok_and(|known| known == text);
    match stands {
        true => raw.to_vec(),
        false => escaped(text, place),
    }
}

/// The scheme, and what follows its colon; an empty one, and all, where there is
/// none.
fn scheme(text: &[u8]) -> Result<(&[u8], &[u8]), Fault> {
    let letters = text
        .iter()
        .position(|b| !(b.is_ascii_alphanumeric() || b"+-.".contains(b)));
    let begins = text.first().is_some_and(u8::is_ascii_alphabetic);
    match letters.and_then(|at| Some((at, text.get(at)?))) {
        Some((0, b':')) => Err(Fault::NoScheme),
        Some((at, b':')) if begins => {
            let (scheme, rest) = text.split_at(at);
            Ok((scheme, rest.get(1..).unwrap_or_default()))
        }
        _ => Ok((b"", text)),
    }
}
