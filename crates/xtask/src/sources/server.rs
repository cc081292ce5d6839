//! One server for all hosts of the corpus: `http://<own>/https/<host>/<path>`
//! answers as `https://<host>/<path>` would, `oci://<own>/<host>/<path>` as
//! `oci://<host>/<path>`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use loopback::{Request, Response, Server};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::places::{Places, References};
use super::repositories::Repositories;

/// Media types.
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CHART: &str = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";
const FILES: &str = "application/vnd.cncf.flux.content.v1.tar+gzip";

/// The servers of all hosts.
pub struct Origin {
    /// The server.
    pub server: Server,
    /// Addresses and what to ask instead.
    pub replaced: Vec<(String, String)>,
}

struct State {
    places: Places,
    repositories: Repositories,
    /// Layers by digest, once a manifest has named them.
    layers: Mutex<BTreeMap<String, Arc<[u8]>>>,
}

impl Origin {
    /// Starts it.
    pub fn start(places: Places, repositories: Repositories) -> Result<Origin, String> {
        let hosts = places.hosts();
        let state = State {
            places,
            repositories,
            layers: Mutex::default(),
        };
        let server = Server::start(move |request| state.answer(request));
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
        Ok(Origin { server, replaced })
    }
}

impl State {
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
            let layers = self.layers.lock().ok()?;
            return layers.get(digest).cloned().map(Response::ok);
        }
        let (repository, tag) = rest.rsplit_once("/manifests/")?;
        let held = self.places.oci.get(&format!("oci://{repository}"))?;
        let layer = self.places.content(held.get(tag)?)?;
        let response = of_manifest(&layer);
        let digest = format!("sha256:{}", hex(&layer));
        self.layers.lock().ok()?.insert(digest, layer);
        Some(response)
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
    let manifest = manifest(layer).into_bytes();
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
    let config = b"{}";
    let kind = if is_chart(layer) { CHART } else { FILES };
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": {
            "mediaType": "application/vnd.cncf.flux.config.v1+json",
            "digest": format!("sha256:{}", hex(config)),
            "size": config.len(),
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
