//! Findings that were there before.
//!
//! A team that begins with fluxlint records what is found today
//! ([`Baseline::record`]) and is told only of what is new. A recorded finding is
//! known again by its [`fingerprint`], which holds no line numbers, no file name
//! and no wording; it stays left out while it is no worse than it was. What is
//! recorded and no longer found is reported, so that the file only shrinks.

mod fingerprint;
mod matching;
mod record;

pub use fingerprint::fingerprint;
pub use matching::{Matching, Stale};
pub use record::{Baseline, Error};
