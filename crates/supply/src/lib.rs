//! Where a walk gets what lies elsewhere.
//!
//! [`Network`] answers from the cache or from the network, [`Replaced`] asks
//! other addresses than were written.

#![forbid(unsafe_code)]

mod ahead;
mod network;
mod replaced;

pub use network::Network;
pub use replaced::Replaced;
