//! `.fluxlint.yaml` of any text.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(error) = config::Config::parse(config::FILE_NAME, text, &yaml::Sources::new()) {
        let _ = error.to_string();
    }
});
