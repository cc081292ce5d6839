//! Rules: each reads the linked repository and yields findings.
//!
//! [`judge`] asks all of [`RULES`] about one world. One rule is one file, a
//! [`Rule`] constant and the function it names; what rules share lives in
//! `link`. A rule's page ([`explain`]) is its documentation and its test.

mod accepted;
mod comment;
mod finding;
mod gather;
mod graph;
mod judge;
mod observed;
mod pages;
mod registry;
mod rule;
mod runtime;
mod selection;
mod sink;
mod sources;
mod substitution;
mod suggest;
mod timing;
mod validation;
mod words;

pub use comment::{Doubt, doubts};
pub use finding::{Detail, Evidence, External, Finding, Fix, Question, Severity};
pub use judge::{Judgement, judge, judge_against, judge_linked};
pub use pages::explain;
pub use registry::{RULES, find};
pub use rule::Rule;
pub use selection::{Selection, UnknownRule};
pub use sink::{Report, Sink};
pub use suggest::nearest;
