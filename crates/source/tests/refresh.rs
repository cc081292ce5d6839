//! What moves is asked whether it has changed.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{Response, Server, ok, options, serve, sources, status};
use source::Sources;
use source::http::Patience;

const TEXT: &str = "apiVersion: v1\nentries:\n  app:\n  - version: 1.0.0\n    urls: [app.tgz]\n";

/// An index and a file whose tag is the number of their version.
fn server(version: Arc<AtomicUsize>) -> Server {
    serve(move |request| {
        let now = version.load(Ordering::SeqCst);
        let tag = format!("\"v{now}\"");
        let says = |response: Response| {
            response
                .with("ETag", tag.clone())
                .with("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
        };
        if request.header("if-none-match") == Some(&tag) {
            assert_eq!(
                request.header("if-modified-since"),
                Some("Sun, 06 Nov 1994 08:49:37 GMT")
            );
            return says(status(304, ""));
        }
        match request.target.as_str() {
            "/index.yaml" => says(ok(TEXT.replace("1.0.0", &format!("1.{now}.0")))),
            "/file.yaml" => says(ok(format!("n: {now}\n"))),
            _ => status(404, ""),
        }
    })
}

#[test]
fn what_has_not_changed_is_not_sent_again() {
    let directory = tempfile::tempdir().unwrap();
    let version = Arc::new(AtomicUsize::new(1));
    let server = server(version.clone());
    let had = |sources: &Sources| {
        let index = sources.index(&server.http("")).unwrap();
        let file = sources.file(&server.http("/file.yaml")).unwrap();
        let version = index.versions("app")[0].version.clone();
        (version, String::from_utf8(file.to_vec()).unwrap())
    };
    let asking = |refresh: bool| {
        let mut options = options(directory.path());
        options.refresh = refresh;
        // Nothing here is slow on purpose; the machine may be.
        options.patience = Patience::default();
        Sources::new(options)
    };
    let anew = || {
        // What came in the millisecond a run began in counts as new.
        std::thread::sleep(Duration::from_millis(5));
        asking(true)
    };
    let first = ("1.1.0".to_owned(), "n: 1\n".to_owned());
    assert_eq!(had(&asking(false)), first);
    let same = anew();
    assert_eq!(had(&same), first);
    let counts = same.statistics();
    assert_eq!((counts.fetched, counts.unchanged), (0, 2));
    version.store(2, Ordering::SeqCst);
    let other = anew();
    assert_eq!(had(&other), ("1.2.0".into(), "n: 2\n".into()));
    let counts = other.statistics();
    assert_eq!((counts.fetched, counts.unchanged), (2, 0));
    // What has gone from the cache is asked for as if for the first time.
    std::fs::remove_dir_all(directory.path().join("cache/v1/blobs")).unwrap();
    assert_eq!(had(&anew()), ("1.2.0".into(), "n: 2\n".into()));
    assert_eq!(server.requests().len(), 8);
}

#[test]
fn not_modified_without_a_question_is_no_answer() {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(|_| status(304, ""));
    let sources = sources(directory.path());
    assert!(sources.index(&server.http("")).is_err());
    assert!(sources.file(&server.http("/x")).is_err());
}
