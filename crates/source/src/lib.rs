//! What a Flux repository points at: charts of Helm repositories, OCI artifacts
//! and files, fetched once, checked, and kept on disk.
//!
//! [`Sources`] answers what a run asks. Everything is looked up in the
//! [`Cache`] first; what is not there is fetched, once for all who ask at the
//! same time, in this process and in others. With [`Options::offline`] nothing
//! is fetched.
//!
//! Whatever is fetched is somebody else's: sizes, times, redirects and
//! archives have limits, credentials go nowhere but where they belong.

#![forbid(unsafe_code)]

pub mod auth;
mod bucket;
pub mod cache;
mod error;
mod fetch;
mod file;
mod git;
mod helm;
pub mod http;
mod instead;
mod list;
mod nearest;
mod oci;
mod oci_auth;
mod oci_manifest;
mod phases;
mod stop;
pub mod url;
mod validator;

use std::sync::{Condvar, Mutex, MutexGuard};

pub use auth::{Access, Login};
pub use bucket::Bucket;
pub use cache::Cache;
pub use error::Error;
pub use fetch::{Event, Options, Sources, Statistics};
pub use git::{Checkout, Choose};
pub use helm::{Index, IndexEntry};
pub use instead::Instead;
pub use nearest::nearest;
pub use phases::Spent;
pub use stop::{Busy, Stop};

/// Takes a lock. What a panicking thread left behind is whole here: no value is
/// changed in several steps.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    match mutex.lock() {
        Ok(guard) => guard,
        Err(poisoned) => poisoned.into_inner(),
    }
}

/// Waits for a change.
pub(crate) fn wait<'a, T>(changed: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    match changed.wait(guard) {
        Ok(guard) => guard,
        Err(poisoned) => poisoned.into_inner(),
    }
}
