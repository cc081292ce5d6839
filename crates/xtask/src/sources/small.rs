//! A small repository of many distinct artifacts of every kind, each served once.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use loopback::{Request, Response, Server};

use super::repositories::git;
use super::server::{answer_registry, hex};
use super::stage::{Outcome, alone, read};
use crate::args::Args;
use crate::random::Random;
use crate::{bench, process};

/// Charts of a repository, charts of a registry, Git repositories and files.
const CHARTS: usize = 20;
const ARTIFACTS: usize = 12;
const REPOSITORIES: usize = 4;
const FILES: usize = 6;
/// Bytes in each archive that do not compress.
const PADDING: usize = 64 << 10;
/// The version of everything.
const VERSION: &str = "1.0.0";

const SYNC: &str = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: \
    flux-system, namespace: flux-system}\nspec:\n  interval: 10m\n  path: ./cluster\n  prune: true\n  \
    sourceRef: {kind: GitRepository, name: flux-system}\n---\napiVersion: \
    source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: \
    flux-system}\nspec:\n  interval: 1m\n  url: https://git.example.org/fleet\n";

/// The repository, its server, and a place for caches.
pub struct Small {
    /// Serves what the repository pins.
    pub server: Server,
    program: PathBuf,
    place: PathBuf,
}

impl Small {
    /// Makes it. The program is a release build of this tree, unless `--program`
    /// names one.
    pub fn make(name: &str, args: &mut Args) -> Result<Small, String> {
        let program = match args.value("--program")? {
            Some(program) => program.into(),
            None => bench::fluxlint()?,
        };
        let place = crate::paths::target().join("sources").join(name);
        let _ = fs::remove_dir_all(&place);
        let failed = |error: io::Error| format!("{}: {error}", place.display());
        let bare = place.join("git");
        for at in 0..REPOSITORIES {
            repository(&bare, at)?;
        }
        let archives: Result<Vec<Vec<u8>>, io::Error> =
            (0..CHARTS + ARTIFACTS).map(chart).collect();
        let archives = archives.map_err(failed)?;
        let server = Server::start(move |request| answer(&archives, &bare, request));
        let server = server.map_err(failed)?;
        let tree = place.join("repository/cluster");
        fs::create_dir_all(&tree).map_err(failed)?;
        fs::write(tree.join("sync.yaml"), SYNC).map_err(failed)?;
        fs::write(tree.join("apps.yaml"), manifests(&server)).map_err(failed)?;
        fs::write(tree.join("kustomization.yaml"), kustomization(&server)).map_err(failed)?;
        Ok(Small {
            server,
            program,
            place,
        })
    }

    /// A path below the place.
    pub fn at(&self, name: &str) -> PathBuf {
        self.place.join(name)
    }

    /// A `check` with a cache.
    pub fn command(&self, cache: &Path) -> Command {
        let mut command = alone(&self.program, &self.at("home"), cache);
        command
            .args(["check", "--format", "json", "--repo"])
            .arg(self.at("repository"))
            .arg("cluster");
        command
    }

    /// One that ends by itself.
    pub fn check(&self, cache: &Path, flags: &[&str]) -> Result<Outcome, String> {
        let run = process::run(self.command(cache).args(flags))?;
        match run.code {
            Some(0 | 1) => read(&run.stdout, run.wall),
            code => Err(format!("it ended with {code:?}")),
        }
    }
}

/// What the repository deploys.
fn manifests(server: &Server) -> String {
    let mut text = String::new();
    let about = |kind: &str, name: &str| {
        format!(
            "---\napiVersion: {}\nkind: {kind}\nmetadata: {{name: {name}, namespace: default}}\n",
            match kind {
                "HelmRelease" => "helm.toolkit.fluxcd.io/v2",
                "Kustomization" => "kustomize.toolkit.fluxcd.io/v1",
                _ => "source.toolkit.fluxcd.io/v1",
            }
        )
    };
    let charts = server.http("/charts");
    let _ = writeln!(
        text,
        "{}spec: {{interval: 1h, url: {charts}}}",
        about("HelmRepository", "charts")
    );
    for at in 0..CHARTS {
        let _ = write!(
            text,
            "{}spec:\n  interval: 1h\n  chart:\n    spec:\n      chart: c{at}\n      version: {VERSION}\n      \
             sourceRef: {{kind: HelmRepository, name: charts}}\n",
            about("HelmRelease", &format!("c{at}"))
        );
    }
    for at in CHARTS..CHARTS + ARTIFACTS {
        let name = format!("c{at}");
        let url = server.oci(&format!("/{name}"));
        let _ = write!(
            text,
            "{}spec: {{interval: 1h, insecure: true, url: {url}, ref: {{tag: {VERSION}}}}}\n{}spec:\n  \
             interval: 1h\n  chartRef: {{kind: OCIRepository, name: {name}}}\n",
            about("OCIRepository", &name),
            about("HelmRelease", &name)
        );
    }
    for at in 0..REPOSITORIES {
        let name = format!("g{at}");
        let url = server.http(&format!("/git/{at}.git"));
        let _ = write!(
            text,
            "{}spec: {{interval: 1h, url: {url}, ref: {{tag: v{VERSION}}}}}\n{}spec:\n  interval: 1h\n  \
             prune: true\n  path: ./\n  sourceRef: {{kind: GitRepository, name: {name}}}\n",
            about("GitRepository", &name),
            about("Kustomization", &name)
        );
    }
    text
}

fn kustomization(server: &Server) -> String {
    let mut text = "resources:\n- sync.yaml\n- apps.yaml\n".to_owned();
    for at in 0..FILES {
        let _ = writeln!(text, "- {}", server.http(&format!("/files/{at}.yaml")));
    }
    text
}

fn config(name: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: default}}\n")
}

/// The archive of a chart that is like no other.
fn chart(at: usize) -> io::Result<Vec<u8>> {
    let mut random = Random::new(at as u64);
    let padding: Vec<u8> = (0..PADDING / 8)
        .flat_map(|_| random.bits().to_le_bytes())
        .collect();
    let about = format!("apiVersion: v2\nname: c{at}\nversion: {VERSION}\n");
    let files = [
        ("Chart.yaml", about.into_bytes()),
        (
            "templates/c.yaml",
            config(&format!("of-c{at}")).into_bytes(),
        ),
        ("padding.bin", padding),
    ];
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, format!("c{at}/{path}"), content.as_slice())?;
    }
    archive.into_inner()?.finish()
}

/// A bare repository with one tagged commit.
fn repository(root: &Path, at: usize) -> Result<(), String> {
    let place = root.join(format!("{at}.git"));
    let files = place.join("files");
    fs::create_dir_all(&files).map_err(|e| e.to_string())?;
    git(&place, &["init", "--quiet", "--bare", "."])?;
    fs::write(files.join("a.yaml"), config(&format!("of-g{at}"))).map_err(|e| e.to_string())?;
    let work = format!("--work-tree={}", files.display());
    git(&place, &[&work, "add", "--all", "."])?;
    let tree = git(&place, &["write-tree"])?;
    let commit = git(&place, &["commit-tree", "-m", "x", &tree])?;
    git(
        &place,
        &["update-ref", &format!("refs/tags/v{VERSION}"), &commit],
    )?;
    Ok(())
}

fn answer(archives: &[Vec<u8>], bare: &Path, request: &Request) -> Response {
    let found = || {
        let path = request.path();
        if let Some(rest) = path.strip_prefix("/v2/") {
            let name = rest.split('/').next()?;
            return answer_registry(rest, archives.get(number(name, "c")?)?);
        }
        if let Some(rest) = path.strip_prefix("/git") {
            return loopback::backend(bare, rest, request).ok();
        }
        if let Some(name) = path.strip_prefix("/files/") {
            let at = number(name.strip_suffix(".yaml")?, "")?;
            return Some(Response::ok(config(&format!("of-f{at}"))));
        }
        match path.strip_prefix("/charts/")? {
            "index.yaml" => Some(Response::ok(index(archives))),
            name => {
                let name = name.strip_suffix(&format!("-{VERSION}.tgz"))?;
                let archive = archives.get(number(name, "c")?)?;
                Some(Response::ok(archive.as_slice()))
            }
        }
    };
    found().unwrap_or_else(|| Response::new(404, ""))
}

fn number(name: &str, prefix: &str) -> Option<usize> {
    name.strip_prefix(prefix)?.parse().ok()
}

fn index(archives: &[Vec<u8>]) -> String {
    let mut text = "apiVersion: v1\nentries:\n".to_owned();
    for (at, archive) in archives.iter().take(CHARTS).enumerate() {
        let digest = hex(archive);
        let _ = writeln!(
            text,
            "  c{at}:\n  - version: {VERSION}\n    digest: {digest}\n    urls: [c{at}-{VERSION}.tgz]"
        );
    }
    text
}
