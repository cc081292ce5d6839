//! Any text as a template: it is parsed, with the names of all functions of
//! charts, and printed errors hold together.
#![no_main]

use std::collections::BTreeMap;

use helm::Compiled;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &[u8]| {
    let sources = BTreeMap::from([("chart/templates/any.yaml".to_owned(), text.to_vec())]);
    if let Err(error) = Compiled::of_texts(&sources) {
        let _ = error.to_string();
    }
});
