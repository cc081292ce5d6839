//! Ctrl-C, and other requests to end.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use source::Stop;

/// How long what is under way may take to come to an end.
const PATIENCE: Duration = Duration::from_secs(5);
/// The status of programs that Ctrl-C ended.
const STATUS: i32 = 130;

/// From now on the program ends when it is asked to, with nothing half-written.
pub fn watch(stop: Stop) {
    let end = move || {
        stop.stop(PATIENCE, || {
            let mut terminal = std::io::stderr();
            if terminal.is_terminal() {
                // The line of the progress.
                let _ = write!(terminal, "\r\x1b[2K");
            }
            std::process::exit(STATUS)
        })
    };
    // Where it cannot be had, the system ends the program as it always does.
    let _ = ctrlc::set_handler(end);
}
