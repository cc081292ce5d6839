//! Chart repositories over HTTP: an index, and the archives it names.

use std::collections::BTreeMap;
use std::sync::Arc;

use ecow::{EcoString, eco_format};
use serde::{Deserialize, Serialize};
use yaml::{FileId, Node};

use crate::auth::Access;
use crate::cache::{Digest, Facts, Record, key};
use crate::fetch::{Answer, Fetched, Sources, Wanted};
use crate::http::{Ask, Proxy, TlsFiles};
use crate::phases::Phase;
use crate::url::Url;
use crate::{Error, Login, lock, nearest, validator};

/// Bytes of an index: source-controller's `--helm-index-max-size`.
const MAX_INDEX: u64 = 50 << 20;
/// Bytes of a chart: source-controller's `--helm-chart-max-size`.
const MAX_CHART: u64 = 10 << 20;

/// What a repository's index says that matters: by chart, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    charts: BTreeMap<String, Vec<IndexEntry>>,
}

/// A version of a chart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexEntry {
    /// The version.
    #[serde(rename = "v")]
    pub version: String,
    /// Where the archive is; relative to the repository or absolute.
    #[serde(rename = "u", default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The archive's digest, as written.
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

impl Index {
    /// The versions of a chart; empty when there is no such chart.
    pub fn versions(&self, chart: &str) -> &[IndexEntry] {
        self.charts.get(chart).map_or(&[], Vec::as_slice)
    }

    /// The names of its charts.
    pub fn charts(&self) -> impl Iterator<Item = &str> {
        self.charts.keys().map(String::as_str)
    }

    /// Reads an `index.yaml`.
    fn read(text: &str) -> Result<Index, EcoString> {
        let root = yaml::sigs_to_json(text, FileId::NONE, false)
            .map_err(|error| eco_format!("{error}"))?;
        // Helm refuses it, too: an error page is YAML of some kind.
        if root
            .get("apiVersion")
            .and_then(Node::text)
            .is_none_or(|v| v.is_empty())
        {
            return Err("it is no index of a chart repository: it has no apiVersion".into());
        }
        let entries = root.get("entries").map(Node::entries).unwrap_or_default();
        let charts = entries.iter().map(|entry| {
            let versions = entry.value.items().iter().filter_map(index_entry);
            (
                entry.key.as_str().unwrap_or_default().to_owned(),
                versions.collect(),
            )
        });
        Ok(Index {
            charts: charts.collect(),
        })
    }
}

fn index_entry(node: &Node) -> Option<IndexEntry> {
    let text = |node: &Node| {
        let text = node.text().filter(|text| !text.is_empty());
        text.map(ToString::to_string)
    };
    let urls = node.get("urls").map(Node::items).unwrap_or_default();
    Some(IndexEntry {
        version: text(node.get("version")?)?,
        url: urls.first().and_then(text),
        digest: node.get("digest").and_then(text),
    })
}

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
        let slot = lock(&self.indexes)
            .entry(url.wire().into())
            .or_default()
            .clone();
        slot.get_or_init(|| self.read_index(address, &url).map(Arc::new))
            .clone()
    }

    fn read_index(&self, address: &str, url: &Url) -> Result<Index, Error> {
        let wanted = Wanted {
            key: key("helm-index", &[url.wire().trim_end_matches('/')]),
            what: eco_format!("the index of {}", url.bare()),
            moves: true,
        };
        let (bytes, _) = self.content_since(&wanted, |known| {
            let repository = self.repository(address, url.clone());
            self.fetch_index(&repository, known)
        })?;
        let read = || serde_json::from_slice(&bytes);
        let index = self.phases.time(Phase::Index, read);
        index.map_err(|error| Error::Cache(eco_format!("{error}")))
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
        let bytes = serde_json::to_vec(&index);
        Ok(Answer::New(Fetched {
            bytes: bytes.map_err(|error| Error::answer(at.bare(), error))?,
            facts,
        }))
    }

    /// The archive of a version of a chart, as the repository publishes it.
    pub fn chart(&self, address: &str, chart: &str, version: &str) -> Result<Arc<[u8]>, Error> {
        let url = Url::parse(address)?;
        let index = self.index(address)?;
        let versions = index.versions(chart);
        if versions.is_empty() {
            return Err(Error::ReferenceMissing {
                what: eco_format!("chart {chart}"),
                at: url.bare(),
                nearest: nearest(index.charts(), chart),
            });
        }
        let Some(entry) = versions.iter().find(|entry| entry.version == version) else {
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
        let wanted = Wanted {
            key: key("helm-chart", &[&url.wire(), chart, version, hex]),
            what: eco_format!("chart {chart} {version} of {}", url.bare()),
            moves: false,
        };
        let (bytes, _) = self.content(&wanted, || {
            let repository = self.repository(address, url.clone());
            self.fetch_archive(&repository, &at, digest.as_ref())
        })?;
        Ok(bytes)
    }

    /// That a chart has no such version, or none that a range takes.
    pub fn no_chart_version(&self, address: &str, chart: &str, version: &str) -> Error {
        let url = match Url::parse(address) {
            Ok(url) => url,
            Err(error) => return error,
        };
        match self.index(address) {
            Ok(index) => no_version(&url, &index, chart, version),
            Err(error) => error,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_read() {
        let text = "apiVersion: v1\nentries:\n  app:\n  - version: 1.1.0\n    urls: [a.tgz, b.tgz]\n    \
                    digest: 00\n  - version: 1.0.0\n  - urls: [x]\n";
        let index = Index::read(text).unwrap();
        let versions = index.versions("app");
        assert_eq!(versions.len(), 2);
        assert_eq!(versions[0].url.as_deref(), Some("a.tgz"));
        assert_eq!(versions[1].digest, None);
        let json = serde_json::to_vec(&index).unwrap();
        assert_eq!(serde_json::from_slice::<Index>(&json).unwrap(), index);
        for wrong in ["", "<html>", "entries: {}", "a: [", "null"] {
            assert!(Index::read(wrong).is_err(), "{wrong}");
        }
    }
}
