//! Sources over the network: a server on loopback, then nothing.

mod common;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::{Arc, Mutex};

use common::tree;
use snapbox::cmd::Command;

/// Serves files by path and notes what is asked.
struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn new(files: Vec<(String, Vec<u8>)>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = asked.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let first = lines.next().and_then(Result::ok).unwrap_or_default();
                let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
                while lines
                    .next()
                    .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
                {}
                let found = files.iter().find(|(known, _)| *known == path);
                seen.lock().unwrap().push(path);
                let (status, body) = match found {
                    Some((_, body)) => (200, body.as_slice()),
                    None => (404, &b""[..]),
                };
                let head = format!(
                    "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream
                    .write_all(head.as_bytes())
                    .and_then(|()| stream.write_all(body));
            }
        });
        Server { port, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// A gzipped tar file, made by the system's tar; `None` without one.
fn chart() -> Option<Vec<u8>> {
    let files = tree(&[
        (
            "app/Chart.yaml",
            "apiVersion: v2\nname: app\nversion: 1.2.0\n",
        ),
        (
            "app/templates/config.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: of-chart\n",
        ),
    ]);
    let done = std::process::Command::new("tar")
        .args(["-czf", "-", "app"])
        .current_dir(files.path())
        .output()
        .ok()?;
    done.status.success().then_some(done.stdout)
}

fn repository(port: u16, version: &str) -> tempfile::TempDir {
    let text = format!(
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata:\n  name: charts\n  \
         namespace: flux-system\nspec:\n  interval: 1h\n  url: http://127.0.0.1:{port}/charts\n---\n\
         apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: app\n  \
         namespace: flux-system\nspec:\n  interval: 1h\n  chart:\n    spec:\n      chart: app\n      \
         version: {version}\n      sourceRef:\n        kind: HelmRepository\n        name: charts\n"
    );
    tree(&[
        ("clusters/main/release.yaml", text.as_str()),
        ("clusters/main/flux-system/gotk-sync.yaml", SYNC),
    ])
}

const SYNC: &str = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata:\n  name: flux-system\n  \
namespace: flux-system\nspec:\n  interval: 1m\n  url: https://git.example.org/fleet\n---\n\
apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: flux-system\n  \
namespace: flux-system\nspec:\n  interval: 10m\n  path: ./clusters/main\n  prune: true\n  sourceRef:\n    \
kind: GitRepository\n    name: flux-system\n";

/// The program with a cache of its own, and the network.
fn online(cache: &Path, args: &[&str]) -> Command {
    common::fluxlint(args)
        .env_remove("FLUXLINT_OFFLINE")
        .env("FLUXLINT_CACHE_DIR", cache)
        .env("HOME", cache)
        .env("NO_PROXY", "127.0.0.1")
}

fn printed(command: Command) -> String {
    let done = command.output().unwrap();
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn a_chart_is_fetched_rendered_and_kept() {
    let Some(chart) = chart() else { return };
    let index = "apiVersion: v1\nentries:\n  app:\n  - version: 1.2.0\n    urls: [app-1.2.0.tgz]\n";
    let server = Server::new(vec![
        ("/charts/index.yaml".into(), index.into()),
        ("/charts/app-1.2.0.tgz".into(), chart),
    ]);
    let cache = tempfile::tempdir().unwrap();
    let place = repository(server.port, "1.2.0");
    let repo = place.path().to_str().unwrap();
    let render = ["render", "--repo", repo, "HelmRelease/flux-system/app"];
    let first = printed(online(cache.path(), &render));
    assert!(first.contains("name: of-chart"), "{first}");
    assert_eq!(
        server.asked(),
        ["/charts/index.yaml", "/charts/app-1.2.0.tgz"]
    );
    let again = printed(online(cache.path(), &render));
    let offline = printed(online(
        cache.path(),
        &[&render[..], &["--offline"]].concat(),
    ));
    assert_eq!((again, offline), (first.clone(), first));
    assert_eq!(server.asked().len(), 2);
    printed(online(
        cache.path(),
        &[&render[..], &["--refresh"]].concat(),
    ));
    assert_eq!(server.asked().len(), 3);

    let size = printed(online(cache.path(), &["cache", "size"]));
    assert!(size.starts_with("2 answers, 2 contents"), "{size}");
    let cleaned = printed(online(cache.path(), &["cache", "gc", "--older-than", "0"]));
    assert!(cleaned.contains("left 0 answers, 0 contents"), "{cleaned}");
    let check = printed(online(
        cache.path(),
        &["check", "--repo", repo, "--offline", "-v"],
    ));
    assert!(check.contains("--offline forbids"), "{check}");
}

#[test]
fn what_is_wrong_is_said() {
    let Some(_) = chart() else { return };
    let index = "apiVersion: v1\nentries:\n  app:\n  - version: 1.2.0\n    urls: [app-1.2.0.tgz]\n";
    let server = Server::new(vec![("/charts/index.yaml".into(), index.into())]);
    let cache = tempfile::tempdir().unwrap();
    let check = |version: &str, more: &[&str]| {
        let place = repository(server.port, version);
        let repo = place.path().to_str().unwrap();
        let args = [&["check", "--repo", repo, "-v"], more].concat();
        printed(online(cache.path(), &args))
    };
    let missing = check("1.3.0", &[]);
    for part in [
        "error[FL-X001] source-unavailable: HelmRepository `flux-system/charts` has no such chart: ",
        "has no version 1.3.0 of chart app; nearest is 1.2.0, so `HelmRelease/flux-system/app` will",
        "--> clusters/main/release.yaml:20:16",
        "the source is defined here [clusters/main/release.yaml:1:1]",
    ] {
        assert!(missing.contains(part), "{part}: {missing}");
    }
    assert!(!missing.contains("FL-G008"), "{missing}");
    let gone = check("1.2.0", &[]);
    for part in [
        "warning[FL-X001] source-unavailable: HelmRepository `flux-system/charts` did not give",
        "--> clusters/main/release.yaml:1:1",
        "/charts/app-1.2.0.tgz does not exist",
    ] {
        assert!(gone.contains(part), "{part}: {gone}");
    }
    let quiet = check("1.2.0", &["--offline"]);
    assert!(!quiet.contains("FL-X001"), "{quiet}");
    let elsewhere = tempfile::tempdir().unwrap();
    let place = repository(server.port, "1.2.0");
    let repo = place.path().to_str().unwrap();
    let refused = printed(online(
        elsewhere.path(),
        &["check", "--repo", repo, "-v", "--no-private-network"],
    ));
    assert!(
        refused.contains("--no-private-network forbids"),
        "{refused}"
    );
}
