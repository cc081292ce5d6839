//! Does the cluster say what was found? Rules that compare findings with what
//! a cluster reported.

mod comparison;
mod echo;
pub(crate) mod not_compared;
pub(crate) mod unconfirmed_finding;
pub(crate) mod unpredicted_failure;

pub(crate) use comparison::Observed;

use crate::Rule;

/// The rules that read the findings of all others, and so come last.
pub(crate) const RULES: &[Rule] = &[
    unpredicted_failure::RULE,
    unconfirmed_finding::RULE,
    not_compared::RULE,
];
