//! Sources and what they ask, for tests.
#![allow(dead_code)]

pub mod git;

use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub use loopback::{Body, Request, Response, Server};
use source::http::Patience;
use source::{Options, Sources};

/// A server that runs until the test ends.
pub fn serve(answer: impl Fn(&Request) -> Response + Send + Sync + 'static) -> Server {
    Server::start(answer).unwrap()
}

pub fn ok(body: impl Into<Body>) -> Response {
    Response::ok(body)
}

pub fn status(status: u16, body: impl Into<Body>) -> Response {
    Response::new(status, body)
}

/// Options with a cache in a directory, short waits and a home of its own.
pub fn options(directory: &Path) -> Options {
    let home = directory.join("home").into_os_string();
    let mut options = Options::new(directory.join("cache"));
    options.patience = Patience {
        connect: Duration::from_secs(2),
        answer: Duration::from_secs(2),
        idle: Duration::from_millis(400),
        grace: Duration::from_millis(300),
        least: 1 << 10,
        whole: Duration::from_secs(20),
        tries: 3,
        pause: Duration::from_millis(10),
        longest_pause: Duration::from_secs(2),
        parallel: 4,
    };
    options.environment = Arc::new(move |name| (name == "HOME").then(|| home.clone()));
    options
}

pub fn sources(directory: &Path) -> Sources {
    Sources::new(options(directory))
}

pub fn offline(directory: &Path) -> Sources {
    let mut options = options(directory);
    options.offline = true;
    Sources::new(options)
}

pub fn environment(pairs: &[(&str, &Path)]) -> source::auth::Environment {
    let pairs: Vec<(String, OsString)> = pairs
        .iter()
        .map(|(name, path)| ((*name).to_owned(), path.as_os_str().to_owned()))
        .collect();
    Arc::new(move |name| {
        let mut pairs = pairs.iter();
        pairs
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.clone())
    })
}

/// Whether any file below a directory holds a text.
pub fn holds(directory: &Path, text: &str) -> bool {
    let entries = std::fs::read_dir(directory).unwrap().flatten();
    entries.into_iter().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return holds(&path, text);
        }
        let bytes = std::fs::read(&path).unwrap_or_default();
        bytes
            .windows(text.len())
            .any(|window| window == text.as_bytes())
    })
}
