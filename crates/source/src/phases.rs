//! Where the time of a run goes in this room.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Looking up what the cache knows.
    Look,
    /// Waiting for others who fetch the same, and fetching.
    Fetch,
    /// Reading content and checking it against its name.
    Read,
    /// Reading indexes.
    Index,
    /// Unpacking archives of files.
    Unpack,
}

/// Time spent so far, in all threads together: two that wait for a second have
/// spent two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Looking up what the cache knows.
    pub look: Duration,
    /// Waiting for others who fetch the same, and fetching.
    pub fetch: Duration,
    /// Reading content and checking it against its name.
    pub read: Duration,
    /// Reading indexes.
    pub index: Duration,
    /// Unpacking archives of files.
    pub unpack: Duration,
}

impl Spent {
    /// All of it.
    pub fn total(&self) -> Duration {
        self.look + self.fetch + self.read + self.index + self.unpack
    }
}

/// Clocks of all phases, in nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct Phases([AtomicU64; 5]);

impl Phases {
    /// Does something on the clock of a phase.
    pub fn time<T>(&self, phase: Phase, work: impl FnOnce() -> T) -> T {
        let begun = Instant::now();
        let result = work();
        let nanos = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        if let Some(clock) = self.0.get(phase as usize) {
            clock.fetch_add(nanos, Ordering::Relaxed);
        }
        result
    }

    pub fn spent(&self) -> Spent {
        let [look, fetch, read, index, unpack] = &self.0;
        let of = |clock: &AtomicU64| Duration::from_nanos(clock.load(Ordering::Relaxed));
        Spent {
            look: of(look),
            fetch: of(fetch),
            read: of(read),
            index: of(index),
            unpack: of(unpack),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_has_its_clock() {
        let phases = Phases::default();
        let pause = Duration::from_millis(2);
        phases.time(Phase::Unpack, || std::thread::sleep(pause));
        let spent = phases.spent();
        assert!(spent.unpack >= pause && spent.total() == spent.unpack);
    }
}
