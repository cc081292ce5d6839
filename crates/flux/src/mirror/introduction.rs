//! What a mirror is told of a source: how its objects and the Secrets they name
//! say that it is asked.

use ecow::EcoString;

/// A source object, as far as it says how it is asked.
#[derive(Clone, Copy, Debug)]
pub struct Introduction<'a> {
    /// Its kind.
    pub kind: &'a str,
    /// `spec.url`.
    pub url: &'a str,
    /// `spec.insecure`: plain HTTP.
    pub insecure: bool,
    /// `spec.passCredentials`: other hosts that an index names get them, too.
    pub pass_credentials: bool,
    /// `spec.provider`: the cloud that logs in; empty or `generic` for none.
    pub provider: &'a str,
    /// The Secrets it names, as far as the repository holds them readably.
    pub secrets: &'a [HeldSecret],
    /// The Secret of its proxy, likewise.
    pub proxy: Option<&'a HeldSecret>,
}

/// A Secret that the repository holds readably.
#[derive(Clone)]
pub struct HeldSecret {
    /// `namespace/name`.
    pub name: EcoString,
    /// Its values by key; those that are encrypted are left out.
    pub data: Vec<(EcoString, Vec<u8>)>,
}

/// Without its values.
impl std::fmt::Debug for HeldSecret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "HeldSecret({})", self.name)
    }
}

impl HeldSecret {
    /// A value.
    pub fn get(&self, key: &str) -> Option<&[u8]> {
        let mut data = self.data.iter();
        let (_, value) = data.find(|(known, _)| known == key)?;
        Some(value)
    }
}
