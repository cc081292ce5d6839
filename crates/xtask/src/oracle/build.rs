//! Builds the program with the Go toolchain.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::paths;

/// How long fetching modules and compiling may take.
const LIMIT: Duration = Duration::from_secs(600);

/// Builds `oracle/` and returns the program's path. The error says why it
/// cannot be had on this machine.
pub fn build() -> Result<PathBuf, String> {
    build_at("oracle", "oracle")
}

/// The same for `oracle/helm/`.
pub fn build_helm() -> Result<PathBuf, String> {
    build_at("oracle/helm", "helmoracle")
}

fn build_at(dir: &str, name: &str) -> Result<PathBuf, String> {
    let program = paths::target().join("oracle").join(name);
    let mut child = Command::new("go")
        .args(["build", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(paths::root().join(dir))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("the Go toolchain cannot be run: {e}"))?;
    let stderr = child.stderr.take();
    let messages = thread::spawn(move || {
        let mut text = String::new();
        if let Some(mut stderr) = stderr {
            // What cannot be read is only a message less.
            let _ = stderr.read_to_string(&mut text);
        }
        text
    });
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break status;
        }
        if started.elapsed() > LIMIT {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("`go build` took longer than {LIMIT:?}"));
        }
        thread::sleep(Duration::from_millis(50));
    };
    if status.success() {
        return Ok(program);
    }
    let messages = messages.join().unwrap_or_default();
    Err(format!("`go build` failed: {}", messages.trim_end()))
}
