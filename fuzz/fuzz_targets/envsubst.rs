//! Expansion of any text.
#![no_main]

use flux::envsubst::{Value, expand};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let lookup = |name: &str, _: bool| match name {
        "APP" => Some(Value::known("app")),
        "NUM" => Some(Value::known("004")),
        "EMPTY" => Some(Value::known("")),
        "STAR" => Some(Value::known("*.example.org")),
        "A_B" => Some(Value::known("ab")),
        _ => None,
    };
    if let Ok(expansion) = expand(text, &lookup) {
        let lengths: usize = expansion.pieces.iter().map(|piece| piece.output.len()).sum();
        assert_eq!(lengths, expansion.text.len(), "pieces leave gaps");
    }
});
