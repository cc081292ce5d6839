//! Random charts.

mod case;
mod chart;
mod documents;
mod expression;
mod functions;
mod run;
mod values;

pub use run::run;
