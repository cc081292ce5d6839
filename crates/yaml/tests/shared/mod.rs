//! Where upstream's test rows and the corpora are, if they are here.

use std::io::Read;
use std::path::PathBuf;

/// The shared directory, or `None` after saying so.
pub fn directory() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let named = std::env::var_os("FLUXLINT_SHARED").map(PathBuf::from);
    let found = named.into_iter().chain([beside]).find(|path| path.is_dir());
    if found.is_none() {
        println!("skipped: no corpus");
    }
    found
}

/// A gzipped file's text.
pub fn unzipped(path: &std::path::Path) -> String {
    let file = std::fs::File::open(path).unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .unwrap();
    text
}
