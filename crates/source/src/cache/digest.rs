//! SHA-256, the name of content.

use std::fmt;

use ecow::EcoString;
use sha2::{Digest as _, Sha256};

/// The SHA-256 of something.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest(EcoString);

impl Digest {
    /// The digest of bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        let mut text = String::with_capacity(64);
        for byte in Sha256::digest(bytes) {
            for digit in [byte >> 4, byte & 15] {
                text.extend(char::from_digit(u32::from(digit), 16));
            }
        }
        Digest(text.into())
    }

    /// Reads `sha256:<hex>` or bare hex; `None` when it is no SHA-256.
    pub fn parse(text: &str) -> Option<Digest> {
        let hex = text.trim().strip_prefix("sha256:").unwrap_or(text.trim());
        let is_hex = hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        (hex.len() == 64 && is_hex).then(|| Digest(hex.to_ascii_lowercase().into()))
    }

    /// 64 digits.
    pub fn hex(&self) -> &str {
        &self.0
    }
}

/// `sha256:<hex>`.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.0)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_written_and_read() {
        let digest = Digest::of(b"");
        let text = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(digest.to_string(), text);
        assert_eq!(Digest::parse(text), Some(digest.clone()));
        assert_eq!(Digest::parse(digest.hex()), Some(digest));
        assert_eq!(Digest::parse("sha256:../../x"), None);
        assert_eq!(Digest::parse("sha512:00"), None);
    }
}
