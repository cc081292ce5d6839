//! `cargo xtask simulate`: the theorem, held against something that does not
//! share its code.
//!
//! [`generate`] draws repositories, [`files`] writes them, the whole pipeline
//! renders and links them, and [`run`] lets the controllers work on the rendered
//! objects by their own rules. What becomes ready must be what the graph says
//! becomes ready, nothing may happen before what it needs, and nothing later
//! than its latest time.
//!
//! Taken for granted, as the analysis does: pods run, within the patience of
//! whoever waits for them, once what they need is there; sources can be fetched
//! at once; what Git does not make and no rule calls missing is there.
//! Left out, because they are races and no matter of order: releases whose
//! budget of retries can be spent on something that comes late.

pub mod check;
pub mod cluster;
pub mod command;
pub mod draw;
pub mod files;
pub mod generate;
pub mod kind;
pub mod plan;
pub mod prepare;
pub mod report;
pub mod run;
pub mod trial;

pub use command::command;
