//! Every way to read YAML, on any bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yaml::FileId;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = yaml::decode(bytes, FileId(0)) else {
        return;
    };
    let limits = fluxlint_fuzz::limits();
    if let Ok(documents) = yaml::parse(&text, FileId(0), &limits) {
        for document in &documents {
            let _ = yaml::canonical(document);
        }
    }
    let _ = yaml::parse_with_duplicates(&text, FileId(0), &limits);
    let _ = yaml::parse_raw(&text, FileId(0), &limits);
    let _ = yaml::values(&text, FileId(0), &limits);
    let _ = yaml::sigs_to_json(&text, FileId(0), false);
    let _ = yaml::sigs_to_json(&text, FileId(0), true);
    let _ = yaml::from_json(&text, FileId(0));
});
