//! Servers on this machine's loopback, for tests and benchmarks of sources.
//!
//! They are as small as what asks them allows: HTTP/1.1 with whole bodies, and
//! Git by the system's `git http-backend`.

#![forbid(unsafe_code)]

mod git;
mod http;

pub use git::backend;
pub use http::{Exchange, Request, Response, Server};
