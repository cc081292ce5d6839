//! Servers on this machine's loopback, for tests and benchmarks of sources.
//!
//! They are as small as what asks them allows: HTTP/1.1, and Git by the system's
//! `git http-backend`. The feature `proxy` adds one that stands for hosts which
//! are reached by HTTPS.

#![forbid(unsafe_code)]

mod answer;
mod full;
mod git;
mod http;
#[cfg(feature = "proxy")]
mod proxy;

pub use answer::{Body, Response};
pub use full::Full;
pub use git::backend;
pub use http::{Exchange, Request, Server};
#[cfg(feature = "proxy")]
pub use proxy::Proxy;
