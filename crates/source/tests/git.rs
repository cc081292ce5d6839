//! Git repositories: from a directory, and over HTTP through git's own server
//! program.

mod common;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use common::git::{backend, git};
use common::{Body, options, serve, sources, status};
use ecow::EcoString;
use source::{Access, Checkout, Error, Login, Sources};

/// A repository with two tagged commits and a branch; the directory it lies in
/// and the first commit.
fn repository(directory: &Path) -> (PathBuf, String) {
    let place = directory.join("repos/fleet.git");
    std::fs::create_dir_all(&place).unwrap();
    git(&place, &["init", "--quiet", "--initial-branch=main", "."]);
    let commit = |content: &str| {
        std::fs::create_dir_all(place.join("apps")).unwrap();
        std::fs::write(place.join("apps/a.yaml"), content).unwrap();
        git(&place, &["add", "."]);
        git(&place, &["commit", "--quiet", "-m", "x"]);
        git(&place, &["rev-parse", "HEAD"])
    };
    let first = commit("a: 1\n");
    git(&place, &["tag", "v1.0.0"]);
    commit("a: 2\n");
    git(&place, &["tag", "-a", "-m", "x", "v1.1.0"]);
    git(&place, &["branch", "stable", "v1.0.0"]);
    commit("a: 3\n");
    (place, first)
}

/// The highest by text is enough here.
fn choose(tags: &[EcoString], range: &str) -> Option<EcoString> {
    let mut tags: Vec<&EcoString> = tags.iter().filter(|tag| tag.starts_with(range)).collect();
    tags.sort();
    tags.last().map(|tag| (*tag).clone())
}

fn content(sources: &Sources, address: &str, reference: &str) -> Result<String, Error> {
    let tree = sources.git(address, reference, Checkout::default(), &choose)?;
    let bytes = tree.read("apps/a.yaml").unwrap();
    Ok(String::from_utf8(bytes.to_vec()).unwrap())
}

fn check_all(sources: &Sources, address: &str, first: &str) {
    for (reference, expected) in [
        ("refs/heads/main", "a: 3\n"),
        ("", "a: 3\n"),
        ("stable", "a: 1\n"),
        ("refs/tags/v1.1.0", "a: 2\n"),
        ("v1.0.0", "a: 1\n"),
        ("semver:v1", "a: 2\n"),
        (first, "a: 1\n"),
    ] {
        assert_eq!(
            content(sources, address, reference).unwrap(),
            expected,
            "{reference}"
        );
    }
}

#[test]
fn a_directory_is_fetched_from() {
    let directory = tempfile::tempdir().unwrap();
    let (place, first) = repository(directory.path());
    let address = format!("file://{}", place.display());
    check_all(&sources(directory.path()), &address, &first);
    std::fs::rename(&place, directory.path().join("gone")).unwrap();
    check_all(&common::offline(directory.path()), &address, &first);
    let fresh = common::offline(&directory.path().join("fresh"));
    assert!(matches!(
        content(&fresh, &address, ""),
        Err(Error::Offline(_))
    ));
    let error = content(&sources(&directory.path().join("fresh")), &address, "").unwrap_err();
    assert!(matches!(error, Error::RepositoryMissing(_)), "{error}");
    let left = std::fs::read_dir(directory.path().join("cache/v1/tmp")).unwrap();
    assert_eq!(left.count(), 0);
}

#[test]
fn what_is_missing_is_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    let (place, _) = repository(directory.path());
    let address = format!("file://{}", place.display());
    let sources = sources(directory.path());
    let missing = |reference: &str| {
        content(&sources, &address, reference)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        missing("refs/tags/v1.2.0"),
        format!("{address} has no tag v1.2.0; nearest are v1.1.0, v1.0.0")
    );
    assert!(missing("refs/heads/stabel").contains("no branch stabel; nearest are stable, main"));
    assert!(missing("semver:v3").contains("no tag that satisfies v3"));
    let error = content(&sources, &address, &"0".repeat(40)).unwrap_err();
    assert!(error.is_missing(), "{error}");
    for wrong in [
        "ext::sh -c x",
        "--upload-pack=x",
        "ftp://h/x",
        "ssh://-oProxyCommand=x/y",
        "/etc",
    ] {
        let error = content(&sources, wrong, "").unwrap_err();
        assert!(matches!(error, Error::Address(_)), "{wrong}: {error}");
    }
}

#[test]
fn a_server_is_asked_once() {
    let directory = tempfile::tempdir().unwrap();
    let (_, first) = repository(directory.path());
    let root = directory.path().join("repos");
    let server = serve(move |request| backend(&root, request));
    let address = server.http("/fleet.git/.git");
    let first_run = sources(directory.path());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| content(&first_run, &address, "v1.0.0").unwrap());
        }
    });
    check_all(&first_run, &address, &first);
    let asked = server.requests().len();
    check_all(&sources(directory.path()), &address, &first);
    check_all(&common::offline(directory.path()), &address, &first);
    assert_eq!(server.requests().len(), asked, "a second run asks nothing");
    let lists = server
        .requests()
        .iter()
        .filter(|r| r.body.windows(14).any(|w| w == b"command=ls-ref"))
        .count();
    // One list of names, and one in each fetch of a commit: git itself asks so.
    assert!(lists <= 4, "{lists}");
}

#[test]
fn credentials_are_sent_where_they_belong() {
    let directory = tempfile::tempdir().unwrap();
    repository(directory.path());
    let root = directory.path().join("repos");
    // `me:s3cret`
    let server = serve(move |request| match request.header("authorization") {
        Some("Basic bWU6czNjcmV0") => backend(&root, request),
        _ => status(401, "").with("www-authenticate", "Basic realm=\"x\""),
    });
    let address = server.http("/fleet.git/.git");
    let error = content(&sources(directory.path()), &address, "").unwrap_err();
    assert!(
        matches!(error, Error::Unauthorized { sent: None, .. }),
        "{error}"
    );
    let named = address.replace("http://", "http://me:s3cret@");
    let own = sources(&directory.path().join("a"));
    assert_eq!(content(&own, &named, "").unwrap(), "a: 3\n");
    assert!(!common::holds(&directory.path().join("a"), "s3cret"));
    let told = sources(&directory.path().join("b"));
    let login = Some(Login::basic("me", "s3cret", "Secret flux-system/x"));
    told.tell(
        &address,
        Access {
            login,
            ..Access::default()
        },
    );
    assert_eq!(content(&told, &address, "").unwrap(), "a: 3\n");
    let wrong = sources(&directory.path().join("c"));
    let login = Some(Login::basic("me", "wrong", "Secret flux-system/x"));
    wrong.tell(
        &address,
        Access {
            login,
            ..Access::default()
        },
    );
    let error = content(&wrong, &address, "").unwrap_err();
    assert!(
        matches!(error, Error::Unauthorized { sent: Some(_), .. }),
        "{error}"
    );
}

#[test]
fn a_connection_is_waited_for_once() {
    // Where the system lets everybody wait there is nothing to see.
    let Ok(full) = loopback::Full::start() else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let mut options = options(directory.path());
    options.patience.connect = Duration::from_secs(1);
    let sources = Sources::new(options);
    let started = Instant::now();
    for repository in ["a", "b", "c"] {
        let address = format!("http://{}/{repository}", full.address().unwrap());
        let error = content(&sources, &address, "").unwrap_err();
        assert!(matches!(error, Error::Unreachable { .. }), "{error}");
    }
    assert_eq!(sources.statistics().traffic.requests, 1);
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn failures_are_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let nobody = sources(directory.path());
    for repository in ["a", "b", "c"] {
        let error = content(
            &nobody,
            &format!("http://127.0.0.1:{port}/{repository}"),
            "",
        )
        .unwrap_err();
        assert!(matches!(error, Error::Unreachable { .. }), "{error}");
    }
    assert_eq!(nobody.statistics().traffic.requests, 1);
    let server = serve(|request| match request.target.as_str() {
        path if path.starts_with("/busy") => status(429, ""),
        path if path.starts_with("/slow") => status(200, "").body(Body::Silence),
        _ => status(404, ""),
    });
    let busy = sources(directory.path());
    let error = content(&busy, &server.http("/busy"), "").unwrap_err();
    assert!(matches!(error, Error::RateLimited { .. }), "{error}");
    assert_eq!(server.count("/busy"), 3, "it is tried again");
    let error = content(&busy, &server.http("/none"), "").unwrap_err();
    assert!(matches!(error, Error::RepositoryMissing(_)), "{error}");
    let error = content(&busy, &server.http("/slow"), "").unwrap_err();
    assert!(
        matches!(error, Error::TooSlow { .. } | Error::Unreachable { .. }),
        "{error}"
    );
    let mut guarded = options(directory.path());
    guarded.no_private_network = true;
    let guarded = Sources::new(guarded);
    for address in [
        server.http("/x"),
        "file:///x".into(),
        "ssh://localhost/x".into(),
    ] {
        let error = content(&guarded, &address, "").unwrap_err();
        assert!(
            matches!(error, Error::PrivateNetwork { .. }),
            "{address}: {error}"
        );
    }
}
