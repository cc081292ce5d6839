//! Any bytes as a chart's archive, compressed and not, and as the files of a
//! directory.
#![no_main]

use std::io::Write as _;

use helm::load;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = load::Limits {
        archive: 16 << 20,
        total: 64 << 20,
        ..load::Limits::default()
    };
    let _ = load::archive_within(bytes, limits);
    // Most bytes are no gzip: the tar archive below is to be met, too.
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    if packed.write_all(bytes).is_ok()
        && let Ok(packed) = packed.finish()
    {
        let _ = load::archive_within(&packed, limits);
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Some(tree) = fluxlint_fuzz::tree(text)
    {
        let _ = load::directory(&tree, "");
    }
});
