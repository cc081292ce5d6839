//! Ending a run before its time, with nothing left half-done.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use crate::lock;

/// Lets whoever catches a signal end a run. Clones are one and the same.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    stopped: AtomicBool,
    busy: Mutex<usize>,
    changed: Condvar,
}

/// Something is under way that would be left half-done. Let it end.
#[derive(Debug)]
pub struct Busy(Arc<Inner>);

impl Stop {
    /// Whether the run is to end.
    pub fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::SeqCst)
    }

    /// Says that something is under way, until it is dropped. Begins even when
    /// the run is to end: it may be part of what is under way.
    pub fn busy(&self) -> Busy {
        *lock(&self.0.busy) += 1;
        Busy(self.0.clone())
    }

    /// Waits, but not longer than the run. Whether the run goes on.
    pub fn sleep(&self, pause: Duration) -> bool {
        let until = Instant::now() + pause;
        let mut guard = lock(&self.0.busy);
        while !self.is_stopped() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            guard = match self.0.changed.wait_timeout(guard, left) {
                Ok((guard, _)) => guard,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        false
    }

    /// Tells all that the run is to end, waits until nothing is under way, but
    /// not for ever, and calls `end` while nothing can begin.
    pub fn stop<T>(&self, longest: Duration, end: impl FnOnce() -> T) -> T {
        self.0.stopped.store(true, Ordering::SeqCst);
        let until = Instant::now() + longest;
        let mut busy = lock(&self.0.busy);
        self.0.changed.notify_all();
        while *busy > 0 {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            busy = match self.0.changed.wait_timeout(busy, left) {
                Ok((busy, _)) => busy,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        end()
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        *lock(&self.0.busy) -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_waits_for_what_is_under_way() {
        let stop = Stop::default();
        let busy = stop.busy();
        let done = Arc::new(AtomicBool::new(false));
        let (other, seen) = (stop.clone(), done.clone());
        let worker = std::thread::spawn(move || {
            assert!(!other.sleep(Duration::from_secs(60)), "woken by the end");
            seen.store(true, Ordering::SeqCst);
            drop(busy);
        });
        let was_done = stop.stop(Duration::from_secs(30), || done.load(Ordering::SeqCst));
        assert!(was_done);
        worker.join().unwrap();
    }

    #[test]
    fn the_end_does_not_wait_for_ever() {
        let stop = Stop::default();
        let _busy = stop.busy();
        stop.stop(Duration::from_millis(5), || ());
        assert!(stop.is_stopped());
    }
}
