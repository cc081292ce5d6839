//! Files as an archive. The same files give the same bytes.

use ecow::{EcoString, eco_format};
use flate2::Compression;
use flate2::write::GzEncoder;
use vfs::{Kind, Tree};

/// A gzipped tar archive of a tree's files, below `top` unless that is empty.
pub(super) fn pack(tree: &Tree, top: &str) -> Result<Vec<u8>, EcoString> {
    let failed = |error: &dyn std::fmt::Display| eco_format!("{error}");
    let mut files: Vec<EcoString> = Vec::new();
    tree.walk("", &mut |path, kind| {
        if kind == Kind::File {
            files.push(path.into());
        }
        true
    })
    .map_err(|error| failed(&error))?;
    files.sort();
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for path in &files {
        let bytes = tree.read(path).map_err(|error| failed(&error))?;
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        let name = match top {
            "" => path.clone(),
            top => eco_format!("{top}/{path}"),
        };
        let appended = archive.append_data(&mut header, name.as_str(), &*bytes);
        appended.map_err(|error| failed(&error))?;
    }
    let packed = archive.into_inner().and_then(GzEncoder::finish);
    packed.map_err(|error| failed(&error))
}
