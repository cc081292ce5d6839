//! One file a command, or a few small ones.

pub mod about;
pub mod check;
pub mod graph;
pub mod init;
pub mod kustomize;
pub mod render;
pub mod rules;
