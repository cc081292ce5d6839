//! The corpus mirror as a directory that knows as much of it as the servers say:
//! the digests of artifacts, too.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::places::Places;
use super::server::digest_of_manifest;

/// Writes the directory. Files are linked where the file system can.
pub fn write(places: &Places, to: &Path) -> Result<(), String> {
    let from = places.root.join("mirror");
    let bytes = fs::read(from.join("index.json")).map_err(|e| e.to_string())?;
    let mut index: Value = serde_json::from_slice(&bytes).map_err(|e| e.to_string())?;
    for (url, references) in &places.oci {
        for (reference, file) in references {
            let layer = places.content(file).ok_or_else(|| format!("no {file}"))?;
            let digest = digest_of_manifest(&layer);
            index["oci"][url][reference] = serde_json::json!({"file": file, "digest": digest});
        }
    }
    link(&from, to)?;
    let place = to.join("index.json");
    fs::remove_file(&place).map_err(|e| e.to_string())?;
    fs::write(place, index.to_string()).map_err(|e| e.to_string())
}

fn link(from: &Path, to: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", from.display());
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            link(&from, &to)?;
        } else if fs::hard_link(&from, &to).is_err() {
            fs::copy(&from, &to).map_err(failed)?;
        }
    }
    Ok(())
}
