//! Sources over the network: a server on loopback, then nothing.

mod common;

use std::path::Path;

use common::tree;
use loopback::{Request, Response, Server};
use snapbox::cmd::Command;

/// Serves files by path.
fn serve(files: Vec<(&'static str, Vec<u8>)>) -> Server {
    let answer = move |request: &Request| {
        let found = files.iter().find(|(known, _)| *known == request.target);
        match found {
            Some((_, body)) => Response::ok(body.clone()),
            None => Response::new(404, ""),
        }
    };
    Server::start(answer).unwrap()
}

fn asked(server: &Server) -> Vec<String> {
    let requests = server.requests().into_iter();
    requests.map(|request| request.target).collect()
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
    let server = serve(vec![
        ("/charts/index.yaml", index.into()),
        ("/charts/app-1.2.0.tgz", chart),
    ]);
    let cache = tempfile::tempdir().unwrap();
    let place = repository(server.port(), "1.2.0");
    let repo = place.path().to_str().unwrap();
    let render = ["render", "--repo", repo, "HelmRelease/flux-system/app"];
    let first = printed(online(cache.path(), &render));
    assert!(first.contains("name: of-chart"), "{first}");
    assert_eq!(
        asked(&server),
        ["/charts/index.yaml", "/charts/app-1.2.0.tgz"]
    );
    let again = printed(online(cache.path(), &render));
    let offline = printed(online(
        cache.path(),
        &[&render[..], &["--offline"]].concat(),
    ));
    assert_eq!((again, offline), (first.clone(), first));
    assert_eq!(asked(&server).len(), 2);
    printed(online(
        cache.path(),
        &[&render[..], &["--refresh"]].concat(),
    ));
    assert_eq!(asked(&server).len(), 3);

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
    let server = serve(vec![("/charts/index.yaml", index.into())]);
    let cache = tempfile::tempdir().unwrap();
    let check = |version: &str, more: &[&str]| {
        let place = repository(server.port(), version);
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
    let findings = |text: &str| {
        let lines = text.lines().filter(|line| line.contains("FL-X001"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let known = asked(&server).len();
    let offline = check("1.3.0", &["--offline"]);
    assert_eq!(findings(&offline), findings(&missing));
    assert_eq!(asked(&server).len(), known);
    check("1.3.0", &[]);
    assert_eq!(asked(&server).len(), known + 1, "it may be there by now");
    let gone = check("1.2.0", &[]);
    for part in [
        "warning[FL-X001] source-unavailable: HelmRepository `flux-system/charts` did not give",
        "--> clusters/main/release.yaml:1:1",
        "/charts/app-1.2.0.tgz does not exist",
    ] {
        assert!(gone.contains(part), "{part}: {gone}");
    }
    assert_eq!(findings(&check("1.2.0", &["--offline"])), findings(&gone));
    let elsewhere = tempfile::tempdir().unwrap();
    let place = repository(server.port(), "1.2.0");
    let repo = place.path().to_str().unwrap();
    let refused = printed(online(
        elsewhere.path(),
        &["check", "--repo", repo, "-v", "--no-private-network"],
    ));
    assert!(
        refused.contains("--no-private-network forbids"),
        "{refused}"
    );
    let quiet = printed(online(
        elsewhere.path(),
        &["check", "--repo", repo, "-v", "--offline"],
    ));
    assert!(!quiet.contains("FL-X001"), "nobody said: {quiet}");
}

/// A host that nobody reaches is one finding, however many sources are there.
#[test]
fn a_host_that_is_not_reached_is_told_once() {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .unwrap();
    let source = |name: &str, path: &str| {
        format!(
            "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata:\n  name: {name}\n  \
             namespace: flux-system\nspec:\n  interval: 1h\n  url: http://127.0.0.1:{port}/{path}\n---\n\
             apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: {name}\n  \
             namespace: flux-system\nspec:\n  interval: 1h\n  chart:\n    spec:\n      chart: app\n      \
             version: 1.0.0\n      sourceRef:\n        kind: HelmRepository\n        name: {name}\n"
        )
    };
    let text = [source("a", "x"), source("b", "y"), source("c", "z")].concat();
    let place = tree(&[
        ("clusters/main/sources.yaml", text.as_str()),
        ("clusters/main/flux-system/gotk-sync.yaml", SYNC),
    ]);
    let cache = tempfile::tempdir().unwrap();
    let repo = place.path().to_str().unwrap();
    let told = printed(online(cache.path(), &["check", "--repo", repo, "-v"]));
    let expected = format!(
        "127.0.0.1:{port} is unreachable: Connection refused (os error 111), so 3 sources gave nothing and \
         `HelmRelease/flux-system/a`, `HelmRelease/flux-system/b` and `HelmRelease/flux-system/c` could \
         not be rendered"
    );
    assert_eq!(told.matches("[FL-X001]").count(), 1, "{told}");
    let (before, after) = expected
        .split_once("Connection refused (os error 111)")
        .unwrap();
    assert!(told.contains(before) && told.contains(after), "{told}");
    assert!(
        told.contains("HelmRepository `flux-system/c` is asked for it"),
        "{told}"
    );
}
