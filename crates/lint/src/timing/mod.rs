//! How long can a bootstrap take, and why?

mod dependency;

pub(crate) mod awaited_address;
pub(crate) mod bootstrap_budget;
pub(crate) mod critical_path;
pub(crate) mod dominant_delay;
pub(crate) mod implicit_ordering;
pub(crate) mod redundant_dependency;
pub(crate) mod repeated_job;
pub(crate) mod retry_cliff;
pub(crate) mod stale_substitution;
pub(crate) mod timeout_inversion;
pub(crate) mod unjustified_dependency;
pub(crate) mod unwaited_dependency;
pub(crate) mod worker_starvation;
