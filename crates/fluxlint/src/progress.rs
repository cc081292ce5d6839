//! A line on the terminal that says how far rendering is.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Runs shorter than this show nothing.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often the line changes at most.
const STEP: Duration = Duration::from_millis(80);
/// Columns the line takes at most: it must not wrap.
const WIDTH: usize = 78;
/// Turns with every change.
const WHEEL: [char; 4] = ['|', '/', '-', '\\'];

/// A line on standard error; none where that is no terminal, or when told to be
/// quiet. It is gone when the value is dropped.
pub struct Progress {
    shown: bool,
    started: Instant,
    built: AtomicUsize,
    line: Mutex<Line>,
}

/// What is on the terminal.
#[derive(Default)]
struct Line {
    last: Option<Instant>,
    turns: usize,
}

impl Progress {
    /// Begins to watch.
    pub fn new(quiet: bool) -> Self {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Progress {
            shown: !quiet && !is_dumb && std::io::stderr().is_terminal(),
            started: Instant::now(),
            built: AtomicUsize::new(0),
            line: Mutex::new(Line::default()),
        }
    }

    /// Takes note of what rendering says. Called from many threads; none waits
    /// for another.
    pub fn event(&self, event: flux::Progress<'_>) {
        if let flux::Progress::Built(key) = event {
            let built = self.built.fetch_add(1, Ordering::Relaxed) + 1;
            if self.shown && self.started.elapsed() >= PATIENCE {
                self.draw(built, &key.to_string());
            }
        }
    }

    fn draw(&self, built: usize, name: &str) {
        let Ok(mut line) = self.line.try_lock() else {
            return;
        };
        if line.last.is_some_and(|last| last.elapsed() < STEP) {
            return;
        }
        line.last = Some(Instant::now());
        line.turns += 1;
        let wheel = WHEEL.get(line.turns % WHEEL.len()).copied().unwrap_or(' ');
        let text = format!("{wheel} {built} built, last {name}");
        let text: String = text
            .chars()
            .filter(|c| !c.is_control())
            .take(WIDTH)
            .collect();
        // Progress that cannot be shown is no failure.
        let _ = write!(std::io::stderr(), "\r\x1b[2K{text}");
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        let line = match self.line.get_mut() {
            Ok(line) => line,
            Err(poisoned) => poisoned.into_inner(),
        };
        if line.last.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}
