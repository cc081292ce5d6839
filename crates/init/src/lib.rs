//! From a repository to its first `.fluxlint.yaml`.
//!
//! [`propose`] renders and judges a repository as if nothing were declared, and
//! writes down what findings and references say is missing and may well be made
//! outside Git: by hand, by a bootstrap script, by a cloud provider. What looks
//! like a slip of the keyboard is left to the finding. The text is judged again
//! with what it declares until nothing new turns up, so whoever checks the
//! repository with it sees none of what it is for.

mod draft;
mod gather;
mod print;
mod propose;

pub use propose::{Proposal, propose};
