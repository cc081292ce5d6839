//! SOPS documents: what can be read of them without a key.
//!
//! The controller decrypts in two places: files of secret generators and patch
//! files before the build, and objects, or values of Secrets that are encrypted
//! files, after it. Here a marker takes the place of every encrypted value;
//! names, keys and what is not encrypted stay readable.

mod files;
mod format;
mod object;

pub(crate) use files::decrypt_inputs;
pub(crate) use object::{Encrypted, decrypt, encrypted, is_disabled, mark_generated};

#[cfg(test)]
mod tests;
