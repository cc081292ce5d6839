//! What a report is made from.

use std::time::Duration;

use ecow::EcoString;
use link::{Timing, UnusedExternal};
use lint::Finding;
use model::Repository;
use yaml::Span;

/// One run of `check`.
pub struct Run<'a> {
    /// The version of the program.
    pub version: &'a str,
    /// How long the run took.
    pub elapsed: Duration,
    /// The rendered repository.
    pub repository: &'a Repository,
    /// What was judged about each of [`Repository::worlds`], in their order.
    pub judged: Vec<Judged>,
    /// What the run has to say about itself.
    pub notices: Vec<Notice>,
}

/// What was judged about one entrypoint.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// The Kubernetes release it was judged for.
    pub kube_release: Option<EcoString>,
    /// Its findings, in any order.
    pub findings: Vec<Finding>,
    /// Its timing; `None` when it cannot be told.
    pub timing: Option<Timing>,
    /// How many `externals` entries there are.
    pub externals: usize,
    /// Those that nothing needed.
    pub unused_externals: Vec<UnusedExternal>,
    /// How many findings a baseline left out.
    pub left_out: usize,
}

/// Something the run says about itself, not about the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What, in a sentence.
    pub message: EcoString,
    /// The place it is about.
    pub span: Option<Span>,
}
