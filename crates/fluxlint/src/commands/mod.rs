//! One file a command, or a few small ones.

pub mod about;
pub mod baseline;
pub mod cache;
pub mod check;
pub mod graph;
pub mod init;
pub mod kustomize;
pub mod notices;
pub mod render;
pub mod rules;
pub mod template;
pub mod timing;
pub mod vendor;
pub mod verify;
