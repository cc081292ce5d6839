//! Where results go.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Writes to a file, or to standard output as it is. A reader that has gone
/// away is no failure.
pub fn write(text: &str, to: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = to else {
        return check(std::io::stdout().lock().write_all(text.as_bytes()));
    };
    replace(path, text.as_bytes())
        .map_err(|error| Failure::new(format!("cannot write {}", path.display())).because(error))
}

/// Writes a file as a whole or not at all: a job that is stopped leaves no half
/// report. What is not a plain file, a device or a pipe, is written to.
fn replace(path: &Path, content: &[u8]) -> std::io::Result<()> {
    if path.metadata().is_ok_and(|there| !there.is_file()) {
        return std::fs::write(path, content);
    }
    // Where a link points to stays the place that is written.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let temporary = beside(&target);
    let written = std::fs::write(&temporary, content)
        .and_then(|()| match target.metadata() {
            Ok(there) => std::fs::set_permissions(&temporary, there.permissions()),
            Err(_) => Ok(()),
        })
        .and_then(|()| std::fs::rename(&temporary, &target));
    match written {
        Ok(()) => Ok(()),
        Err(error) => {
            let _ = std::fs::remove_file(&temporary);
            // A directory without room for another name may still hold a file
            // that can be written.
            match target.is_file() {
                true => std::fs::write(&target, content),
                false => Err(error),
            }
        }
    }
}

/// A name in the same directory that nothing else has.
fn beside(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}.tmp", std::process::id()));
    path.with_file_name(name)
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
