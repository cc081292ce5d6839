//! What a report is made from.

use std::time::Duration;

use ecow::EcoString;
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
}

/// An `externals` entry that nothing needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusedExternal {
    /// What it declares, in a few words.
    pub what: EcoString,
    /// Where it is written.
    pub span: Span,
}

/// Something the run says about itself, not about the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What, in a sentence.
    pub message: EcoString,
    /// The place it is about.
    pub span: Option<Span>,
}

/// How long a bootstrap takes. All times are nanoseconds after its start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// Everything is rendered and counted, so that the bound is one. Otherwise
    /// it is "at least".
    pub complete: bool,
    /// The worst case; `None` where there is no bound.
    pub bound: Option<u64>,
    /// The best case.
    pub best: u64,
    /// The chain of waits that the bound comes from, first wait first.
    pub critical_path: Vec<PathStep>,
    /// All events.
    pub events: Vec<Window>,
}

/// One wait of the critical path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathStep {
    /// The event that is waited for: `ready(flux-system/apps)`.
    pub event: EcoString,
    /// When it fires in the worst case.
    pub at: u64,
    /// What this wait adds.
    pub added: u64,
    /// Why.
    pub reason: EcoString,
}

/// When an event fires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The event.
    pub event: EcoString,
    /// In the best case.
    pub earliest: u64,
    /// In the worst case; `None` without a bound.
    pub latest: Option<u64>,
    /// How much later it may fire without moving the bound.
    pub slack: Option<u64>,
}
