//! `flate`, which renders whole repositories by the upstream libraries.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use loopback::Proxy;

use super::peers;
use crate::corpus_list::Repository;
use crate::paths;
use crate::process::{self, Run};
use crate::sources::Stage;

/// The program that is compared with.
const FLATE: &str = "github.com/home-operations/flate/cmd/flate@v0.6.5";

/// The program, and what stands for the hosts it asks.
pub struct Flate {
    program: PathBuf,
    proxy: Proxy,
    stage: Stage,
}

impl Flate {
    /// Builds the program and starts the hosts.
    pub fn ready() -> Result<Flate, String> {
        let stage = Stage::servers("flate")?;
        let proxy = stage.origin.proxy()?;
        let certificate = stage.at("hosts.pem");
        fs::write(&certificate, proxy.certificate()).map_err(|e| e.to_string())?;
        Ok(Flate {
            program: peers::installed("flate", FLATE)?,
            proxy,
            stage,
        })
    }

    /// One `flate test all` of each entrypoint: everything is rendered and judged,
    /// nothing printed but a line an object. Of earlier runs only sources are kept.
    /// Beside the runs, what each says of how many objects.
    pub fn test(&self, repository: &Repository) -> Result<(Vec<Run>, String), String> {
        let tree = self.tree(repository)?;
        let mut runs = Vec::new();
        let mut told = Vec::new();
        for entrypoint in &repository.entrypoints {
            let mut command = Command::new(&self.program);
            command
                .args(["test", "all", "--no-progress", "--log-level", "error"])
                .args(["--helm-render-cache-mb", "0"])
                .args(["--kustomize-render-cache-mb", "0"])
                .arg("--allow-missing-secrets")
                .arg("--cache-dir")
                .arg(self.stage.at("cache"))
                .arg("--path")
                .arg(tree.join(entrypoint))
                .env("HOME", self.stage.at("home"))
                .env("SSL_CERT_FILE", self.stage.at("hosts.pem"))
                .env("HTTPS_PROXY", self.proxy.address())
                .env("GIT_CONFIG_GLOBAL", "/dev/null");
            let run = process::run(&mut command)?;
            told.push(tally(&run.stdout));
            runs.push(run);
        }
        Ok((runs, told.join("; ")))
    }

    /// A copy of the repository that looks like a clone: its own address is how
    /// the program knows the source that it is.
    fn tree(&self, repository: &Repository) -> Result<PathBuf, String> {
        let name = repository.name.replace('/', "__");
        let tree = paths::target().join("bench-flate").join(name);
        if tree.join(".git").is_dir() {
            return Ok(tree);
        }
        peers::copy(&repository.unpack()?, &tree).map_err(|e| e.to_string())?;
        let address = format!("https://github.com/{}", repository.name);
        let init = ["init", "--quiet"];
        let remote = ["remote", "add", "origin", &address];
        for arguments in [&init[..], &remote[..]] {
            let done = Command::new("git")
                .current_dir(&tree)
                .args(arguments)
                .status();
            if !done.is_ok_and(|status| status.success()) {
                return Err(format!("git {arguments:?} failed"));
            }
        }
        Ok(tree)
    }
}

/// The last line: `✗ 3 passed · 2 failed · 2 blocked   2.4s`, without the sign and
/// the time.
fn tally(printed: &[u8]) -> String {
    let printed = String::from_utf8_lossy(printed);
    let last = printed.trim_end().lines().last().unwrap_or_default();
    let counts = last.trim().trim_start_matches(['✓', '✗']);
    let counts = counts.split("   ").next().unwrap_or_default();
    counts.trim().to_owned()
}
