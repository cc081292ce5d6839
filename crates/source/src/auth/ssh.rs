//! A key for SSH that a Secret of the repository holds.

use std::fmt;
use std::sync::Arc;

use ecow::EcoString;

/// A private key and the hosts it may be shown to, as a Secret of a
/// GitRepository has them.
#[derive(Clone, PartialEq, Eq)]
pub struct SshKey {
    /// The key in PEM or OpenSSH form (`identity`).
    pub identity: Arc<[u8]>,
    /// The only hosts that are trusted (`known_hosts`).
    pub known_hosts: Arc<[u8]>,
    /// What the key is encrypted with (`password`).
    pub passphrase: Option<EcoString>,
    /// Where it comes from, as messages name it.
    pub whence: EcoString,
}

/// Without what is secret.
impl fmt::Debug for SshKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SshKey({})", self.whence)
    }
}
