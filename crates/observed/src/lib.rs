//! What a real cluster reported about its components: how long they took, and
//! how they are.
//!
//! [`read_durations`] takes any of three forms, told apart by content:
//!
//! * what `kubectl get kustomizations,helmreleases -A -o json` prints (or
//!   `-o yaml`): the history in each object's status;
//! * metrics in Prometheus' text format, with `gotk_reconcile_duration_seconds`:
//!   means, which count reconciliations that had nothing to do;
//! * a YAML mapping of components to durations.
//!
//! [`read_state`] takes the first form for what each component's `Ready`
//! condition says. Nothing here judges; what is not there is not guessed.

mod dump;
mod error;
mod form;
mod history;
mod list;
mod metrics;
mod read;
mod state;

pub use error::Error;
pub use form::Form;
pub use read::{Reading, read_durations, read_state};
pub use state::{ClusterState, ComponentState, State};
