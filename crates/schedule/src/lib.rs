//! Timed event graphs. Generic over keys: this room knows no Kubernetes.
//!
//! A [`Graph`] holds events and what each of them needs. An event *fires* once
//! every one of its needs has a producer that fired; a need with several
//! producers is met by any of them. From that one definition follow
//!
//! * what can happen at all, and why the rest cannot ([`Graph::fire`]),
//! * what waits for itself ([`Graph::deadlocks`]), with a shortest cycle,
//! * when things happen, at best and at worst ([`Graph::times`]), through
//!   which chain, and with how much slack,
//! * the same when some events happen at a known time, or never
//!   ([`Graph::times_given`]),
//! * what a limited number of workers adds ([`Graph::pools`]),
//! * which orderings are implied by others ([`redundant`]).
//!
//! Where each need has one producer the times are a longest path, that is a
//! linear system over (max, +), which has a solution exactly when the graph
//! has no cycle: both questions are one.

mod cycle;
mod deadlock;
mod delay;
mod firing;
mod graph;
mod matching;
mod pools;
mod reach;
mod reduction;
mod scc;
mod timing;

pub use deadlock::Deadlock;
pub use delay::Delay;
pub use firing::Firing;
pub use graph::{Event, Graph, Link, Need, NeedId, Producer};
pub use pools::{Pool, Task};
pub use reduction::redundant;
pub use scc::components;
pub use timing::{End, Step, Time, Times};
