//! What belongs to a checkout besides a commit's own files: submodules, and what
//! links lead to. Whom a redirect may take credentials to.

mod common;

use std::path::Path;

use common::git::{backend, git};
use common::{Request, Response, Server, offline, options, serve, sources, status};
use ecow::EcoString;
use source::{Access, Checkout, Error, Instead, Login, Sources};
use vfs::Tree;

const NONE: Checkout = Checkout {
    submodules: false,
    links: false,
};
const SUBMODULES: Checkout = Checkout {
    submodules: true,
    links: false,
};
const CLONE: Checkout = Checkout {
    submodules: true,
    links: true,
};

fn first(tags: &[EcoString], _: &str) -> Option<EcoString> {
    tags.first().cloned()
}

fn tree(sources: &Sources, address: &str, checkout: Checkout) -> Result<Tree, Error> {
    sources.git(address, "main", checkout, &first)
}

fn read(tree: &Tree, path: &str) -> Option<String> {
    let bytes = tree.read(path).ok()?;
    Some(String::from_utf8(bytes.to_vec()).unwrap())
}

/// A bare repository `<name>.git` with files, links and submodules; its commit.
fn bare(
    root: &Path,
    name: &str,
    files: &[(&str, &str)],
    links: &[(&str, &str)],
    submodules: &[(&str, &str, &str)],
) -> String {
    let work = root.join(format!("work-{name}"));
    std::fs::create_dir_all(&work).unwrap();
    git(&work, &["init", "--quiet", "--initial-branch=main", "."]);
    for (path, content) in files {
        let path = work.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    for (path, target) in links {
        let path = work.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }
    let mut listed = String::new();
    for (path, url, commit) in submodules {
        listed += &format!("[submodule \"{path}\"]\n\tpath = {path}\n\turl = {url}\n");
        let entry = format!("160000,{commit},{path}");
        git(&work, &["update-index", "--add", "--cacheinfo", &entry]);
    }
    if !submodules.is_empty() {
        std::fs::write(work.join(".gitmodules"), listed).unwrap();
    }
    let names = std::fs::read_dir(&work).unwrap().flatten();
    for name in names.filter(|entry| entry.file_name() != ".git") {
        git(&work, &["add", name.file_name().to_str().unwrap()]);
    }
    git(&work, &["commit", "--quiet", "-m", "x"]);
    let place = root.join(format!("{name}.git"));
    let (work, place) = (work.to_str().unwrap(), place.to_str().unwrap());
    git(root, &["clone", "--quiet", "--bare", work, place]);
    git(root, &["-C", place, "rev-parse", "HEAD"])
}

/// Three repositories in each other, and links in all directions.
fn nested(root: &Path) {
    let deep = bare(root, "deep", &[("d.yaml", "d: 1\n")], &[], &[]);
    let base = bare(
        root,
        "base",
        &[("b.yaml", "b: 1\n")],
        &[("link.yaml", "b.yaml")],
        &[("deep", "../deep.git", &deep)],
    );
    bare(
        root,
        "fleet",
        &[("apps/a.yaml", "a: 1\n")],
        &[
            ("overlay/apps", "../apps"),
            ("overlay/out", "../../../../etc"),
            ("overlay/passwd", "/etc/passwd"),
        ],
        &[("vendor/base", "../base.git", &base)],
    );
}

fn serving(root: &Path) -> Server {
    let root = root.to_path_buf();
    serve(move |request| backend(&root, request))
}

#[test]
fn submodules_and_links_are_had_when_they_are_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    nested(directory.path());
    let server = serving(directory.path());
    let address = server.http("/fleet.git");
    let cache = directory.path().join("c");
    let mut asked = 0;
    for sources in [sources(&cache), offline(&cache)] {
        let artifact = tree(&sources, &address, NONE).unwrap();
        assert_eq!(read(&artifact, "apps/a.yaml").unwrap(), "a: 1\n");
        assert_eq!(read(&artifact, "vendor/base/b.yaml"), None);
        assert_eq!(read(&artifact, "overlay/apps/a.yaml"), None);
        let with = tree(&sources, &address, SUBMODULES).unwrap();
        assert_eq!(read(&with, "vendor/base/b.yaml").unwrap(), "b: 1\n");
        assert_eq!(read(&with, "vendor/base/deep/d.yaml").unwrap(), "d: 1\n");
        assert_eq!(read(&with, "vendor/base/link.yaml"), None);
        let clone = tree(&sources, &address, CLONE).unwrap();
        assert_eq!(read(&clone, "vendor/base/link.yaml").unwrap(), "b: 1\n");
        assert_eq!(read(&clone, "overlay/apps/a.yaml").unwrap(), "a: 1\n");
        for outside in ["overlay/passwd", "overlay/out/passwd", "overlay/out"] {
            assert_eq!(read(&clone, outside), None, "{outside}");
        }
        match asked {
            0 => asked = server.requests().len(),
            before => assert_eq!(server.requests().len(), before, "nothing is asked again"),
        }
    }
}

#[test]
fn a_mirror_stands_for_the_hosts_of_submodules() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let inner = bare(root, "inner", &[("b.yaml", "b: 1\n")], &[], &[]);
    let elsewhere = "https://git.example.invalid/team/inner.git";
    bare(
        root,
        "outer",
        &[("a", "")],
        &[],
        &[("x", elsewhere, &inner)],
    );
    let server = serving(root);
    let mut options = options(&root.join("c"));
    let mirror = (
        "https://git.example.invalid/team/".to_owned(),
        server.http(""),
    );
    options.instead = Instead::new([mirror]);
    let tree = tree(
        &Sources::new(options),
        &server.http("/outer.git"),
        SUBMODULES,
    );
    assert_eq!(read(&tree.unwrap(), "x/b.yaml").unwrap(), "b: 1\n");
}

#[test]
fn a_submodule_that_cannot_be_had_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let none = "1".repeat(40);
    bare(
        root,
        "gone",
        &[("a", "")],
        &[],
        &[("x", "../none.git", &none)],
    );
    let inner = bare(root, "inner", &[("a", "")], &[], &[]);
    bare(
        root,
        "stale",
        &[("a", "")],
        &[],
        &[("x", "../inner.git", &none)],
    );
    let local = format!("file://{}/inner.git", root.display());
    bare(root, "local", &[("a", "")], &[], &[("x", &local, &inner)]);
    let server = serving(root);
    let sources = sources(&root.join("c"));
    let failed = |name: &str| {
        let result = tree(&sources, &server.http(&format!("/{name}.git")), SUBMODULES);
        result.map(|_| ()).unwrap_err()
    };
    let error = failed("gone");
    assert_eq!(
        error,
        Error::RepositoryMissing(server.http("/none.git").into())
    );
    let error = failed("stale");
    assert!(
        error.is_missing() && error.to_string().contains("/inner.git"),
        "{error}"
    );
    let error = failed("local").to_string();
    assert!(error.contains("of this machine"), "{error}");
}

/// Credentials `me:s3cret`, told of an address.
fn told(directory: &Path, address: &str) -> Sources {
    let sources = sources(directory);
    sources.tell(
        address,
        Access {
            login: Some(Login::basic("me", "s3cret", "Secret flux-system/x")),
            ..Access::default()
        },
    );
    sources
}

fn guarded(request: &Request, answer: impl FnOnce() -> Response) -> Response {
    match request.header("authorization") {
        Some("Basic bWU6czNjcmV0") => answer(),
        _ => status(401, "").with("www-authenticate", "Basic realm=\"x\""),
    }
}

fn known(server: &Server) -> usize {
    let requests = server.requests();
    requests
        .iter()
        .filter(|request| request.header("authorization").is_some())
        .count()
}

#[test]
fn credentials_are_for_submodules_of_the_same_host() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().to_path_buf();
    let elsewhere = tempfile::tempdir().unwrap();
    let other = bare(elsewhere.path(), "other", &[("o.yaml", "o: 1\n")], &[], &[]);
    let others = serving(elsewhere.path());
    let same = bare(&root, "same", &[("s.yaml", "s: 1\n")], &[], &[]);
    let far = others.http("/other.git");
    let submodules = [
        ("same", "../same.git", same.as_str()),
        ("far", &far, &other),
    ];
    bare(&root, "fleet", &[("a", "")], &[], &submodules);
    let served = root.clone();
    let server = serve(move |request| guarded(request, || backend(&served, request)));
    let address = server.http("/fleet.git");
    let with = tree(&told(&root.join("c"), &address), &address, SUBMODULES).unwrap();
    assert_eq!(read(&with, "same/s.yaml").unwrap(), "s: 1\n");
    assert_eq!(read(&with, "far/o.yaml").unwrap(), "o: 1\n");
    assert_eq!(known(&others), 0);
    assert!(!common::holds(&root.join("c"), "s3cret"));
}

#[test]
fn redirects_take_no_credentials_to_another_host() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    bare(root, "fleet", &[("apps/a.yaml", "a: 1\n")], &[], &[]);
    let there = serving(root);
    let target = there.http("");
    let here = serve(move |request| {
        guarded(request, || {
            status(301, "").with("location", format!("{target}{}", request.target))
        })
    });
    let address = here.http("/fleet.git");
    let moved = tree(&told(&root.join("c"), &address), &address, NONE).unwrap();
    assert_eq!(read(&moved, "apps/a.yaml").unwrap(), "a: 1\n");
    assert!(known(&here) > 0 && !there.requests().is_empty());
    assert_eq!(known(&there), 0, "the other host gets none");
    let circle = serve(|request| status(302, "").with("location", request.target.clone()));
    let address = circle.http("/x.git");
    let error = tree(&told(&root.join("d"), &address), &address, NONE).map(|_| ());
    let error = error.unwrap_err().to_string();
    assert!(error.contains("more than 10 redirects"), "{error}");
}
