//! Builds of any tree.
#![no_main]

use kustomize::{Documents, LoadRestrictions, Options, build};
use libfuzzer_sys::fuzz_target;
use yaml::Sources;

fuzz_target!(|text: &str| {
    let Some(tree) = fluxlint_fuzz::tree(text) else {
        return;
    };
    let documents = Documents::new(tree, Sources::new());
    if let Ok(output) = build(&documents, "", &Options::default()) {
        let _ = output.to_yaml();
    }
    let restricted = Options {
        load_restrictions: LoadRestrictions::RootOnly,
        leave_out_unavailable: true,
        ..Options::default()
    };
    let _ = build(&documents, "", &restricted);
});
