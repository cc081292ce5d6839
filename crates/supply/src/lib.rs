//! Where a walk gets what lies elsewhere.
//!
//! [`Network`] answers from the cache or from the network, [`Replaced`] asks
//! other addresses than were written. [`Noted`] keeps a [`Book`] of what was
//! given, of which [`vendor`] makes a copy that needs no network.

#![forbid(unsafe_code)]

mod ahead;
mod book;
mod network;
mod replaced;
pub mod vendor;

pub use book::{Book, Entries, Held, Noted};
pub use network::Network;
pub use replaced::Replaced;
