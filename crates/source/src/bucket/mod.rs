//! Buckets of servers that speak Amazon's S3 protocol.
//!
//! The library that knows the protocol is behind the feature `bucket`: it brings
//! an asynchronous runtime with it, which is never started, because all requests
//! go through the one [`Client`](crate::http::Client) and wait there.

#[cfg(feature = "bucket")]
mod fetch;
#[cfg(feature = "bucket")]
mod service;

use ecow::{EcoString, eco_format};
use vfs::{ArchiveLimits, Tree, unpack_tar_gz};

use crate::Error;
use crate::cache::key;
use crate::fetch::{Lasts, Sources, Wanted};
use crate::url::{Url, shown};

/// A bucket and what is asked of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bucket {
    /// Host and port of the server.
    pub endpoint: EcoString,
    /// Its name.
    pub name: EcoString,
    /// What the keys that count begin with; empty for all.
    pub prefix: EcoString,
    /// Where it lies; empty for the default.
    pub region: EcoString,
    /// The server speaks plain HTTP.
    pub insecure: bool,
}

impl Bucket {
    /// The address that people know it by, and that [`Sources::tell`] takes.
    pub fn address(&self) -> EcoString {
        eco_format!("{}/{}", self.endpoint, self.name)
    }

    fn server(&self) -> Result<Url, Error> {
        let scheme = if self.insecure { "http" } else { "https" };
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if self.name.is_empty() || !self.name.chars().all(fits) || self.name.starts_with('.') {
            let address = self.address();
            let why = eco_format!("`{}` is no address of a bucket", shown(&address));
            return Err(Error::Address(why));
        }
        Url::parse(&format!("{scheme}://{}/", self.endpoint))
    }
}

impl Sources {
    /// The objects of a bucket as files.
    pub fn bucket(&self, bucket: &Bucket) -> Result<Tree, Error> {
        let files = || {
            let server = bucket.server()?;
            let parts = [&server.wire(), bucket.name.as_str(), &bucket.prefix];
            if bucket.prefix.chars().any(char::is_control) {
                let why = eco_format!(
                    "the prefix of {} holds control characters",
                    bucket.address()
                );
                return Err(Error::Address(why));
            }
            let what = eco_format!("the bucket {}", bucket.address());
            let wanted = Wanted::new(key("bucket", &parts), what, Lasts::UntilRefresh);
            let (bytes, _) = self.content(&wanted, || self.fetch_bucket(bucket, &server))?;
            // It was packed here: how much it was compressed is nobody's attack.
            let limits = ArchiveLimits {
                ratio: u64::MAX,
                total: 1 << 30,
                ..ArchiveLimits::default()
            };
            let files = unpack_tar_gz(&bytes, limits);
            files.map_err(|error| Error::answer(bucket.address(), error))
        };
        let files = files().map_err(|error| self.explained(&bucket.address(), error));
        Ok(Tree::new(files?))
    }

    #[cfg(not(feature = "bucket"))]
    fn fetch_bucket(&self, bucket: &Bucket, _: &Url) -> Result<crate::fetch::Fetched, Error> {
        Err(Error::Address(eco_format!(
            "{}: this program was built without buckets",
            bucket.address()
        )))
    }
}
