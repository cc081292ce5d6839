//! One server for all hosts of the corpus: `http://<own>/https/<host>/<path>`
//! answers as `https://<host>/<path>` would, `oci://<own>/<host>/<path>` as
//! `oci://<host>/<path>`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use loopback::{Proxy, Request, Response, Server};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::places::{Places, References};
use super::repositories::Repositories;

/// Media types.
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CHART: &str = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";
const FILES: &str = "application/vnd.cncf.flux.content.v1.tar+gzip";
/// What a manifest has to name, and nobody reads.
const CONFIG: &[u8] = b"{}";

/// The servers of all hosts.
pub struct Origin {
    /// The server.
    pub server: Server,
    /// Addresses and what to ask instead.
    pub replaced: Vec<(String, String)>,
    state: Arc<State>,
}

struct State {
    places: Places,
    repositories: Repositories,
    /// What a manifest has named, and manifests, by digest.
    blobs: Mutex<BTreeMap<String, Arc<[u8]>>>,
}

impl Origin {
    /// Starts it.
    pub fn start(places: Places, repositories: Repositories) -> Result<Origin, String> {
        let hosts = places.hosts();
        let state = Arc::new(State {
            places,
            repositories,
            blobs: Mutex::default(),
        });
        let own = state.clone();
        let server = Server::start(move |request| own.answer(request));
        let server = server.map_err(|error| format!("no server: {error}"))?;
        let replaced = hosts.into_iter().map(|host| {
            let to = match host.split_once("://") {
                Some(("oci", host)) => server.oci(&format!("/{host}")),
                // Users of SSH are left behind.
                Some((_, host)) => {
                    let host = host.rsplit('@').next().unwrap_or(host);
                    server.http(&format!("/https/{host}"))
                }
                None => server.http(&host),
            };
            (host, to)
        });
        let replaced = replaced.collect();
        Ok(Origin {
            server,
            replaced,
            state,
        })
    }

    /// A proxy behind which every host has its own address.
    pub fn proxy(&self) -> Result<Proxy, String> {
        let hosts = self.state.places.hosts();
        let names = hosts.iter().filter_map(|url| {
            let host = url.split_once("://")?.1;
            Some(host.rsplit('@').next().unwrap_or(host).to_owned())
        });
        let state = self.state.clone();
        let answer = move |host: &str, request: &Request| state.answer_as(host, request);
        Proxy::start(names.collect(), answer).map_err(|error| format!("no proxy: {error}"))
    }
}

impl State {
    /// Answers what was asked of a host.
    fn answer_as(&self, host: &str, request: &Request) -> Response {
        let target = match request.target.strip_prefix("/v2/") {
            Some(rest) => format!("/v2/{host}/{rest}"),
            None => format!("/https/{host}{}", request.target),
        };
        self.answer(&Request {
            target,
            ..request.clone()
        })
    }

    fn answer(&self, request: &Request) -> Response {
        let found = match request.path().strip_prefix("/v2/") {
            Some(rest) => self.registry(rest),
            None => self.host(request),
        };
        found.unwrap_or_else(|| Response::new(404, Vec::new()))
    }

    /// What an HTTP server has.
    fn host(&self, request: &Request) -> Option<Response> {
        let rest = request.path().strip_prefix("/https/")?;
        if let Some((name, asked)) = self.repositories.find(rest) {
            let path = format!("/{name}{asked}");
            return loopback::backend(&self.repositories.root, &path, request).ok();
        }
        let whole = request.target.strip_prefix("/https/")?;
        if let Some(file) = self.places.http.get(&format!("https://{whole}")) {
            return self.places.content(file).map(Response::ok);
        }
        let (repository, name) = rest.rsplit_once('/')?;
        let charts = self.places.helm.get(&format!("https://{repository}"))?;
        match name {
            "index.yaml" => self.index(charts, request),
            archive => {
                let (file, _) = archives(charts).find(|(_, known)| known == archive)?;
                self.places.content(file).map(Response::ok)
            }
        }
    }

    fn index(&self, charts: &BTreeMap<String, References>, request: &Request) -> Option<Response> {
        let mut text = "apiVersion: v1\nentries:\n".to_owned();
        for (chart, versions) in charts {
            let _ = writeln!(text, "  {chart}:");
            for (version, file) in versions {
                let digest = hex(&self.places.content(file)?);
                let _ = writeln!(
                    text,
                    "  - name: {chart}\n    version: \"{version}\"\n    digest: {digest}\n    \
                     urls:\n    - {chart}-{version}.tgz"
                );
            }
        }
        let tag = format!("\"{}\"", hex(text.as_bytes()));
        let response = match request.header("if-none-match") {
            Some(known) if known == tag => Response::new(304, Vec::new()),
            _ => Response::ok(text.into_bytes()),
        };
        Some(response.with("ETag", tag))
    }

    /// What a registry has: `<repository>/<kind>/<reference>`.
    fn registry(&self, rest: &str) -> Option<Response> {
        if let Some(repository) = rest.strip_suffix("/tags/list") {
            let held = self.places.oci.get(&format!("oci://{repository}"))?;
            let tags: Vec<&String> = held.keys().collect();
            let list = json!({"name": repository, "tags": tags});
            return Some(Response::ok(list.to_string().into_bytes()));
        }
        if let Some((_, digest)) = rest.rsplit_once("/blobs/") {
            return self.blob(digest).map(Response::ok);
        }
        let (repository, reference) = rest.rsplit_once("/manifests/")?;
        let manifest = match reference.starts_with("sha256:") {
            true => self.blob(reference)?,
            false => self.manifest(repository, reference)?,
        };
        Some(as_manifest(manifest))
    }

    fn blob(&self, digest: &str) -> Option<Arc<[u8]>> {
        self.blobs.lock().ok()?.get(digest).cloned()
    }

    /// The manifest of a tag. What it names can be asked for from now on.
    fn manifest(&self, repository: &str, tag: &str) -> Option<Arc<[u8]>> {
        let held = self.places.oci.get(&format!("oci://{repository}"))?;
        let layer = self.places.content(held.get(tag)?)?;
        let manifest: Arc<[u8]> = manifest(&layer).into_bytes().into();
        let mut blobs = self.blobs.lock().ok()?;
        for blob in [layer, manifest.clone(), CONFIG.into()] {
            blobs.insert(format!("sha256:{}", hex(&blob)), blob);
        }
        Some(manifest)
    }
}

/// What a registry answers that has one artifact of one layer in each repository,
/// under every tag.
pub fn answer_registry(path: &str, layer: &[u8]) -> Option<Response> {
    if path.contains("/blobs/") {
        return Some(Response::ok(layer));
    }
    path.contains("/manifests/").then(|| of_manifest(layer))
}

fn of_manifest(layer: &[u8]) -> Response {
    as_manifest(manifest(layer).into_bytes().into())
}

fn as_manifest(manifest: Arc<[u8]>) -> Response {
    let digest = format!("sha256:{}", hex(&manifest));
    let response = Response::ok(manifest).with("Content-Type", MANIFEST);
    response.with("Docker-Content-Digest", digest)
}

/// All archives of a repository: the file and the name in the index.
fn archives(charts: &BTreeMap<String, References>) -> impl Iterator<Item = (&String, String)> {
    charts.iter().flat_map(|(chart, versions)| {
        let versions = versions.iter();
        versions.map(move |(version, file)| (file, format!("{chart}-{version}.tgz")))
    })
}

/// The digest that a registry gives an artifact of one layer.
pub fn digest_of_manifest(layer: &[u8]) -> String {
    format!("sha256:{}", hex(manifest(layer).as_bytes()))
}

fn manifest(layer: &[u8]) -> String {
    let kind = if is_chart(layer) { CHART } else { FILES };
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": {
            "mediaType": "application/vnd.cncf.flux.config.v1+json",
            "digest": format!("sha256:{}", hex(CONFIG)),
            "size": CONFIG.len(),
        },
        "layers": [{
            "mediaType": kind,
            "digest": format!("sha256:{}", hex(layer)),
            "size": layer.len(),
        }],
    });
    manifest.to_string()
}

/// Whether an archive has a `Chart.yaml` in its top folder.
fn is_chart(archive: &[u8]) -> bool {
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(archive));
    let Ok(entries) = archive.entries() else {
        return false;
    };
    let mut entries = entries.flatten();
    entries.any(|entry| {
        let path = entry.path();
        path.is_ok_and(|path| {
            path.components().count() == 2 && path.file_name().is_some_and(|n| n == "Chart.yaml")
        })
    })
}

pub fn hex(bytes: &[u8]) -> String {
    let digits = Sha256::digest(bytes);
    digits.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
