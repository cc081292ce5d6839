//! OCI registries: tags, manifests and layers.
//!
//! The few requests that reading takes are written here and not taken from a
//! registry library: all of them go through one [`Client`](crate::http::Client),
//! whose limits and manners hold for them, too.

use std::net::IpAddr;
use std::sync::Arc;

use ecow::{EcoString, eco_format};
use serde::Deserialize;
use vfs::{ArchiveLimits, Tree, unpack_tar_gz};

use crate::auth::Access;
use crate::cache::{Digest, Facts, key};
use crate::fetch::{Fetched, Lasts, Sources, Wanted};
use crate::helm::check_digest;
use crate::http::Reply;
use crate::list::{Dated, Edition};
use crate::oci_manifest::{ACCEPT, Descriptor, HELM_CHART, Manifest};
use crate::phases::Phase;
use crate::url::{Url, shown};
use crate::{Error, nearest};

/// Bytes of a manifest.
const MAX_MANIFEST: u64 = 4 << 20;
/// Bytes of a layer: what source-controller unpacks at most.
const MAX_LAYER: u64 = 100 << 20;
/// Bytes of a page of tags, and pages.
const MAX_TAGS: u64 = 16 << 20;
const MAX_PAGES: usize = 1_000;

/// A repository in a registry.
pub(crate) struct Place {
    /// Where requests go.
    pub server: Url,
    /// The registry as people write it.
    pub registry: EcoString,
    pub repository: EcoString,
    pub access: Access,
}

impl Place {
    /// The address as people write it.
    pub fn shown(&self) -> EcoString {
        eco_format!("oci://{}/{}", self.registry, self.repository)
    }
}

#[derive(Deserialize)]
struct Tags {
    #[serde(default)]
    tags: Option<Vec<String>>,
}

impl Sources {
    /// The tags of a repository (`oci://…`).
    pub fn tags(&self, address: &str) -> Result<Vec<EcoString>, Error> {
        let tags = || Ok(self.list_tags(&self.place(address)?, Edition::Kept)?.0);
        tags().map_err(|error| self.explained(address, error))
    }

    /// The tag that a choice takes of those of a repository. `asked` says what it
    /// goes by, for the error when there is none.
    pub fn oci_tag(
        &self,
        address: &str,
        asked: &str,
        choose: &dyn Fn(&[EcoString]) -> Option<EcoString>,
    ) -> Result<EcoString, Error> {
        let found = || {
            let place = self.place(address)?;
            let list = |edition| self.list_tags(&place, edition);
            let (found, tags) = self.search(&tags_key(&place), list, |tags| choose(tags))?;
            found.ok_or_else(|| no_tag(&place, asked, &tags))
        };
        found().map_err(|error| self.explained(address, error))
    }

    fn list_tags(&self, place: &Place, edition: Edition) -> Result<Dated<Vec<EcoString>>, Error> {
        let what = eco_format!("the tags of {}", place.shown());
        let wanted = edition.wanted(tags_key(place), what);
        let (bytes, record) = self.content(&wanted, || {
            let tags = self.fetch_tags(place)?;
            let bytes = serde_json::to_vec(&tags);
            Ok(Fetched {
                bytes: bytes.map_err(|error| Error::answer(place.shown(), error))?,
                facts: Facts::new(),
            })
        })?;
        let tags: Result<Vec<String>, _> = serde_json::from_slice(&bytes);
        let tags = tags.map_err(|error| Error::Cache(eco_format!("{error}")))?;
        let tags = tags.into_iter().map(EcoString::from);
        Ok((tags.collect(), record.fetched))
    }

    fn fetch_tags(&self, place: &Place) -> Result<Vec<String>, Error> {
        let mut all = Vec::new();
        let path = format!("/v2/{}/tags/list?n=1000", place.repository);
        let mut next = Some(place.server.with_path(&path));
        for _ in 0..MAX_PAGES {
            let Some(url) = next.take() else { break };
            let reply = self.ask_registry_at(place, &url, "application/json", MAX_TAGS)?;
            if !reply.is_success() {
                return Err(reply.failure(place.shown(), None));
            }
            let page: Tags = serde_json::from_slice(&reply.body)
                .map_err(|error| Error::answer(place.shown(), error))?;
            all.extend(page.tags.unwrap_or_default());
            next = next_page(&reply)?.filter(|next| next.same_server(&place.server));
        }
        Ok(all)
    }

    /// The digest that a tag stands for.
    pub fn digest(&self, address: &str, reference: &str) -> Result<EcoString, Error> {
        let place = self.place(address)?;
        let digest = self.manifest(&place, reference);
        let (_, digest) = digest.map_err(|error| self.explained(address, error))?;
        Ok(eco_format!("{digest}"))
    }

    /// The archive of a chart in a registry, at a tag or digest.
    pub fn oci_chart(&self, address: &str, reference: &str) -> Result<Arc<[u8]>, Error> {
        let chart = || {
            let place = self.place(address)?;
            let manifest = self.image(&place, reference)?;
            // That of any other artifact is its first.
            let layer = manifest.layer(Some(HELM_CHART)).or(manifest.layer(None));
            self.blob(&place, layer.ok_or_else(|| no_layer(&place))?)
        };
        chart().map_err(|error| self.explained(address, error))
    }

    /// A layer of an artifact, at a tag or digest: the first of a media type, or
    /// the first of all.
    pub fn oci_layer(
        &self,
        address: &str,
        reference: &str,
        media_type: Option<&str>,
    ) -> Result<Arc<[u8]>, Error> {
        let layer = || {
            let place = self.place(address)?;
            let manifest = self.image(&place, reference)?;
            let Some(layer) = manifest.layer(media_type) else {
                return Err(match media_type {
                    Some(wanted) => no_such_layer(&place, reference, wanted, &manifest),
                    None => no_layer(&place),
                });
            };
            self.blob(&place, layer)
        };
        layer().map_err(|error| self.explained(address, error))
    }

    /// The files of an artifact, at a tag or digest: those of a layer, as
    /// [`Sources::oci_layer`] chooses it.
    pub fn oci_tree(
        &self,
        address: &str,
        reference: &str,
        media_type: Option<&str>,
    ) -> Result<Tree, Error> {
        let bytes = self.oci_layer(address, reference, media_type)?;
        let unpack = || unpack_tar_gz(&bytes, ArchiveLimits::default());
        match self.phases.time(Phase::Unpack, unpack) {
            Ok(files) => Ok(Tree::new(files)),
            Err(error) => Err(Error::answer(shown(address), error)),
        }
    }

    /// The chart at an address with its tag or digest.
    pub(crate) fn oci_chart_at(&self, address: &str) -> Result<Arc<[u8]>, Error> {
        let rest = address.strip_prefix("oci://").unwrap_or(address);
        let split = match rest.split_once('@') {
            Some(parts) => Some(parts),
            // Behind the last slash: a port is no tag.
            None => rest.rsplit_once(':').filter(|(_, tag)| !tag.contains('/')),
        };
        match split {
            Some((name, reference)) => self.oci_chart(&format!("oci://{name}"), reference),
            None => Err(Error::Address(eco_format!(
                "`{}` names no tag",
                shown(address)
            ))),
        }
    }

    /// The manifest with layers: of an index, that of the usual platform.
    fn image(&self, place: &Place, reference: &str) -> Result<Manifest, Error> {
        let (manifest, _) = self.manifest(place, reference)?;
        match manifest.platform() {
            Some(platform) if manifest.layers.is_empty() => {
                let digest = platform.digest.clone();
                Ok(self.manifest(place, &digest)?.0)
            }
            _ => Ok(manifest),
        }
    }

    fn manifest(&self, place: &Place, reference: &str) -> Result<(Manifest, Digest), Error> {
        if reference
            .chars()
            .any(|c| c.is_control() || "/?#".contains(c))
        {
            let why = eco_format!("`{reference:?}` is no tag and no digest");
            return Err(Error::Address(why));
        }
        let digest = Digest::parse(reference).filter(|_| reference.contains(':'));
        let joint = if digest.is_some() { '@' } else { ':' };
        let name = eco_format!("{}{joint}{reference}", place.shown());
        let lasts = match digest {
            Some(_) => Lasts::ForGood,
            None => Lasts::UntilRefresh,
        };
        let wanted = Wanted::new(key("oci-manifest", &[&name]), name, lasts);
        let (bytes, record) = self.content(&wanted, || {
            self.fetch_manifest(place, reference, digest.as_ref())
        })?;
        let manifest = Manifest::read(&bytes);
        let manifest = manifest.map_err(|error| Error::answer(place.shown(), error))?;
        Ok((manifest, record.digest))
    }

    fn fetch_manifest(
        &self,
        place: &Place,
        reference: &str,
        digest: Option<&Digest>,
    ) -> Result<Fetched, Error> {
        let path = format!("manifests/{reference}");
        let reply = self.ask_registry(place, &path, ACCEPT, MAX_MANIFEST)?;
        if reply.status == 404 {
            return Err(self.missing(place, reference, &reply));
        }
        if !reply.is_success() {
            return Err(reply.failure(place.shown(), place.access.login.as_ref()));
        }
        let said = reply
            .header("docker-content-digest")
            .and_then(Digest::parse);
        check_digest(&reply.body, digest.or(said.as_ref()), &place.shown())?;
        Ok(Fetched {
            bytes: reply.body,
            facts: Facts::new(),
        })
    }

    /// That a repository is not there, or has no such tag.
    fn missing(&self, place: &Place, reference: &str, reply: &Reply) -> Error {
        let says = String::from_utf8_lossy(&reply.body);
        if says.contains("NAME_UNKNOWN") {
            return Error::RepositoryMissing(place.shown());
        }
        // What else there is, is only a hint: any list of it will do.
        match self.list_tags(place, Edition::Kept) {
            Err(Error::RepositoryMissing(at)) => Error::RepositoryMissing(at),
            Ok((tags, _)) => no_tag(place, reference, &tags),
            Err(_) => no_tag(place, reference, &[]),
        }
    }

    fn blob(&self, place: &Place, layer: &Descriptor) -> Result<Arc<[u8]>, Error> {
        let Some(digest) = Digest::parse(&layer.digest) else {
            let why = eco_format!("`{}` is no SHA-256 digest", layer.digest.escape_default());
            return Err(Error::answer(place.shown(), why));
        };
        if layer.size > MAX_LAYER {
            return Err(Error::TooLarge {
                at: place.shown(),
                limit: MAX_LAYER,
            });
        }
        let what = eco_format!("{}@{digest}", place.shown());
        let wanted = Wanted::new(key("oci-blob", &[digest.hex()]), what, Lasts::ForGood);
        let (bytes, _) = self.content(&wanted, || {
            let path = format!("blobs/{digest}");
            let reply = self.ask_registry(place, &path, "*/*", MAX_LAYER)?;
            if !reply.is_success() {
                return Err(reply.failure(place.shown(), place.access.login.as_ref()));
            }
            check_digest(&reply.body, Some(&digest), &place.shown())?;
            Ok(Fetched {
                bytes: reply.body,
                facts: Facts::new(),
            })
        })?;
        Ok(bytes)
    }

    fn place(&self, address: &str) -> Result<Place, Error> {
        let refuse = || Error::Address(eco_format!("`{}` is no oci:// address", shown(address)));
        let rest = address.trim().strip_prefix("oci://").ok_or_else(refuse)?;
        let (registry, repository) = rest
            .trim_end_matches('/')
            .split_once('/')
            .ok_or_else(refuse)?;
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        if !repository.chars().all(fits) || repository.split('/').any(|p| p.is_empty() || p == "..")
        {
            return Err(refuse());
        }
        let access = self.credentials.access(address);
        let hub = ["docker.io", "index.docker.io", "registry-1.docker.io"];
        let (host, repository) = match hub.contains(&registry) {
            true if !repository.contains('/') => {
                ("registry-1.docker.io", eco_format!("library/{repository}"))
            }
            true => ("registry-1.docker.io", repository.into()),
            false => (registry, repository.into()),
        };
        let insecure = access.insecure || is_loopback(host);
        let scheme = if insecure { "http" } else { "https" };
        Ok(Place {
            server: Url::parse(&format!("{scheme}://{host}/"))?,
            registry: registry.into(),
            repository,
            access,
        })
    }
}

fn tags_key(place: &Place) -> EcoString {
    key("oci-tags", &[&place.shown()])
}

/// That a repository has no such tag, or none that a range takes.
fn no_tag(place: &Place, reference: &str, tags: &[EcoString]) -> Error {
    let what = match reference.contains(':') {
        true => eco_format!("digest {reference}"),
        false => eco_format!("tag {reference}"),
    };
    let others = tags.iter().filter(|tag| *tag != reference);
    Error::ReferenceMissing {
        what,
        at: place.shown(),
        nearest: nearest(others.map(EcoString::as_str), reference),
    }
}

fn no_layer(place: &Place) -> Error {
    Error::answer(place.shown(), "its manifest has no layer")
}

fn no_such_layer(place: &Place, reference: &str, wanted: &str, manifest: &Manifest) -> Error {
    let kinds = manifest
        .layers
        .iter()
        .map(|layer| layer.media_type.as_str());
    Error::ReferenceMissing {
        what: eco_format!("layer of media type {wanted} at {reference}"),
        at: place.shown(),
        nearest: nearest(kinds, wanted),
    }
}

/// Registries on this machine speak plain HTTP, as for all OCI tools.
fn is_loopback(registry: &str) -> bool {
    let Ok(url) = Url::parse(&format!("https://{registry}/")) else {
        return false;
    };
    let host = url.host().trim_start_matches('[').trim_end_matches(']');
    match host.parse::<IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost",
    }
}

/// The address of the next page: `<…>; rel="next"`.
fn next_page(reply: &Reply) -> Result<Option<Url>, Error> {
    let Some(link) = reply.header("link") else {
        return Ok(None);
    };
    let target = link
        .split_once('<')
        .and_then(|(_, rest)| rest.split_once('>'));
    match target {
        Some((target, rest)) if rest.contains("next") => reply.url.join(target).map(Some),
        _ => Ok(None),
    }
}
