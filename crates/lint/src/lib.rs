//! Rules: each reads the linked repository and yields findings.

mod accept;
mod finding;

pub use accept::{Acceptance, Remark};
pub use finding::{Detail, Evidence, Finding, Fix, Question, Severity};
