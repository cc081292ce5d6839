//! Many processes on one cache.

mod common;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{Server, ok, serve, status};

/// Set for the processes that tests start: the cache's directory and the
/// server's address.
const DIRECTORY: &str = "FLUXLINT_TEST_DIRECTORY";
const ADDRESS: &str = "FLUXLINT_TEST_ADDRESS";
const CHARTS: usize = 12;

fn content(at: usize) -> Vec<u8> {
    format!("chart {at} ").into_bytes().repeat(20_000)
}

fn repository() -> Server {
    serve(|request| {
        if request.target == "/index.yaml" {
            let entries: String = (0..CHARTS)
                .map(|at| format!("  c{at}:\n  - version: 1.0.0\n    urls: [c-{at}.tgz]\n"))
                .collect();
            return ok(format!("apiVersion: v1\nentries:\n{entries}"));
        }
        let name = request
            .target
            .trim_start_matches("/c-")
            .trim_end_matches(".tgz");
        match name.parse::<usize>() {
            Ok(at) => {
                std::thread::sleep(Duration::from_millis(2));
                ok(content(at))
            }
            Err(_) => status(404, ""),
        }
    })
}

/// This is what the started processes run; alone it does nothing.
#[test]
fn a_process() {
    let (Some(directory), Ok(address)) = (std::env::var_os(DIRECTORY), std::env::var(ADDRESS))
    else {
        return;
    };
    let sources = common::sources(Path::new(&directory));
    for at in 0..CHARTS {
        let chart = sources.chart(&address, &format!("c{at}"), "1.0.0").unwrap();
        assert_eq!(&*chart, content(at));
    }
}

fn start(directory: &Path, address: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_process"])
        .env(DIRECTORY, directory)
        .env(ADDRESS, address)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn twenty_processes_fetch_each_thing_once() {
    let directory = tempfile::tempdir().unwrap();
    let server = repository();
    let address = server.http("");
    let started: Vec<Child> = (0..20).map(|_| start(directory.path(), &address)).collect();
    for mut process in started {
        assert!(process.wait().unwrap().success());
    }
    assert_eq!(server.count("index.yaml"), 1);
    assert_eq!(server.count("tgz"), CHARTS);
}

#[test]
fn killed_processes_leave_a_usable_cache() {
    const KILLS: u64 = 200;
    let server = repository();
    let address = server.http("");
    let mut fetched = 0;
    let mut directory = tempfile::tempdir().unwrap();
    for kill in 0..KILLS {
        // Anew now and then: a full cache has nothing left to break.
        if kill % 10 == 0 {
            check(directory.path(), &address);
            fetched += server.count("tgz");
            directory = tempfile::tempdir().unwrap();
        }
        let mut process = start(directory.path(), &address);
        // Spread over the whole run of a process, without a clock to seed it.
        std::thread::sleep(Duration::from_micros(kill * 7919 % 40_000));
        process.kill().unwrap();
        process.wait().unwrap();
    }
    check(directory.path(), &address);
    assert!(fetched > 0);
}

/// Everything can be had, and what was left behind is cleaned up.
fn check(directory: &Path, address: &str) {
    let sources = common::sources(directory);
    for at in 0..CHARTS {
        let chart = sources.chart(address, &format!("c{at}"), "1.0.0").unwrap();
        assert_eq!(&*chart, content(at));
    }
    drop(sources);
    let offline = common::offline(directory);
    assert_eq!(&*offline.chart(address, "c0", "1.0.0").unwrap(), content(0));
    drop(offline);
    let cache = source::Cache::new(&directory.join("cache"));
    // A process that another test is just starting has its files open, until it
    // runs its own program.
    let tries = (0..100).find_map(|_| {
        let cleaned = cache.collect(Duration::from_secs(3600)).unwrap();
        if cleaned.is_none() {
            std::thread::sleep(Duration::from_millis(20));
        }
        cleaned
    });
    let cleaned = tries.unwrap();
    assert_eq!(cleaned.left.blobs, CHARTS + 1);
    assert!(!directory.join("cache/v1/tmp").exists());
}
