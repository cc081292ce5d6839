//! Where results go.

use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::failure::Failure;

/// Writes to a file, or to standard output as it is. A reader that has gone
/// away is no failure.
pub fn write(text: &str, to: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = to else {
        return check(std::io::stdout().lock().write_all(text.as_bytes()));
    };
    std::fs::write(path, text)
        .map_err(|error| Failure::new(format!("cannot write {}", path.display())).because(error))
}

/// As [`write`], for text with colours: they stay only where a terminal shows
/// them.
pub fn write_styled(text: &str, to: Option<&Path>) -> Result<(), Failure> {
    match to {
        Some(_) => write(&anstream::adapter::strip_str(text).to_string(), to),
        None => check(anstream::stdout().lock().write_all(text.as_bytes())),
    }
}

fn check(result: std::io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new("cannot write to standard output").because(error))
        }
        _ => Ok(()),
    }
}
