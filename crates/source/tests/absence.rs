//! What a host said that it does not have.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{Server, offline, ok, options, serve, sources, status};
use ecow::EcoString;
use source::{Checkout, Error, Sources};

const INDEX: &str = "apiVersion: v1\nentries:\n  app:\n  - version: 1.0.0\n    urls: [app.tgz]\n";
const NEWER: &str = "  - version: 2.0.0\n    urls: [app.tgz]\n";

/// A registry with tags and no manifests, a chart repository without archives,
/// and nothing else.
fn poor() -> Server {
    serve(|request| match request.target.as_str() {
        path if path.starts_with("/v2/app/tags/list") => ok(r#"{"tags": ["1.0.0", "1.1.0"]}"#),
        path if path.starts_with("/v2/app/") => {
            status(404, r#"{"errors": [{"code": "MANIFEST_UNKNOWN"}]}"#)
        }
        "/charts/index.yaml" => ok(INDEX),
        _ => status(404, ""),
    })
}

/// Everything that is asked of it, as errors.
fn errors(sources: &Sources, server: &Server) -> Vec<Error> {
    let none = |_: &[EcoString]| None;
    let (app, other) = (server.oci("/app"), server.oci("/other"));
    let charts = server.http("/charts");
    let git = server.http("/x.git");
    vec![
        sources.oci_chart(&app, "1.2.0").unwrap_err(),
        sources.oci_chart(&app, "1.3.0").unwrap_err(),
        sources.oci_tag(&app, ">=2", &none).unwrap_err(),
        sources.oci_chart(&other, "1.0.0").unwrap_err(),
        sources.oci_tag(&other, ">=2", &none).unwrap_err(),
        sources.chart(&charts, "app", "1.0.0").unwrap_err(),
        sources.chart(&charts, "app", "3.0.0").unwrap_err(),
        sources.chart(&charts, "none", "3.0.0").unwrap_err(),
        sources.index(&server.http("/none")).unwrap_err(),
        sources.file(&server.http("/x.yaml")).unwrap_err(),
        sources
            .git(&git, "main", Checkout::default(), &|_, _| None)
            .err()
            .unwrap(),
    ]
}

#[test]
fn it_is_remembered_where_nobody_can_be_asked() {
    let directory = tempfile::tempdir().unwrap();
    let server = poor();
    let online = sources(directory.path());
    let said = errors(&online, &server);
    for error in &said {
        assert!(error.is_answer(), "{error}");
    }
    assert_eq!(
        said[0].to_string(),
        format!(
            "{} has no tag 1.2.0; nearest are 1.1.0, 1.0.0",
            server.oci("/app")
        )
    );
    let asked = server.requests().len();
    assert_eq!(errors(&online, &server), said);
    assert_eq!(server.requests().len(), asked, "a run asks once");
    assert_eq!(server.count("/v2/app/tags/list"), 1);

    assert_eq!(errors(&offline(directory.path()), &server), said);
    assert_eq!(server.requests().len(), asked, "nobody is asked");

    std::thread::sleep(Duration::from_millis(5));
    let later = sources(directory.path());
    assert_eq!(errors(&later, &server), said);
    assert!(server.requests().len() > asked, "it may be there by now");
}

#[test]
fn what_is_there_by_now_is_found() {
    let directory = tempfile::tempdir().unwrap();
    let versions = Arc::new(AtomicUsize::new(1));
    let now = versions.clone();
    let server = serve(move |request| {
        let is_new = now.load(Ordering::SeqCst) > 1;
        match request.target.as_str() {
            "/index.yaml" if is_new => ok(format!("{INDEX}{NEWER}")),
            "/index.yaml" => ok(INDEX),
            "/app.tgz" => ok("chart"),
            "/file" if is_new => ok("here"),
            path if path.starts_with("/v2/app/tags/list") => match is_new {
                true => ok(r#"{"tags": ["1.0.0", "2.0.0"]}"#),
                false => ok(r#"{"tags": ["1.0.0"]}"#),
            },
            _ => status(404, ""),
        }
    });
    let (address, app, file) = (server.http(""), server.oci("/app"), server.http("/file"));
    let highest = |tags: &[EcoString]| tags.iter().max().cloned();
    let second = |tags: &[EcoString]| tags.iter().find(|tag| *tag == "2.0.0").cloned();
    let first = sources(directory.path());
    first.chart(&address, "app", "1.0.0").unwrap();
    first.chart(&address, "app", "2.0.0").unwrap_err();
    first.oci_tag(&app, "2.0.0", &second).unwrap_err();
    first.file(&file).unwrap_err();
    assert_eq!((server.count("index"), server.count("tags")), (1, 1));

    versions.store(2, Ordering::SeqCst);
    std::thread::sleep(Duration::from_millis(5));
    let had = |sources: &Sources| {
        sources.chart(&address, "app", "2.0.0").unwrap();
        sources.oci_tag(&app, "2.0.0", &second).unwrap();
        assert_eq!(&*sources.file(&file).unwrap(), b"here");
        // What moves stays where it was.
        let chosen = sources
            .chart_version(&address, "app", "*", &highest)
            .unwrap();
        assert_eq!(chosen, "1.0.0");
        assert_eq!(sources.oci_tag(&app, "*", &highest).unwrap(), "1.0.0");
    };
    had(&sources(directory.path()));
    assert_eq!((server.count("index"), server.count("tags")), (2, 2));
    let asked = server.requests().len();
    had(&sources(directory.path()));
    had(&offline(directory.path()));
    assert_eq!(server.requests().len(), asked, "it is kept by now");

    std::thread::sleep(Duration::from_millis(5));
    let mut options = options(directory.path());
    options.refresh = true;
    let anew = Sources::new(options);
    let chosen = anew.chart_version(&address, "app", "*", &highest).unwrap();
    assert_eq!(chosen, "2.0.0");
}

#[test]
fn what_is_gone_is_gone_offline_too() {
    let directory = tempfile::tempdir().unwrap();
    let there = Arc::new(AtomicUsize::new(1));
    let now = there.clone();
    let server = serve(move |_| match now.load(Ordering::SeqCst) {
        1 => ok("here"),
        _ => status(404, ""),
    });
    let address = server.http("/file");
    sources(directory.path()).file(&address).unwrap();
    there.store(0, Ordering::SeqCst);
    std::thread::sleep(Duration::from_millis(5));
    let mut options = options(directory.path());
    options.refresh = true;
    let error = Sources::new(options).file(&address).unwrap_err();
    assert_eq!(offline(directory.path()).file(&address), Err(error));
}

#[test]
fn failures_to_ask_are_not_remembered() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(|request| match request.target.as_str() {
        "/secret" => status(401, ""),
        _ => status(400, ""),
    });
    for path in ["/secret", "/broken"] {
        let address = server.http(path);
        let error = sources(directory.path()).file(&address).unwrap_err();
        assert!(!error.is_answer(), "{error}");
        let error = offline(directory.path()).file(&address).unwrap_err();
        assert!(matches!(error, Error::Offline(_)), "{error}");
    }
}
