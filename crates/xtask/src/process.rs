//! Runs a program and measures it as the operating system saw it.
//!
//! The peak that the system tells of a process counts the memory of the one it
//! was forked from. So a small process of this program (`xtask measure`) starts
//! what is measured, and not one that has a corpus in memory.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wait4::Wait4;

use crate::args::Args;

/// One finished run.
pub struct Run {
    /// Exit code; `None` when a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Wall time from start to exit.
    pub wall: Duration,
    /// Processor time, user and system.
    pub cpu: Duration,
    /// Peak resident memory in bytes.
    pub peak: u64,
}

/// Runs `command` to its end, its standard error thrown away.
pub fn run(command: &mut Command) -> Result<Run, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |e: std::io::Error| format!("{name}: {e}");
    let figures = figures_file();
    let mut child = measuring(command, &figures)
        .map_err(failed)?
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let mut stdout = Vec::new();
    if let Some(pipe) = child.stdout.as_mut() {
        pipe.read_to_end(&mut stdout).map_err(failed)?;
    }
    child.wait().map_err(failed)?;
    let text = std::fs::read(&figures).map_err(failed)?;
    let _ = std::fs::remove_file(&figures);
    let figures: Value = serde_json::from_slice(&text).map_err(|e| format!("{name}: {e}"))?;
    if let Some(error) = figures["error"].as_str() {
        return Err(format!("{name}: {error}"));
    }
    let number = |key: &str| figures[key].as_u64().unwrap_or_default();
    Ok(Run {
        code: figures["code"].as_i64().and_then(|n| i32::try_from(n).ok()),
        stdout,
        wall: Duration::from_nanos(number("wall")),
        cpu: Duration::from_nanos(number("cpu")),
        peak: number("peak"),
    })
}

/// A file of this process alone.
fn figures_file() -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let next = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("xtask-measure-{}-{next}", std::process::id()))
}

/// This program, as what runs `command` and writes its figures into a file.
fn measuring(command: &Command, figures: &PathBuf) -> std::io::Result<Command> {
    let mut outer = Command::new(std::env::current_exe()?);
    outer
        .arg("measure")
        .arg(figures)
        .arg(command.get_program())
        .args(command.get_args());
    if let Some(dir) = command.get_current_dir() {
        outer.current_dir(dir);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
    Ok(outer)
}

/// `xtask measure FILE PROGRAM [ARGUMENT…]`: runs the program and writes what it
/// took into the file.
pub fn measure(args: Args) -> Result<(), String> {
    let mut words = args.foreign().into_iter();
    let figures = words.next().ok_or("no file")?;
    let program = words.next().ok_or("no program")?;
    let start = Instant::now();
    let used = Command::new(program)
        .args(words)
        .spawn()
        .and_then(|mut child| child.wait4());
    let wall = start.elapsed();
    let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    let report = match used {
        Ok(used) => json!({
            "code": used.status.code(),
            "wall": nanos(wall),
            "cpu": nanos(used.rusage.utime + used.rusage.stime),
            "peak": used.rusage.maxrss,
        }),
        Err(error) => json!({"error": error.to_string()}),
    };
    std::fs::write(figures, report.to_string()).map_err(|e| e.to_string())
}

/// The median of some durations; zero for none.
pub fn median(mut durations: Vec<Duration>) -> Duration {
    durations.sort();
    durations
        .get(durations.len() / 2)
        .copied()
        .unwrap_or_default()
}
