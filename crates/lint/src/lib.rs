//! Rules: each reads the linked repository and yields findings.

mod finding;

pub use finding::{Detail, Evidence, Finding, Fix, Question, Severity};
