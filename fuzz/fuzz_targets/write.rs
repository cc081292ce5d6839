//! What is written is read back as the same value.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yaml::FileId;

fuzz_target!(|text: &str| {
    let limits = fluxlint_fuzz::limits();
    let Ok(documents) = yaml::parse(text, FileId(0), &limits) else {
        return;
    };
    for document in &documents {
        let _ = yaml::emit_v3(document);
        let Ok(node) = yaml::canonical(document) else {
            continue;
        };
        let written = yaml::emit_v2(&node);
        let read = match yaml::sigs_to_json(&written, FileId(0), true) {
            Ok(read) => read,
            Err(error) => panic!("{error} in what was written:\n{written}"),
        };
        // Numbers lose digits beyond those of a double on the way.
        let value = yaml::numbers_as_floats(&node);
        let again = yaml::numbers_as_floats(&read);
        assert_eq!(yaml::to_json(&value), yaml::to_json(&again), "\n{written}");
    }
});
