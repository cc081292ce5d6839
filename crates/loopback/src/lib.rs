//! Servers on this machine's loopback, for tests and benchmarks of sources.
//!
//! They are as small as what asks them allows: HTTP/1.1, and Git by the system's
//! `git http-backend`.

#![forbid(unsafe_code)]

mod answer;
mod full;
mod git;
mod http;

pub use answer::{Body, Response};
pub use full::Full;
pub use git::backend;
pub use http::{Exchange, Request, Server};
