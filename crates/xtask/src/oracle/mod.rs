//! The upstream libraries as a program to ask (`oracle/`).

mod answer;
mod build;
mod client;
mod command;
mod recorded;

pub use answer::Answer;
pub use build::{build, build_helm};
pub use client::{Oracle, Pool};
pub use command::command;
pub use recorded::{Question, Recording, record};
