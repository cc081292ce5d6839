//! What differs between two answers.

use std::fmt;

/// One difference.
pub struct Difference {
    /// Its kind, by which differences are grouped.
    pub kind: &'static str,
    native: String,
    upstream: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  native   {}", self.native)?;
        write!(f, "  upstream {}", self.upstream)
    }
}

/// The difference of two results, if there is one. With `messages` two errors
/// must say the same.
pub fn compare(
    native: &Result<String, String>,
    upstream: &Result<String, String>,
    messages: bool,
) -> Option<Difference> {
    let kind = match (native, upstream) {
        (Ok(native), Ok(upstream)) if native == upstream => return None,
        (Ok(_), Ok(_)) => "value",
        (Ok(_), Err(_)) => "native accepts",
        (Err(_), Ok(_)) => "native refuses",
        (Err(native), Err(upstream)) if messages && native != upstream => "message",
        (Err(_), Err(_)) => return None,
    };
    Some(Difference {
        kind,
        native: show(native),
        upstream: show(upstream),
    })
}

fn show(result: &Result<String, String>) -> String {
    match result {
        Ok(text) => format!("{text:?}"),
        Err(message) => format!("error: {message}"),
    }
}
