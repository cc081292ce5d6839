//! Hostile archives and servers: each ends with a clear error, in little memory.
//!
//! Every case runs in a process of its own, whose memory the kernel counts.
#![cfg(target_os = "linux")]

mod common;

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use common::{Body, Request, Response, ok, options, serve, status};
use flate2::Compression;
use flate2::write::GzEncoder;
use source::cache::Digest;
use source::http::Patience;
use source::{Checkout, Error, Sources};
use vfs::Tree;

/// Set for the processes that tests start: the cache's directory, the server's
/// port and what is done.
const DIRECTORY: &str = "FLUXLINT_TEST_DIRECTORY";
const PORT: &str = "FLUXLINT_TEST_PORT";
const ACTION: &str = "FLUXLINT_TEST_ACTION";

/// What a process reports.
struct Outcome {
    text: String,
    /// MiB that it used at most.
    peak: u64,
    took: Duration,
}

/// This is what the started processes run; alone it does nothing.
#[test]
fn a_process() {
    let Ok(action) = std::env::var(ACTION) else {
        return;
    };
    let directory = std::env::var(DIRECTORY).unwrap();
    let port = std::env::var(PORT).unwrap();
    let mut options = options(Path::new(&directory));
    if action == "large index" {
        // Much is sent, and nobody is slow on purpose.
        options.patience = Patience::default();
    }
    let sources = Sources::new(options);
    let result = act(&sources, &port, &action);
    let said = match &result {
        Ok(text) => format!("ok {text}"),
        Err(error) => format!("{} {error}", error.class()),
    };
    std::fs::write(Path::new(&directory).join("said"), said).unwrap();
    let state = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = state.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    std::fs::write(Path::new(&directory).join("peak"), peak.unwrap()).unwrap();
}

fn act(sources: &Sources, port: &str, action: &str) -> Result<String, Error> {
    let oci = format!("oci://127.0.0.1:{port}/app");
    let http = format!("http://127.0.0.1:{port}");
    let names = |tree: Tree| {
        let mut names = Vec::new();
        tree.walk("", &mut |path, _| {
            names.push(path.to_owned());
            true
        })
        .unwrap();
        names.join(" ")
    };
    match action {
        "layer" => sources.oci_tree(&oci, "1.0.0", None).map(names),
        "tags" => sources.tags(&oci).map(|tags| tags.len().to_string()),
        "index" | "large index" => {
            let index = sources.index(&http)?;
            Ok(index.charts().count().to_string())
        }
        "chart" => sources.chart(&http, "app", "1.0.0").map(|_| String::new()),
        "file" => sources.file(&format!("{http}/x")).map(|_| String::new()),
        "git" => {
            let address = format!("{http}/x.git");
            let tree = sources.git(&address, "", Checkout::default(), &|_, _| None);
            tree.map(names)
        }
        other => panic!("{other}"),
    }
}

fn run(action: &str, answer: impl Fn(&Request) -> Response + Send + Sync + 'static) -> Outcome {
    let directory = tempfile::tempdir().unwrap();
    let server = serve(answer);
    let started = Instant::now();
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_process"])
        .env(DIRECTORY, directory.path())
        .env(PORT, server.port().to_string())
        .env(ACTION, action)
        .output()
        .unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stdout)
    );
    let read = |name: &str| std::fs::read_to_string(directory.path().join(name)).unwrap();
    let kib: u64 = read("peak").trim().trim_end_matches(" kB").parse().unwrap();
    let outcome = Outcome {
        text: read("said"),
        peak: kib >> 10,
        took: started.elapsed(),
    };
    let left = directory.path().join("cache/v1/tmp");
    let left = std::fs::read_dir(left).map_or(0, |entries| entries.count());
    assert_eq!(left, 0, "nothing half-written is left");
    println!(
        "{action}: {} MiB, {:?}: {}",
        outcome.peak, outcome.took, outcome.text
    );
    outcome
}

impl Outcome {
    fn check(&self, class: &str, part: &str, mib: u64) {
        let Outcome { text, peak, .. } = self;
        assert!(text.starts_with(class) && text.contains(part), "{text}");
        assert!(*peak <= mib, "{peak} MiB: {text}");
    }
}

/// A registry whose one layer is these bytes.
fn layer(bytes: Vec<u8>) -> impl Fn(&Request) -> Response + Send + Sync + 'static {
    let digest = Digest::of(&bytes);
    let size = bytes.len();
    let manifest = format!(r#"{{"layers": [{{"digest": "{digest}", "size": {size}}}]}}"#);
    move |request| match request.target.as_str() {
        "/v2/app/manifests/1.0.0" => ok(manifest.clone()),
        path if path.contains("/blobs/") => ok(bytes.clone()),
        _ => status(404, ""),
    }
}

struct Packer(tar::Builder<GzEncoder<Vec<u8>>>);

impl Packer {
    fn new() -> Self {
        let encoder = GzEncoder::new(Vec::new(), Compression::best());
        Packer(tar::Builder::new(encoder))
    }

    /// An entry with a name as it is, wherever that leads.
    fn add(&mut self, name: &str, kind: tar::EntryType, target: &str, size: u64) -> &mut Self {
        let mut header = tar::Header::new_ustar();
        let bytes = header.as_mut_bytes();
        bytes[..name.len()].copy_from_slice(name.as_bytes());
        bytes[157..157 + target.len()].copy_from_slice(target.as_bytes());
        header.set_entry_type(kind);
        header.set_size(size);
        header.set_mode(0o644);
        header.set_cksum();
        let content = std::io::Read::take(std::io::repeat(0), size);
        self.0.append(&header, content).unwrap();
        self
    }

    fn file(&mut self, name: &str, size: u64) -> &mut Self {
        self.add(name, tar::EntryType::Regular, "", size)
    }

    fn done(self) -> Vec<u8> {
        self.0.into_inner().unwrap().finish().unwrap()
    }
}

#[test]
fn archives_cannot_reach_outside() {
    for name in ["../../etc/cron.d/x", "/etc/cron.d/x", "a/../../x"] {
        let mut packer = Packer::new();
        packer.file(name, 1);
        run("layer", layer(packer.done())).check("answer", "outside of the tree", 100);
    }
    let mut packer = Packer::new();
    packer
        .add("out", tar::EntryType::Symlink, "../../etc", 0)
        .add("passwd", tar::EntryType::Symlink, "/etc/passwd", 0)
        .add("hard", tar::EntryType::Link, "/etc/passwd", 0)
        .add("device", tar::EntryType::Char, "", 0)
        .add("pipe", tar::EntryType::Fifo, "", 0)
        .file("out/x", 1)
        .file("a.yaml", 1);
    let outcome = run("layer", layer(packer.done()));
    outcome.check("ok", "a.yaml", 100);
    for absent in ["passwd", "hard", "device", "pipe"] {
        assert!(!outcome.text.contains(absent), "{}", outcome.text);
    }
}

#[test]
fn bombs_do_not_go_off() {
    const TOO_MUCH: &str = "unpacks to more than is allowed";
    // By ratio: 60 MiB of zeros in 60 KiB; by all files together; by one.
    let mut packer = Packer::new();
    packer.file("a", 60 << 20);
    run("layer", layer(packer.done())).check("answer", TOO_MUCH, 150);
    let mut packer = Packer::new();
    for at in 0..40 {
        packer.file(&format!("{at}"), 60 << 20);
    }
    run("layer", layer(packer.done())).check("answer", "too large", 700);
    let mut packer = Packer::new();
    packer.file("a", 65 << 20);
    run("layer", layer(packer.done())).check("answer", "too large", 100);
    // By count.
    let mut packer = Packer::new();
    for at in 0..100_001 {
        packer.file(&format!("{at}"), 0);
    }
    run("layer", layer(packer.done())).check("answer", "more than 100000 entries", 200);
    // By depth.
    let mut packer = Packer::new();
    packer.file(&format!("{}a", "a/".repeat(48)), 1);
    let deep = format!("{}a", "a/".repeat(101));
    let mut header = tar::Header::new_gnu();
    header.set_size(1);
    packer.0.append_data(&mut header, deep, &b"x"[..]).unwrap();
    run("layer", layer(packer.done())).check("answer", "too many directories", 100);
    // By the name of an entry, which is no content.
    let mut packer = Packer::new();
    packer.add("././@LongLink", tar::EntryType::GNULongName, "", 300 << 20);
    packer.file("a", 1);
    run("layer", layer(packer.done())).check("answer", TOO_MUCH, 150);
    // One archive in the other: what is unpacked once is a file.
    let inner = {
        let mut packer = Packer::new();
        packer.file("a", 10 << 20);
        packer.done()
    };
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    let mut header = tar::Header::new_gnu();
    header.set_size(inner.len() as u64);
    builder
        .append_data(&mut header, "inner.tgz", inner.as_slice())
        .unwrap();
    let outer = builder.into_inner().unwrap().finish().unwrap();
    run("layer", layer(outer)).check("ok", "inner.tgz", 100);
}

#[test]
fn servers_cannot_fill_or_hold_up() {
    let endless = |_: &Request| ok("").body(Body::Endless);
    for (action, limit, mib) in [
        ("index", "50 MiB", 250),
        ("file", "64 MiB", 300),
        ("tags", "16 MiB", 100),
        ("layer", "4 MiB", 80),
    ] {
        run(action, endless).check("too-large", limit, mib);
    }
    let index = "apiVersion: v1\nentries:\n  app:\n  - version: 1.0.0\n    urls: [app.tgz]\n";
    let chart = |bodies: fn() -> Body| {
        move |request: &Request| match request.target.as_str() {
            "/index.yaml" => ok(index),
            _ => ok("").body(bodies()),
        }
    };
    run("chart", chart(|| Body::Endless)).check("too-large", "10 MiB", 100);
    let drip = || Body::Drip(Duration::from_millis(50));
    let outcome = run("chart", chart(drip));
    outcome.check("too-slow", "bytes in", 80);
    assert!(outcome.took < Duration::from_secs(15), "{:?}", outcome.took);
    run("chart", chart(|| Body::Silence)).check("too-slow", "stopped in the middle", 80);
    let round = |request: &Request| status(302, "").with("location", request.target.clone());
    for action in ["index", "file", "layer"] {
        run(action, round).check("answer", "more than 10 redirects", 80);
    }
    let mut wrong = Packer::new();
    wrong.file("a", 1);
    let right = layer(wrong.done());
    let lies = move |request: &Request| match request.target.contains("/blobs/") {
        true => ok("something else"),
        false => right(request),
    };
    run("layer", lies).check("digest-mismatch", "was promised", 80);
}

/// A large index takes a few times its size: of 49 MiB, 101.
#[test]
fn a_huge_index_is_read_in_bounds() {
    const LARGE: usize = 12 << 20;
    const LARGEST: usize = 49 << 20;
    let mut text = Vec::from("apiVersion: v1\nentries:\n");
    let mut charts = 0;
    while text.len() < LARGE {
        writeln!(text, "  chart-{charts}:").unwrap();
        for version in 0..100 {
            writeln!(
                text,
                "  - apiVersion: v2\n    name: chart-{charts}\n    version: 1.{version}.0\n    \
                 description: some words about it\n    digest: {:064}\n    urls:\n    \
                 - chart-{charts}-1.{version}.0.tgz",
                version
            )
            .unwrap();
        }
        charts += 1;
    }
    let text: Arc<[u8]> = text.into();
    let outcome = run("large index", move |_| ok(text.clone()));
    outcome.check("ok", &format!("{charts}"), 60);
    // As many versions as bytes allow, and as much of something else.
    let mut text = Vec::from("apiVersion: v1\nentries:\n  a: [");
    text.extend(b"{},".repeat(LARGEST / 3));
    text.push(b']');
    let text: Arc<[u8]> = text.into();
    let outcome = run("large index", move |_| ok(text.clone()));
    outcome.check("answer", "more than 400000 versions", 250);
    let mut text = Vec::from("apiVersion: v1\ngenerated: &x now\nentries:\n  a: [{version: 1}]\n");
    text.resize(LARGEST, b'\n');
    let text: Arc<[u8]> = text.into();
    let outcome = run("large index", move |_| ok(text.clone()));
    outcome.check("answer", "too large to follow them", 250);
    // Names that stand for one another.
    let mut bomb = String::from("apiVersion: v1\nx0: &x0 [1]\n");
    for at in 1..30 {
        let (a, b) = (at - 1, at);
        bomb += &format!("x{b}: &x{b} [*x{a}, *x{a}, *x{a}, *x{a}, *x{a}, *x{a}, *x{a}, *x{a}]\n");
    }
    let outcome = run("index", move |_| ok(bomb.clone()));
    assert!(outcome.peak < 500, "{} {}", outcome.peak, outcome.text);
}
