//! Chart repositories over HTTP: an index, and the archives it names.

mod index;

use std::sync::Arc;

use ecow::{EcoString, eco_format};

pub use index::{Index, IndexEntry};

use crate::auth::Access;
use crate::cache::{Digest, Facts, Record, key};
use crate::fetch::{Answer, Fetched, Lasts, Sources, Wanted};
use crate::http::{Ask, Proxy, TlsFiles};
use crate::list::{Dated, Edition};
use crate::phases::Phase;
use crate::url::Url;
use crate::{Error, Login, lock, nearest, validator};

/// Bytes of an index: source-controller's `--helm-index-max-size`.
const MAX_INDEX: u64 = 50 << 20;
/// Bytes of a chart: source-controller's `--helm-chart-max-size`.
const MAX_CHART: u64 = 10 << 20;

/// A repository and how it is asked.
struct Repository {
    url: Url,
    login: Option<Login>,
    tls: Option<TlsFiles>,
    proxy: Option<Proxy>,
    pass_credentials: bool,
}

impl Sources {
    /// The index of a chart repository at an `http` or `https` address.
    pub fn index(&self, address: &str) -> Result<Arc<Index>, Error> {
        let url = Url::parse(address)?;
        Ok(self.edition(address, &url, Edition::Kept)?.0)
    }

    /// An edition of it, read once.
    fn edition(
        &self,
        address: &str,
        url: &Url,
        edition: Edition,
    ) -> Result<Dated<Arc<Index>>, Error> {
        let slot = lock(&self.indexes)
            .entry((index_key(url), edition))
            .or_default()
            .clone();
        slot.get_or_init(|| self.read_index(address, url, edition))
            .clone()
    }

    fn read_index(
        &self,
        address: &str,
        url: &Url,
        edition: Edition,
    ) -> Result<Dated<Arc<Index>>, Error> {
        let what = eco_format!("the index of {}", url.bare());
        let wanted = edition.wanted(index_key(url), what);
        let (bytes, record) = self.content_since(&wanted, |known| {
            let repository = self.repository(address, url.clone());
            self.fetch_index(&repository, known)
        })?;
        let read = || serde_json::from_slice(&bytes);
        let index: Result<Index, _> = self.phases.time(Phase::Index, read);
        let index = index.map_err(|error| Error::Cache(eco_format!("{error}")))?;
        Ok((Arc::new(index), record.fetched))
    }

    /// Looks something up in the index; says the newest that is known, too.
    fn in_index<T>(
        &self,
        address: &str,
        url: &Url,
        find: impl Fn(&Index) -> Option<T>,
    ) -> Result<(Option<T>, Arc<Index>), Error> {
        let edition = |edition| self.edition(address, url, edition);
        self.search(&index_key(url), edition, |index| find(index))
    }

    /// The version that a choice takes of those of a chart. `asked` says what it
    /// goes by, for the error when there is none.
    pub fn chart_version(
        &self,
        address: &str,
        chart: &str,
        asked: &str,
        choose: &dyn Fn(&[EcoString]) -> Option<EcoString>,
    ) -> Result<EcoString, Error> {
        let url = Url::parse(address)?;
        let (found, index) = self.in_index(address, &url, |index| {
            let versions = index.versions(chart).iter();
            let versions: Vec<EcoString> = versions.map(|v| v.version.as_str().into()).collect();
            choose(&versions)
        })?;
        found.ok_or_else(|| no_version(&url, &index, chart, asked))
    }

    fn fetch_index(
        &self,
        repository: &Repository,
        known: Option<&Record>,
    ) -> Result<Answer, Error> {
        let at = repository.url.below("index.yaml");
        let reply = self.client.send(&Ask {
            headers: &validator::questions(known),
            login: repository.login.as_ref(),
            tls: repository.tls.as_ref(),
            proxy: repository.proxy.as_ref(),
            ..Ask::new(&at, MAX_INDEX)
        })?;
        if validator::is_same(&reply, known) {
            return Ok(Answer::Same);
        }
        if !reply.is_success() {
            let place = repository.url.bare();
            return Err(match reply.failure(place, repository.login.as_ref()) {
                Error::RepositoryMissing(_) => Error::RepositoryMissing(at.bare()),
                other => other,
            });
        }
        let facts = validator::facts(&reply);
        let text = String::from_utf8(reply.body)
            .map_err(|_| Error::answer(at.bare(), "it is not UTF-8 text"))?;
        let index = Index::read(&text).map_err(|why| Error::answer(at.bare(), why))?;
        drop(text);
        let bytes = serde_json::to_vec(&index);
        Ok(Answer::New(Fetched {
            bytes: bytes.map_err(|error| Error::answer(at.bare(), error))?,
            facts,
        }))
    }

    /// The archive of a version of a chart, as the repository publishes it.
    pub fn chart(&self, address: &str, chart: &str, version: &str) -> Result<Arc<[u8]>, Error> {
        let url = Url::parse(address)?;
        let (entry, index) = self.in_index(address, &url, |index| {
            let mut versions = index.versions(chart).iter();
            versions.find(|entry| entry.version == version).cloned()
        })?;
        let Some(entry) = entry else {
            return Err(no_version(&url, &index, chart, version));
        };
        let Some(archive) = &entry.url else {
            let why = eco_format!("its index names no address for {chart} {version}");
            return Err(Error::answer(url.bare(), why));
        };
        if archive.starts_with("oci://") {
            return self.oci_chart_at(archive);
        }
        let at = match archive.contains("://") || archive.starts_with('/') {
            true => url.join(archive)?,
            false => url.below(archive),
        };
        let digest = entry.digest.as_deref().and_then(Digest::parse);
        let hex = digest.as_ref().map_or("", Digest::hex);
        let wanted = Wanted::new(
            key("helm-chart", &[&url.wire(), chart, version, hex]),
            eco_format!("chart {chart} {version} of {}", url.bare()),
            Lasts::ForGood,
        );
        let (bytes, _) = self.content(&wanted, || {
            let repository = self.repository(address, url.clone());
            self.fetch_archive(&repository, &at, digest.as_ref())
        })?;
        Ok(bytes)
    }

    fn fetch_archive(
        &self,
        repository: &Repository,
        at: &Url,
        digest: Option<&Digest>,
    ) -> Result<Fetched, Error> {
        let known = digest.and_then(|digest| self.cache.blob(digest));
        if let Some(bytes) = known {
            // Another repository had the very same archive.
            return Ok(Fetched {
                bytes: bytes.to_vec(),
                facts: Facts::new(),
            });
        }
        let is_own = repository.url.same_server(at) || repository.pass_credentials;
        let of_server = (!is_own).then(|| self.credentials.of_server(at)).flatten();
        let login = repository.login.as_ref().filter(|_| is_own);
        let login = login.or(of_server.as_ref());
        let reply = self.client.send(&Ask {
            login,
            tls: repository.tls.as_ref().filter(|_| is_own),
            proxy: repository.proxy.as_ref(),
            ..Ask::new(at, MAX_CHART)
        })?;
        if !reply.is_success() {
            return Err(reply.failure(at.bare(), login));
        }
        check_digest(&reply.body, digest, &at.bare())?;
        Ok(Fetched {
            bytes: reply.body,
            facts: Facts::new(),
        })
    }

    fn repository(&self, address: &str, url: Url) -> Repository {
        let Access {
            login,
            tls,
            pass_credentials,
            proxy,
            ..
        } = self.credentials.access(address);
        Repository {
            login: login.or_else(|| self.credentials.of_server(&url)),
            tls: tls.or_else(|| self.credentials.tls_of_server(&url)),
            proxy,
            pass_credentials,
            url,
        }
    }
}

/// Fails when bytes are not what a digest names.
pub(crate) fn check_digest(
    bytes: &[u8],
    digest: Option<&Digest>,
    at: &EcoString,
) -> Result<(), Error> {
    let found = Digest::of(bytes);
    match digest {
        Some(wanted) if *wanted != found => Err(Error::Digest {
            at: at.clone(),
            wanted: eco_format!("{wanted}"),
            found: eco_format!("{found}"),
        }),
        _ => Ok(()),
    }
}

fn index_key(url: &Url) -> EcoString {
    key("helm-index", &[url.wire().trim_end_matches('/')])
}

/// That a chart has no such version, or none that a range takes.
fn no_version(url: &Url, index: &Index, chart: &str, version: &str) -> Error {
    let versions = index.versions(chart);
    let (what, nearest) = match versions {
        [] => (eco_format!("chart {chart}"), nearest(index.charts(), chart)),
        some => {
            let known = some.iter().map(|entry| entry.version.as_str());
            (
                eco_format!("version {version} of chart {chart}"),
                nearest(known, version),
            )
        }
    };
    Error::ReferenceMissing {
        what,
        at: url.bare(),
        nearest,
    }
}
