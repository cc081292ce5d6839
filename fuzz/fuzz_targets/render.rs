//! A whole repository, from finding its entrypoints to its objects.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yaml::Sources;

fuzz_target!(|text: &str| {
    let Some(tree) = fluxlint_fuzz::tree(text) else {
        return;
    };
    let found = flux::Settings::default();
    let _ = flux::render(tree.clone(), Sources::new(), &found, &|_| {});
    let named = flux::Settings {
        entrypoints: vec!["".into()],
        ..flux::Settings::default()
    };
    let _ = flux::render(tree, Sources::new(), &named, &|_| {});
});
