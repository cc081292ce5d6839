//! How long things take in a run.

use crate::random::Random;

/// Which delays a run draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mood {
    /// Mostly the shortest.
    Best,
    /// Mostly the longest.
    Worst,
    /// Any.
    Any,
}

/// Draws durations.
pub struct Draw {
    mood: Mood,
    random: Random,
}

impl Draw {
    /// Delays of a mood and seed.
    pub fn new(mood: Mood, seed: u64) -> Self {
        Draw {
            mood,
            random: Random::new(seed),
        }
    }

    /// A duration between nothing and `most`.
    pub fn up_to(&mut self, most: u64) -> u64 {
        let any = self.random.bits() % most.saturating_add(1).max(1);
        let usual = !self.random.once_in(6);
        match self.mood {
            Mood::Best if usual => 0,
            Mood::Worst if usual => most,
            _ => any,
        }
    }
}
