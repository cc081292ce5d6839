//! The command line of fluxlint.

fn main() {}
