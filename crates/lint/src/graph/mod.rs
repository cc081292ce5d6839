//! Can the components converge at all?

pub(crate) mod bootstrap_deadlock;
pub(crate) mod build_failed;
pub(crate) mod crd_in_same_apply;
pub(crate) mod dangling_reference;
pub(crate) mod dual_ownership;
pub(crate) mod encrypted_without_decryption;
pub(crate) mod missing_namespace;
pub(crate) mod namespace_unset;
pub(crate) mod retry_budget;
pub(crate) mod suspended_dependency;
pub(crate) mod unknown_crd;
pub(crate) mod unreached_manifest;
pub(crate) mod unserved_version;

mod dangling;
