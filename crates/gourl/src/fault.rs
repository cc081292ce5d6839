//! What Go says when it cannot read a URL.

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// A control character.
    Control,
    /// A colon at the beginning.
    NoScheme,
    /// A colon where a scheme would end, which it is none.
    Colon,
    /// A bracket that is no address's.
    Literal,
    /// A bracket that is not closed.
    Bracket,
    /// A port that is no number.
    Port(Vec<u8>),
    /// A percent sign without two digits, or where none may stand.
    Escape(Vec<u8>),
    /// A character that no host has.
    Host(Vec<u8>),
    /// Brackets around what is no address.
    Address(Vec<u8>),
    /// A character that no user has.
    User,
}

impl Fault {
    /// Go's words; `quote` writes texts as Go's `%q`.
    pub fn message(&self, quote: impl Fn(&[u8]) -> String) -> String {
        match self {
            Fault::Control => "net/url: invalid control character in URL".to_owned(),
            Fault::NoScheme => "missing protocol scheme".to_owned(),
            Fault::Colon => "first path segment in URL cannot contain colon".to_owned(),
            Fault::Literal => "invalid IP-literal".to_owned(),
            Fault::Bracket => "missing ']' in host".to_owned(),
            Fault::Port(port) => format!("invalid port {} after host", quote(port)),
            Fault::Escape(text) => format!("invalid URL escape {}", quote(text)),
            Fault::Host(text) => format!("invalid character {} in host name", quote(text)),
            Fault::Address(text) => {
                let text = quote(text);
                format!("invalid host: ParseAddr({text}): unable to parse IP")
            }
            Fault::User => "net/url: invalid userinfo".to_owned(),
        }
    }
}
