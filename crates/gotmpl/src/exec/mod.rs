//! Executing templates.
//!
//! [`machine`] walks statements with a list of frames instead of the stack,
//! so templates may call each other as deep as Go allows. [`eval`] evaluates
//! pipelines, [`call`] checks arguments and calls.

mod call;
mod context;
mod eval;
mod fields;
mod limits;
mod machine;
mod operand;
mod range;
mod trace;

pub use crate::error::Failure;
pub use call::Args;
pub(crate) use context::Run;
pub use context::{Context, Site};
pub use limits::Limits;
pub(crate) use machine::run;
pub(crate) use operand::Operand;
pub use trace::{Output, Segment};
