//! Runs a program and measures it as the operating system saw it.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wait4::Wait4;

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
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let mut stdout = Vec::new();
    if let Some(pipe) = child.stdout.as_mut() {
        pipe.read_to_end(&mut stdout).map_err(failed)?;
    }
    let used = child.wait4().map_err(failed)?;
    Ok(Run {
        code: used.status.code(),
        stdout,
        wall: start.elapsed(),
        cpu: used.rusage.utime + used.rusage.stime,
        peak: used.rusage.maxrss,
    })
}

/// The median of some durations; zero for none.
pub fn median(mut durations: Vec<Duration>) -> Duration {
    durations.sort();
    durations
        .get(durations.len() / 2)
        .copied()
        .unwrap_or_default()
}
