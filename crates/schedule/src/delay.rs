//! How long things take.

/// A duration that is known only as an interval, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Delay {
    /// The shortest it can take.
    pub best: u64,
    /// The longest it can take; `None` when nothing limits it.
    pub worst: Option<u64>,
}

/// No time at all: a default without a limit would be a trap.
impl Default for Delay {
    fn default() -> Self {
        Delay::ZERO
    }
}

impl Delay {
    /// No time at all.
    pub const ZERO: Delay = Delay {
        best: 0,
        worst: Some(0),
    };

    /// Between nothing and `worst`.
    pub fn up_to(worst: u64) -> Self {
        Self::between(0, worst)
    }

    /// Between `best` and `worst`.
    pub fn between(best: u64, worst: u64) -> Self {
        Delay {
            best: best.min(worst),
            worst: Some(worst),
        }
    }

    /// At least `best`, without a limit.
    pub fn unlimited(best: u64) -> Self {
        Delay { best, worst: None }
    }

    /// One delay after the other.
    pub fn plus(self, other: Delay) -> Self {
        Delay {
            best: self.best.saturating_add(other.best),
            worst: self
                .worst
                .zip(other.worst)
                .map(|(a, b)| a.saturating_add(b)),
        }
    }
}
