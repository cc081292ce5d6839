//! A line on the terminal that says how far rendering is.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
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
pub struct Progress(Arc<Shared>);

struct Shared {
    shown: AtomicBool,
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
        let shown = !quiet && !is_dumb && std::io::stderr().is_terminal();
        Progress(Arc::new(Shared {
            shown: AtomicBool::new(shown),
            started: Instant::now(),
            built: AtomicUsize::new(0),
            line: Mutex::new(Line::default()),
        }))
    }

    /// Takes note of what rendering says. Called from many threads; none waits
    /// for another.
    pub fn event(&self, event: flux::Progress<'_>) {
        if let flux::Progress::Built(key) = event {
            let built = self.0.built.fetch_add(1, Ordering::Relaxed) + 1;
            self.0.draw(|| format!("{built} built, last {key}"));
        }
    }

    /// Takes note of what is fetched, from any thread.
    pub fn watch_sources(&self) -> Arc<dyn Fn(source::Event<'_>) + Send + Sync> {
        let shared = self.0.clone();
        Arc::new(move |event| {
            if let source::Event::Fetching(what) = event {
                let built = shared.built.load(Ordering::Relaxed);
                shared.draw(|| format!("{built} built, fetching {what}"));
            }
        })
    }
}

impl Shared {
    fn draw(&self, text: impl FnOnce() -> String) {
        if !self.shown.load(Ordering::Relaxed) || self.started.elapsed() < PATIENCE {
            return;
        }
        let Ok(mut line) = self.line.try_lock() else {
            return;
        };
        if line.last.is_some_and(|last| last.elapsed() < STEP) {
            return;
        }
        line.last = Some(Instant::now());
        line.turns += 1;
        let wheel = WHEEL.get(line.turns % WHEEL.len()).copied().unwrap_or(' ');
        let text = format!("{wheel} {}", text());
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
        self.0.shown.store(false, Ordering::Relaxed);
        let line = match self.0.line.lock() {
            Ok(line) => line,
            Err(poisoned) => poisoned.into_inner(),
        };
        if line.last.is_some() {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}
