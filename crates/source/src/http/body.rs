//! Reading an answer within limits of size and time.

use std::io::Read;
use std::time::Instant;

use ecow::eco_format;
use ureq::Body;

use super::Patience;
use crate::Error;
use crate::url::Url;

const PIECE: usize = 64 << 10;

/// All of an answer's content.
pub(super) fn read(
    body: Body,
    limit: u64,
    at: &Url,
    patience: &Patience,
) -> Result<Vec<u8>, Error> {
    let too_large = || Error::TooLarge {
        at: at.bare(),
        limit,
    };
    let promised = body.content_length().unwrap_or(0);
    if promised > limit {
        return Err(too_large());
    }
    let mut whole = Vec::new();
    let mut piece = vec![0; PIECE];
    let mut reader = body.into_reader();
    let started = Instant::now();
    loop {
        let count = reader
            .read(&mut piece)
            .map_err(|error| broken(&error, at))?;
        if count == 0 {
            return Ok(whole);
        }
        whole.extend_from_slice(piece.get(..count).unwrap_or_default());
        if whole.len() as u64 > limit {
            return Err(too_large());
        }
        check_pace(whole.len() as u64, started, at, patience)?;
    }
}

fn check_pace(bytes: u64, started: Instant, at: &Url, patience: &Patience) -> Result<(), Error> {
    let elapsed = started.elapsed();
    let least = patience.least as f64 * elapsed.as_secs_f64();
    if elapsed < patience.grace || bytes as f64 >= least {
        return Ok(());
    }
    Err(Error::TooSlow {
        at: at.bare(),
        why: eco_format!("{bytes} bytes in {:.1} s", elapsed.as_secs_f64()),
    })
}

fn broken(error: &std::io::Error, at: &Url) -> Error {
    let timeout = error
        .get_ref()
        .and_then(|inner| inner.downcast_ref::<ureq::Error>())
        .is_some_and(|inner| matches!(inner, ureq::Error::Timeout(_)));
    if timeout || error.kind() == std::io::ErrorKind::TimedOut {
        return Error::TooSlow {
            at: at.bare(),
            why: "it stopped in the middle".into(),
        };
    }
    Error::answer(at.bare(), eco_format!("it broke off: {error}"))
}
