//! `fluxlint vendor`: what a repository pins, in a directory.

mod common;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use common::tree;
use loopback::{Response, Server};
use serde_json::Value;

const SYNC: &str = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata:\n  name: flux-system\n  \
namespace: flux-system\nspec:\n  interval: 1m\n  url: https://git.example.org/fleet\n---\n\
apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: flux-system\n  \
namespace: flux-system\nspec:\n  interval: 10m\n  path: ./clusters/main\n  prune: true\n  sourceRef:\n    \
kind: GitRepository\n    name: flux-system\n";

/// A gzipped tar file of a chart, made by the system's tar; `None` without one.
fn chart(version: &str) -> Option<Vec<u8>> {
    let metadata = format!("apiVersion: v2\nname: app\nversion: {version}\n");
    let config = format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: of-chart\ndata:\n  v: \"{version}\"\n"
    );
    let files = tree(&[
        ("app/Chart.yaml", metadata.as_str()),
        ("app/templates/config.yaml", config.as_str()),
    ]);
    let done = std::process::Command::new("tar")
        .args(["-czf", "-", "app"])
        .current_dir(files.path())
        .output()
        .ok()?;
    done.status.success().then_some(done.stdout)
}

/// Charts of two versions and a file that a kustomization names.
fn server() -> Option<Server> {
    let index = "apiVersion: v1\nentries:\n  app:\n  - version: 1.2.0\n    urls: [app-1.2.0.tgz]\n  \
                 - version: 1.10.0\n    urls: [app-1.10.0.tgz]\n  - version: 2.0.0\n    urls: [gone.tgz]\n";
    let (old, new) = (chart("1.2.0")?, chart("1.10.0")?);
    let server = Server::start(move |request| match request.path() {
        "/charts/index.yaml" => Response::ok(index.as_bytes()),
        "/charts/app-1.2.0.tgz" => Response::ok(old.clone()),
        "/charts/app-1.10.0.tgz" => Response::ok(new.clone()),
        "/files/config.yaml" => {
            Response::ok(&b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: of-file\n"[..])
        }
        _ => Response::new(404, &b""[..]),
    });
    server.ok()
}

fn repository(server: &Server, version: &str) -> tempfile::TempDir {
    let (charts, file) = (server.http("/charts"), server.http("/files/config.yaml"));
    let text = format!(
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata:\n  name: charts\n  \
         namespace: flux-system\nspec:\n  interval: 1h\n  url: {charts}\n---\n\
         apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: app\n  \
         namespace: flux-system\nspec:\n  interval: 1h\n  chart:\n    spec:\n      chart: app\n      \
         version: {version}\n      sourceRef:\n        kind: HelmRepository\n        name: charts\n"
    );
    let list = format!("resources:\n- release.yaml\n- flux-system/gotk-sync.yaml\n- {file}\n");
    tree(&[
        ("clusters/main/release.yaml", text.as_str()),
        ("clusters/main/kustomization.yaml", list.as_str()),
        ("clusters/main/flux-system/gotk-sync.yaml", SYNC),
    ])
}

/// The program's status, and what it prints and says.
fn run(cache: &Path, offline: bool, args: &[&str]) -> (i32, String, String) {
    let mut command = common::fluxlint(args)
        .env("FLUXLINT_CACHE_DIR", cache)
        .env("HOME", cache)
        .env("NO_PROXY", "127.0.0.1");
    if !offline {
        command = command.env_remove("FLUXLINT_OFFLINE");
    }
    let done = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let status = done.status.code().unwrap_or(-1);
    (status, text(done.stdout), text(done.stderr))
}

#[test]
fn a_copy_stands_for_the_network() {
    let Some(server) = server() else { return };
    let place = tempfile::tempdir().unwrap();
    let (cache, copy) = (place.path().join("cache"), place.path().join("copy"));
    let repository = repository(&server, "1.x");
    let (repo, copy) = (repository.path().to_str().unwrap(), copy.to_str().unwrap());
    let vendor = ["vendor", "--repo", repo, copy];
    let (status, told, said) = run(&cache, false, &vendor);
    assert_eq!(status, 0, "{said}");
    assert!(
        told.contains("1 charts of Helm repositories, 1 files"),
        "{told}"
    );
    assert!(
        told.contains("2 files are new, 0 were there, 0 were removed"),
        "{told}"
    );
    assert!(said.contains("fetched 3 sources"), "{said}");
    let index = std::fs::read(place.path().join("copy/index.json")).unwrap();
    let index: Value = serde_json::from_slice(&index).unwrap();
    let file = index["helm"][server.http("/charts")]["app"]["1.10.0"].as_str();
    assert!(file.unwrap().ends_with("/charts/app-1.10.0.tgz"), "{index}");

    // Without the cache and without the network.
    let config = place.path().join("config.yaml");
    std::fs::write(&config, format!("sources:\n  mirrors:\n  - path: {copy}\n")).unwrap();
    let config = config.to_str().unwrap();
    let none = place.path().join("none");
    let render = ["render", "--repo", repo, "--config", config];
    let (_, rendered, _) = run(&none, true, &render);
    assert!(
        rendered.contains("v: 1.10.0") && rendered.contains("of-file"),
        "{rendered}"
    );
    assert_eq!(rendered, run(&cache, false, &["render", "--repo", repo]).1);

    // What lies there is fetched no more, by whoever has no cache either.
    let asked = server.take().len();
    assert_eq!(asked, 3);
    let (status, told, _) = run(&none, false, &[&vendor[..], &["--config", config]].concat());
    assert_eq!(status, 0);
    assert!(
        told.contains("0 files are new, 2 were there, 0 were removed"),
        "{told}"
    );
    assert_eq!(server.take().len(), 0);
    let (status, ..) = run(&none, false, &[&vendor[..], &["--refresh"]].concat());
    assert_eq!((status, server.take().len()), (0, 3));

    // What nothing pins any more goes.
    let repository = self::repository(&server, "1.2.0");
    let repo = repository.path().to_str().unwrap();
    let (status, told, _) = run(&cache, false, &["vendor", "--repo", repo, copy]);
    assert_eq!(status, 0);
    assert!(
        told.contains("1 files are new, 1 were there, 1 were removed"),
        "{told}"
    );
    assert!(!place.path().join("copy/.fluxlint-vendor").exists());
}

#[test]
fn what_is_missing_is_listed() {
    let Some(server) = server() else { return };
    let place = tempfile::tempdir().unwrap();
    let (cache, copy) = (place.path().join("cache"), place.path().join("copy"));
    let repository = repository(&server, "2.0.0");
    let repo = repository.path().to_str().unwrap();
    let vendor = ["vendor", "--repo", repo, copy.to_str().unwrap()];
    let (status, _, said) = run(&cache, false, &vendor);
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("/charts/gone.tgz does not exist"), "{said}");
    assert!(
        said.contains("for HelmRelease/flux-system/app [clusters/main/release.yaml:"),
        "{said}"
    );
    assert!(!copy.join("index.json").exists());
    let (status, told, _) = run(&cache, false, &[&vendor[..], &["--partial"]].concat());
    assert_eq!(status, 1);
    assert!(told.contains("1 files are new"), "{told}");

    // What the server does not have, the directory knows, and nobody is asked.
    let config = place.path().join("config.yaml");
    let mirror = format!("sources:\n  mirrors:\n  - path: {}\n", copy.display());
    std::fs::write(&config, mirror).unwrap();
    let check = ["check", "--repo", repo, "-v"];
    let (_, online, _) = run(&cache, false, &check);
    assert!(
        online.contains("/charts/gone.tgz does not exist"),
        "{online}"
    );
    let asked = server.requests().len();
    let with_copy = [&check[..], &["--config", config.to_str().unwrap()]].concat();
    let (_, offline, _) = run(&place.path().join("none"), true, &with_copy);
    let findings = |text: &str| {
        let lines = text.lines().skip_while(|line| !line.contains("[FL-X001]"));
        lines.take(6).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(findings(&offline), findings(&online));
    assert_eq!(server.requests().len(), asked);
}

#[test]
fn a_directory_with_something_else_is_left_alone() {
    let place = tree(&[("a.txt", "mine"), ("index.json", "{\"git\": {}}")]);
    let repository = tree(&[("clusters/main/flux-system/gotk-sync.yaml", SYNC)]);
    let repo = repository.path().to_str().unwrap();
    let directory = place.path().to_str().unwrap();
    let (status, _, said) = run(place.path(), true, &["vendor", "--repo", repo, directory]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("is not empty"), "{said}");
}

/// A run that is told to end while it fetches leaves nothing behind that is not
/// whole, and the next one goes on from there.
#[cfg(unix)]
#[test]
fn a_signal_leaves_nothing_half_written() {
    let Some(chart) = chart("1.2.0") else { return };
    let index = "apiVersion: v1\nentries:\n  app:\n  - version: 1.2.0\n    urls: [app.tgz]\n";
    let slow = Arc::new(AtomicUsize::new(1));
    let waits = slow.clone();
    let (sender, receiver) = std::sync::mpsc::channel();
    let sender = Mutex::new(sender);
    let server = Server::start(move |request| match request.path() {
        "/charts/index.yaml" => Response::ok(index.as_bytes()),
        "/charts/app.tgz" => {
            let _ = sender.lock().unwrap().send(());
            if waits.load(Ordering::SeqCst) == 1 {
                std::thread::sleep(std::time::Duration::from_secs(30));
            }
            Response::ok(chart.clone())
        }
        _ => Response::ok(&b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: of-file\n"[..]),
    });
    let server = server.unwrap();
    let repository = repository(&server, "1.2.0");
    let repo = repository.path().to_str().unwrap();
    for (signal, status) in [("INT", 130), ("TERM", 143)] {
        let place = tempfile::tempdir().unwrap();
        let (cache, copy) = (place.path().join("cache"), place.path().join("copy"));
        let copy = copy.to_str().unwrap();
        let mut child = std::process::Command::new(snapbox::cmd::cargo_bin!("fluxlint"))
            .args(["vendor", "--repo", repo, copy])
            .env_remove("FLUXLINT_OFFLINE")
            .env("FLUXLINT_CACHE_DIR", &cache)
            .env("HOME", place.path())
            .env("NO_PROXY", "127.0.0.1")
            .spawn()
            .unwrap();
        slow.store(1, Ordering::SeqCst);
        receiver
            .recv_timeout(std::time::Duration::from_secs(60))
            .unwrap();
        let id = child.id().to_string();
        let sent = std::process::Command::new("kill")
            .args(["-s", signal, &id])
            .status();
        assert!(sent.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(status), "{signal}");
        let left = std::fs::read_dir(cache.join("v1/tmp"))
            .into_iter()
            .flatten();
        assert_eq!(left.count(), 0, "{signal}");
        assert!(!Path::new(copy).exists(), "{signal}");
        slow.store(0, Ordering::SeqCst);
        let (status, _, said) = run(&cache, false, &["vendor", "--repo", repo, copy]);
        assert_eq!(status, 0, "{said}");
        while receiver.try_recv().is_ok() {}
    }
}
