//! Benchmarks, corpora, conformance and generated tables of fluxlint.
//!
//! * [`oracle`]: the upstream Go libraries as a program to ask;
//! * [`corpus`]: real repositories on disk;
//! * [`ratchet`]: how many rows of each suite pass, which never goes down.

pub mod args;
pub mod bench;
pub mod conformance;
pub mod corpus;
pub mod corpus_check;
pub mod corpus_compare;
pub mod corpus_list;
pub mod defects;
pub mod diff_flux;
pub mod diff_helm;
pub mod diff_kustomize;
pub mod diff_release;
pub mod diff_template;
pub mod diff_yaml;
pub mod engine;
pub mod envsubst_wild;
pub mod flux_case;
mod fuzz_charts;
pub mod fuzz_seeds;
pub mod helm_data;
pub mod kubeapi;
pub mod lines;
pub mod oracle;
pub mod parallel;
pub mod paths;
pub mod process;
pub mod random;
pub mod ratchet;
pub mod render_oracle;
pub mod report;
pub mod simulate;
pub mod sources;
pub mod tables;
pub mod unicode;
