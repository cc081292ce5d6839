//! Waiting for a running git, within limits of time and size.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ecow::{EcoString, eco_format};

use crate::http::Patience;
use crate::{Error, Stop};

/// Bytes of a list of names.
const MAX_LIST: u64 = 64 << 20;
/// Bytes of what git says to people.
const MAX_SAID: usize = 64 << 10;
/// Bytes of what is fetched, packed.
const MAX_FETCHED: u64 = 1 << 30;
/// How often a running git is looked at.
const STEP: Duration = Duration::from_millis(10);
/// How often its directory is measured.
const MEASURE: Duration = Duration::from_secs(1);

/// Has git tell of its connections: it has no limit of its own for how long it
/// waits for one.
pub(super) const TRACE: [(&str, &str); 3] = [
    ("GIT_TRACE_CURL", "1"),
    ("GIT_TRACE_CURL_NO_DATA", "1"),
    ("GIT_TRACE_REDACT", "1"),
];

/// What is known of a git that runs.
pub(super) struct Watch<'a> {
    /// The address it asks.
    pub at: &'a EcoString,
    pub host: &'a EcoString,
    pub patience: &'a Patience,
    pub stop: &'a Stop,
    /// What it fills.
    pub directory: Option<&'a Path>,
    /// It is to connect to the host, and [tells](TRACE) of that.
    pub connects: bool,
}

/// What a git did.
pub(super) struct Done {
    pub success: bool,
    pub printed: Vec<u8>,
    /// What it said to people.
    pub said: Vec<u8>,
}

impl Watch<'_> {
    /// Waits until it has ended, or ends it.
    pub fn watch(&self, mut child: Child) -> Result<Done, Error> {
        let connected = Arc::new(AtomicBool::new(!self.connects));
        let printed = reader(child.stdout.take());
        let said = listener(child.stderr.take(), connected.clone());
        let waited = self.wait(&mut child, &connected);
        if waited.is_err() {
            let _ = child.kill();
            let _ = child.wait();
        }
        let success = waited?;
        let printed = printed.join().unwrap_or_default();
        if printed.len() as u64 >= MAX_LIST {
            return Err(self.too_large(MAX_LIST));
        }
        Ok(Done {
            success,
            printed,
            said: said.join().unwrap_or_default(),
        })
    }

    fn wait(&self, child: &mut Child, connected: &AtomicBool) -> Result<bool, Error> {
        let started = Instant::now();
        let mut measured = started;
        loop {
            let state = child.try_wait();
            if let Some(status) = state.map_err(|error| Error::answer(self.at, error))? {
                return Ok(status.success());
            }
            if self.stop.is_stopped() {
                return Err(Error::Stopped);
            }
            self.check_time(started.elapsed(), connected.load(Ordering::Relaxed))?;
            if measured.elapsed() > MEASURE {
                measured = Instant::now();
                if self
                    .directory
                    .is_some_and(|files| size(files) > MAX_FETCHED)
                {
                    return Err(self.too_large(MAX_FETCHED));
                }
            }
            std::thread::sleep(STEP);
        }
    }

    fn check_time(&self, since: Duration, connected: bool) -> Result<(), Error> {
        let Patience { connect, whole, .. } = *self.patience;
        if !connected && since > connect {
            return Err(Error::Unreachable {
                host: self.host.clone(),
                why: eco_format!("no connection within {} s", connect.as_secs().max(1)),
            });
        }
        if since > whole {
            return Err(Error::TooSlow {
                at: self.at.clone(),
                why: eco_format!("not done within {} s", whole.as_secs()),
            });
        }
        Ok(())
    }

    fn too_large(&self, limit: u64) -> Error {
        Error::TooLarge {
            at: self.at.clone(),
            limit,
        }
    }
}

/// Reads what is printed to its end, in a thread of its own, and keeps so much of
/// it as is allowed.
fn reader(stream: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        if let Some(mut stream) = stream {
            let _ = stream.by_ref().take(MAX_LIST).read_to_end(&mut kept);
            // A full pipe would stop git.
            let _ = std::io::copy(&mut stream, &mut std::io::sink());
        }
        kept
    })
}

/// The same for what is said: keeps what is meant for people, and notes when
/// there is a connection.
fn listener(
    stream: Option<impl Read + Send + 'static>,
    connected: Arc<AtomicBool>,
) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        let Some(stream) = stream else { return kept };
        let mut stream = BufReader::new(stream);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = stream
                .by_ref()
                .take(MAX_SAID as u64)
                .read_until(b'\n', &mut line);
            if !read.is_ok_and(|bytes| bytes > 0) {
                return kept;
            }
            if is_trace(&line) {
                if says_connected(&line) {
                    connected.store(true, Ordering::Relaxed);
                }
            } else if kept.len() + line.len() <= MAX_SAID {
                kept.extend_from_slice(&line);
            }
        }
    })
}

/// Whether a line is one that [`TRACE`] asks for: `12:34:56.789012 http.c:725 …`.
fn is_trace(line: &[u8]) -> bool {
    let Some((time, rest)) = line.split_at_checked(15) else {
        return false;
    };
    time.iter()
        .all(|byte| byte.is_ascii_digit() || b":.".contains(byte))
        && rest.starts_with(b" http.c:")
}

/// Whether it tells of a connection. The words of curl change with its versions;
/// those of git come behind them.
fn says_connected(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line);
    let words = ["Connected to", "Established connection", "=> Send header"];
    words.iter().any(|words| line.contains(words))
}

/// Bytes of the files below a directory.
fn size(directory: &Path) -> u64 {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(found) if found.is_dir() => size(&entry.path()),
            Ok(found) => found.len(),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_is_told_from_what_is_traced() {
        let text = "09:45:09.763136 http.c:725    == Info:   Trying 127.0.0.1:1...\n\
                    fatal: unable to access\n\
                    09:45:09.763136 http.c:725    == Info: Connected to h port 1\n\
                    remote: 09:45:09.763136 no\n";
        let connected = Arc::new(AtomicBool::new(false));
        let said = listener(Some(text.as_bytes()), connected.clone()).join();
        let expected = "fatal: unable to access\nremote: 09:45:09.763136 no\n";
        assert_eq!(said.unwrap(), expected.as_bytes());
        assert!(connected.load(Ordering::Relaxed));
    }
}
