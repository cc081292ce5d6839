//! Single files on servers: what kustomizations name by address.

use std::sync::Arc;

use crate::cache::key;
use crate::fetch::{Answer, Fetched, Lasts, Sources, Wanted};
use crate::http::Ask;
use crate::url::Url;
use crate::{Error, validator};

/// Bytes of one file.
const MAX_FILE: u64 = 64 << 20;

impl Sources {
    /// The content of a file at an `http` or `https` address.
    pub fn file(&self, address: &str) -> Result<Arc<[u8]>, Error> {
        let url = Url::parse(address)?;
        let whole = url.wire();
        let lasts = match is_pinned(&whole) {
            true => Lasts::ForGood,
            false => Lasts::UntilRefresh,
        };
        let wanted = Wanted::new(key("file", &[&whole]), url.bare(), lasts);
        let (bytes, _) = self.content_since(&wanted, |known| {
            let login = self.credentials.of_server(&url);
            let reply = self.client.send(&Ask {
                login: login.as_ref(),
                headers: &validator::questions(known),
                ..Ask::new(&url, MAX_FILE)
            })?;
            if validator::is_same(&reply, known) {
                return Ok(Answer::Same);
            }
            match reply.is_success() {
                true => Ok(Answer::New(Fetched {
                    facts: validator::facts(&reply),
                    bytes: reply.body,
                })),
                false => Err(reply.failure(url.bare(), login.as_ref())),
            }
        })?;
        Ok(bytes)
    }
}

/// Whether a part of the path is a commit or one version.
fn is_pinned(address: &str) -> bool {
    let path = address.split_once("://").map_or(address, |(_, rest)| rest);
    let mut parts = path.split(['/', '?', '&', '=']).skip(1);
    parts.any(|part| {
        let is_commit = part.len() == 40 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        let version = part.strip_prefix('v').unwrap_or(part);
        let core = version.split(['-', '+']).next().unwrap_or_default();
        let numbers = core.split('.').filter(|part| part.parse::<u64>().is_ok());
        is_commit || (numbers.count() == 3 && core.split('.').count() == 3)
    })
}

#[cfg(test)]
mod tests {
    use super::is_pinned;

    #[test]
    fn commits_and_versions_pin() {
        for pinned in [
            "https://h/o/r/v1.2.3/crds.yaml",
            "https://h/o/r/releases/download/1.2.3-rc.1/crds.yaml",
            "https://h/o/r/4ff35ce4b5e2b6a1f6c7b2d3e4f5061728394a5b/x.yaml",
            "https://h/o/r/x.yaml?ref=v1.2.3",
        ] {
            assert!(is_pinned(pinned), "{pinned}");
        }
        for moves in [
            "https://h/o/r/main/x.yaml",
            "https://10.0.0.1/x.yaml",
            "https://h/v1.2/x",
        ] {
            assert!(!is_pinned(moves), "{moves}");
        }
    }
}
