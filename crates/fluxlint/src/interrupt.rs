//! Ctrl-C, and other requests to end.

use source::Stop;

/// From now on the program ends when it is asked to, with nothing half-written.
#[cfg(unix)]
pub fn watch(stop: Stop) {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    // Where signals cannot be caught, the system ends the program as it always
    // does.
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else {
        return;
    };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            end(&stop, signal);
        }
    });
}

/// From now on the program ends when it is asked to. The system does it.
#[cfg(not(unix))]
pub fn watch(_stop: Stop) {}

/// Waits until what is under way has come to its end, but not for ever.
#[cfg(unix)]
fn end(stop: &Stop, signal: i32) {
    use std::io::{IsTerminal, Write};
    use std::time::Duration;

    stop.stop(Duration::from_secs(5), || {
        let mut terminal = std::io::stderr();
        if terminal.is_terminal() {
            // The line of the progress.
            let _ = write!(terminal, "\r\x1b[2K");
        }
        // As shells say it of a program that a signal ended.
        std::process::exit(128 + signal)
    })
}
