//! Benchmarks, corpora, conformance and generated tables of fluxlint.

fn main() {}
