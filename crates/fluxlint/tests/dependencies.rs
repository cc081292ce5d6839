//! What the crates that need no network are made of: no asynchronous runtime, no
//! OpenSSL, nothing that needs a C compiler.

mod common;

use std::process::Command;

/// Crates that may be made of anything: they fetch, or are programs and tests.
const OTHERS: [&str; 5] = [
    "fluxlint",
    "fluxlint-source",
    "fluxlint-supply",
    "fluxlint-loopback",
    "xtask",
];
/// Crates that are bindings in name only: all Rust.
const RUST_ALL_THE_SAME: [&str; 4] = ["linux-raw-sys", "windows-sys", "js-sys", "web-sys"];
const RUNTIMES: [&str; 7] = [
    "tokio",
    "async-std",
    "smol",
    "hyper",
    "reqwest",
    "openssl",
    "native-tls",
];
/// What compiles C, or looks for it.
const COMPILERS: [&str; 8] = [
    "cc",
    "cmake",
    "pkg-config",
    "bindgen",
    "vcpkg",
    "ring",
    "aws-lc-rs",
    "autotools",
];

/// The names of the crates that some are built of.
fn tree(packages: &[String], more: &[&str]) -> Vec<String> {
    let chosen = packages.iter().flat_map(|name| ["-p", name]);
    let done = Command::new(env!("CARGO"))
        .current_dir(common::root())
        .args(["tree", "--locked", "--edges", "normal,build"])
        .args(["--prefix", "none", "--format", "{p}"])
        .args(chosen)
        .args(more)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    let names = String::from_utf8(done.stdout).unwrap();
    let names = names.lines().filter_map(|line| line.split(' ').next());
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

/// The packages of the workspace.
fn members() -> Vec<String> {
    let done = Command::new(env!("CARGO"))
        .current_dir(common::root())
        .args(["metadata", "--locked", "--no-deps", "--format-version", "1"])
        .output()
        .unwrap();
    let said: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let packages = said["packages"].as_array().unwrap().iter();
    packages
        .map(|package| package["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn core_crates_need_no_runtime_and_no_c() {
    let mut core = members();
    core.retain(|name| !OTHERS.contains(&name.as_str()));
    assert!(core.len() > 10, "{core:?}");
    let names = tree(&core, &[]);
    let is_wrong = |name: &&String| {
        let name = name.as_str();
        let binds = name.ends_with("-sys") && !RUST_ALL_THE_SAME.contains(&name);
        binds || RUNTIMES.contains(&name) || COMPILERS.contains(&name)
    };
    let wrong: Vec<&String> = names.iter().filter(is_wrong).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(names.iter().any(|name| name == "fluxlint-kustomize"));
}

/// Buckets bring a runtime with them, which is not started; they are a feature.
#[test]
fn the_program_needs_no_openssl_and_but_for_buckets_no_runtime() {
    let program = ["fluxlint".to_owned()];
    let is_openssl = |name: &str| ["openssl", "openssl-sys", "native-tls"].contains(&name);
    let names = tree(&program, &[]);
    assert!(!names.iter().any(|name| is_openssl(name)), "{names:?}");
    let names = tree(
        &program,
        &["--no-default-features", "--features", "mimalloc"],
    );
    let is_wrong = |name: &&String| RUNTIMES.contains(&name.as_str()) || is_openssl(name);
    let wrong: Vec<&String> = names.iter().filter(is_wrong).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}
