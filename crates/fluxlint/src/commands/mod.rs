//! One file a command, or a few small ones.

pub mod about;
pub mod kustomize;
