//! A proxy that a source names.

use ecow::{EcoString, eco_format};

use crate::Error;
use crate::url::shown;

/// A proxy, and who asks it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Proxy {
    address: EcoString,
    user: Option<(EcoString, EcoString)>,
}

impl Proxy {
    /// A proxy at an address.
    pub fn new(address: &str, user: Option<(&str, &str)>) -> Self {
        Proxy {
            address: address.trim().into(),
            user: user.map(|(name, password)| (name.into(), password.into())),
        }
    }

    /// The address with who asks. It is not for messages.
    pub(crate) fn address(&self) -> String {
        match (&self.user, self.address.split_once("://")) {
            (Some((name, password)), Some((scheme, rest))) => {
                let (name, password) = (escaped(name), escaped(password));
                format!("{scheme}://{name}:{password}@{rest}")
            }
            _ => self.address.to_string(),
        }
    }

    pub(super) fn open(&self) -> Result<ureq::Proxy, Error> {
        ureq::Proxy::new(&self.address()).map_err(|_| {
            let shown = shown(&self.address);
            Error::Address(eco_format!(
                "the proxy's address `{shown}` is not understood"
            ))
        })
    }
}

/// Without who asks.
impl std::fmt::Debug for Proxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Proxy({})", shown(&self.address))
    }
}

fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let escape = |byte: u8| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    text.bytes().map(escape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_is_escaped_and_not_shown() {
        let proxy = Proxy::new("http://proxy.example.com:3128", Some(("me", "p@ss:w")));
        assert_eq!(
            proxy.address(),
            "http://me:p%40ss%3Aw@proxy.example.com:3128"
        );
        assert!(proxy.open().is_ok());
        assert_eq!(format!("{proxy:?}"), "Proxy(http://proxy.example.com:3128)");
        assert!(Proxy::new("no address ://", None).open().is_err());
    }
}
