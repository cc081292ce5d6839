//! The files of a commit as they are kept: a gzipped tar file of files and
//! symbolic links, and the commits of its submodules beside it.

use std::io;
use std::path::Path;

use ecow::{EcoString, eco_format};
use flate2::Compression;
use flate2::write::GzEncoder;
use vfs::{ArchiveLimits, GitRepository, Kind, Tree};

use crate::cache::Facts;

/// Bytes of one file; larger ones are no manifests and are left out.
const MAX_FILE: u64 = 64 << 20;
/// Bytes of all files.
const MAX_TREE: u64 = 512 << 20;
/// Files and links.
const MAX_FILES: usize = 100_000;
/// The name of the fact that tells submodules.
const SUBMODULES: &str = "submodules";

/// What [`pack`] makes holds to the limits above; how much it was compressed is
/// nobody's attack.
pub(super) const LIMITS: ArchiveLimits = ArchiveLimits {
    entries: 2 * MAX_FILES,
    file: MAX_FILE,
    total: 2 * MAX_TREE,
    ratio: u64::MAX,
    depth: 250,
};

type Builder = tar::Builder<GzEncoder<Vec<u8>>>;

/// A commit's files, and what else is known of them.
pub(super) fn pack(repository: &Path, commit: &str) -> Result<(Vec<u8>, Facts), EcoString> {
    let failed = |error: &dyn std::fmt::Display| eco_format!("{error}");
    let repository = GitRepository::open(repository).map_err(|error| failed(&error))?;
    let found = repository.commit(commit).map_err(|error| failed(&error))?;
    let links = found.links().map_err(|error| failed(&error))?;
    let mut facts = Facts::from([("commit".to_owned(), commit.to_owned())]);
    let submodules = found.submodules();
    if !submodules.is_empty() {
        let pairs = submodules.iter();
        let pairs: Vec<(&str, &str)> = pairs
            .map(|(path, id)| (path.as_str(), id.as_str()))
            .collect();
        let text = serde_json::to_string(&pairs).map_err(|error| failed(&error))?;
        facts.insert(SUBMODULES.to_owned(), text);
    }
    let tree = Tree::new(found.with_max_file(MAX_FILE));
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, target) in links.iter().take(MAX_FILES) {
        link(&mut archive, path, target).map_err(|error| failed(&error))?;
    }
    add_files(&mut archive, &tree, links.len())?;
    let packed = archive.into_inner().and_then(GzEncoder::finish);
    Ok((packed.map_err(|error| failed(&error))?, facts))
}

fn add_files(archive: &mut Builder, tree: &Tree, links: usize) -> Result<(), EcoString> {
    let failed = |error: &dyn std::fmt::Display| eco_format!("{error}");
    let mut files: Vec<EcoString> = Vec::new();
    tree.walk("", &mut |path, kind| {
        if kind == Kind::File {
            files.push(path.into());
        }
        files.len() + links <= MAX_FILES
    })
    .map_err(|error| failed(&error))?;
    if files.len() + links > MAX_FILES {
        return Err(eco_format!("it has more than {MAX_FILES} files"));
    }
    let mut total = 0;
    for path in &files {
        let bytes = match tree.read(path) {
            Ok(bytes) => bytes,
            Err(vfs::Error::TooLarge(..)) => continue,
            Err(error) => return Err(failed(&error)),
        };
        total += bytes.len() as u64;
        if total > MAX_TREE {
            let limit = MAX_TREE >> 20;
            return Err(eco_format!("its files are larger than {limit} MiB"));
        }
        file(archive, path, &bytes).map_err(|error| failed(&error))?;
    }
    Ok(())
}

fn file(archive: &mut Builder, path: &str, bytes: &[u8]) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes.len() as u64);
    header.set_mode(0o644);
    archive.append_data(&mut header, path, bytes)
}

fn link(archive: &mut Builder, path: &str, target: &str) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    header.set_mode(0o777);
    archive.append_link(&mut header, path, target)
}

/// The submodules that facts tell: where each lies, and its commit.
pub(super) fn submodules(facts: &Facts) -> Vec<(EcoString, EcoString)> {
    let text = facts.get(SUBMODULES).map_or("[]", String::as_str);
    let found: Vec<(String, String)> = serde_json::from_str(text).unwrap_or_default();
    let found = found.into_iter();
    found
        .map(|(path, commit)| (path.into(), commit.into()))
        .collect()
}
