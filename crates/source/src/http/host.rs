//! What is known of one host during a run: whether it can be reached, how many
//! ask it, and until when it wants to be left alone.

use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use ecow::EcoString;

use super::failure::concerns_host;
use crate::{Error, lock, wait};

/// One host.
pub(super) struct Host {
    name: EcoString,
    parallel: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    reached: Reached,
    asking: usize,
    welcome: Option<Instant>,
}

#[derive(Default)]
enum Reached {
    /// Nobody tried.
    #[default]
    Unknown,
    /// Somebody tries for the first time; the others wait for the outcome.
    Trying,
    Yes,
    /// It is not tried again.
    No(Error),
}

/// Whom an asker trusts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Those the machine trusts.
    Machine,
    /// Those that the source's object names.
    Own,
}

/// One of the requests a host gets at once.
pub(super) struct Turn<'a>(&'a Host);

impl Host {
    pub fn new(name: EcoString, parallel: usize) -> Self {
        Host {
            name,
            parallel: parallel.max(1),
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Waits until few enough ask.
    pub fn turn(&self) -> Turn<'_> {
        let mut state = lock(&self.state);
        while state.asking >= self.parallel {
            state = wait(&self.changed, state);
        }
        state.asking += 1;
        Turn(self)
    }

    /// Leaves the host alone for a while.
    pub fn hold(&self, pause: Duration) {
        let mut state = lock(&self.state);
        let until = Instant::now() + pause;
        state.welcome = Some(state.welcome.map_or(until, |known| known.max(until)));
    }

    /// Waits until the host wants to be asked again. Fails when that is too
    /// long.
    pub fn wait_until_welcome(&self, longest: Duration) -> Result<(), Error> {
        let welcome = lock(&self.state).welcome;
        let Some(left) = welcome.and_then(|at| at.checked_duration_since(Instant::now())) else {
            return Ok(());
        };
        if left > longest {
            return Err(Error::RateLimited {
                host: self.name.clone(),
                after: Some(left.as_secs()),
            });
        }
        std::thread::sleep(left);
        Ok(())
    }

    /// Runs a request. The first one to a host runs alone: when it finds that
    /// the host cannot be reached, the others need not try. Whether the host
    /// proves who it is depends on whom the asker trusts: that is learnt, and
    /// believed, only by those who trust as the machine does.
    pub fn try_reach<T>(
        &self,
        trust: Trust,
        ask: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        if !self.begin(trust)? {
            return ask();
        }
        let result = ask();
        let mut state = lock(&self.state);
        state.reached = match &result {
            Err(Error::Tls { .. }) if trust == Trust::Own => Reached::Unknown,
            Err(error) if concerns_host(error) => Reached::No(error.clone()),
            _ => Reached::Yes,
        };
        drop(state);
        self.changed.notify_all();
        result
    }

    /// Whether this is the first request. Fails when an earlier one found that
    /// the host cannot be reached.
    fn begin(&self, trust: Trust) -> Result<bool, Error> {
        let mut state = lock(&self.state);
        loop {
            match &state.reached {
                Reached::Unknown => {
                    state.reached = Reached::Trying;
                    return Ok(true);
                }
                Reached::Trying => state = wait(&self.changed, state),
                Reached::Yes => return Ok(false),
                Reached::No(Error::Tls { .. }) if trust == Trust::Own => return Ok(false),
                Reached::No(error) => return Err(error.clone()),
            }
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        lock(&self.0.state).asking -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn an_unreachable_host_is_tried_once() {
        let host = Host::new("h".into(), 4);
        let tried = AtomicUsize::new(0);
        let unreachable = Error::Unreachable {
            host: "h".into(),
            why: "no".into(),
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _turn = host.turn();
                    let result: Result<(), Error> = host.try_reach(Trust::Machine, || {
                        tried.fetch_add(1, Ordering::Relaxed);
                        std::thread::sleep(Duration::from_millis(20));
                        Err(unreachable.clone())
                    });
                    assert_eq!(result, Err(unreachable.clone()));
                });
            }
        });
        assert_eq!(tried.into_inner(), 1);
    }

    #[test]
    fn trust_is_everybodys_own() {
        let host = Host::new("h".into(), 4);
        let untrusted = Error::Tls {
            host: "h".into(),
            why: "unknown".into(),
        };
        let refused = |trust| {
            let result: Result<(), Error> = host.try_reach(trust, || Err(untrusted.clone()));
            assert_eq!(result, Err(untrusted.clone()));
        };
        refused(Trust::Own);
        refused(Trust::Machine);
        assert_eq!(host.try_reach(Trust::Machine, || Ok(1)), Err(untrusted));
        assert_eq!(host.try_reach(Trust::Own, || Ok(2)), Ok(2));
    }

    #[test]
    fn few_ask_at_once() {
        let host = Host::new("h".into(), 2);
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _turn = host.turn();
                    let asking = now.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(asking, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(5));
                    now.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(most.into_inner(), 2);
    }
}
