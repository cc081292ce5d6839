//! When a request is sent again.

use std::time::{Duration, SystemTime};

use super::{Patience, Reply};
use crate::Error;
use crate::url::Url;

/// What becomes of a request.
pub(super) enum Verdict {
    /// Its result stands.
    Done,
    /// It was sent often enough, or the host wants to wait too long.
    GiveUp {
        /// What the host asked for.
        after: Option<Duration>,
    },
    /// It is sent again.
    Again {
        /// After this.
        pause: Duration,
        /// Others wait, too.
        for_all: bool,
    },
}

/// Judges the result of the `tried`th try.
pub(super) fn verdict(
    result: &Result<Reply, Error>,
    last: bool,
    tried: u32,
    patience: &Patience,
) -> Verdict {
    let pause = backoff(tried, patience);
    match result {
        Ok(reply) if is_later(reply.status) => {
            let after = reply.header("retry-after").and_then(wished);
            let pause = after.map_or(pause, |after| after.max(pause));
            match last || pause > patience.longest_pause {
                true => Verdict::GiveUp { after },
                false => Verdict::Again {
                    pause,
                    for_all: reply.status == 429 || after.is_some(),
                },
            }
        }
        // Broken off on the way: the next time may do.
        Err(Error::Answer { .. }) if !last => Verdict::Again {
            pause,
            for_all: false,
        },
        _ => Verdict::Done,
    }
}

/// The error of a request that is not sent again.
pub(super) fn given_up(result: Result<Reply, Error>, at: &Url, after: Option<Duration>) -> Error {
    match result {
        Err(error) => error,
        Ok(reply) if reply.status == 429 => Error::RateLimited {
            host: at.authority(),
            after: after.map(|after| after.as_secs()),
        },
        Ok(reply) => Error::Status {
            at: at.bare(),
            status: reply.status,
        },
    }
}

fn is_later(status: u16) -> bool {
    matches!(status, 429 | 500 | 502 | 503 | 504)
}

fn backoff(tried: u32, patience: &Patience) -> Duration {
    let factor = 1u32
        .checked_shl(tried.saturating_sub(1))
        .unwrap_or(u32::MAX);
    let pause = patience.pause.saturating_mul(factor);
    pause.min(patience.longest_pause)
}

/// What a `Retry-After` header asks for: seconds, or a date.
fn wished(value: &str) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(Duration::from_secs(seconds));
    }
    let at = http_date(value)?;
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .ok()?;
    Some(Duration::from_secs(at).saturating_sub(now))
}

/// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`.
fn http_date(text: &str) -> Option<u64> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let mut words = text.split_once(", ")?.1.split(' ');
    let day: u64 = words.next()?.parse().ok()?;
    let month = MONTHS.find(words.next().filter(|name| name.len() == 3)?)? as u64 / 3;
    let year: u64 = words.next()?.parse().ok()?;
    let mut clock = words
        .next()?
        .split(':')
        .map(|part| part.parse::<u64>().ok());
    let (hours, minutes, seconds) = (clock.next()??, clock.next()??, clock.next()??);
    if !(1970..10_000).contains(&year) || words.next() != Some("GMT") {
        return None;
    }
    // Years begin in March here: the leap day is their last.
    let (year, month) = match month {
        0 | 1 => (year - 1, month + 10),
        _ => (year, month - 2),
    };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (month * 306 + 5) / 10 + day;
    let days = days.checked_sub(719_469)?;
    Some(((days * 24 + hours) * 60 + minutes) * 60 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_seconds_are_read() {
        assert_eq!(http_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(
            http_date("Sun, 06 Nov 1994 08:49:37 GMT"),
            Some(784_111_777)
        );
        assert_eq!(
            http_date("Tue, 29 Feb 2028 23:59:59 GMT"),
            Some(1_835_481_599)
        );
        assert_eq!(http_date("tomorrow"), None);
        assert_eq!(wished(" 120 "), Some(Duration::from_secs(120)));
        assert_eq!(
            wished("Sun, 06 Nov 1994 08:49:37 GMT"),
            Some(Duration::ZERO)
        );
    }

    #[test]
    fn pauses_grow_to_a_limit() {
        let patience = Patience::default();
        let pauses: Vec<u128> = [1, 2, 3, 40]
            .into_iter()
            .map(|tried| backoff(tried, &patience).as_millis())
            .collect();
        assert_eq!(pauses, [500, 1000, 2000, 60_000]);
    }
}
