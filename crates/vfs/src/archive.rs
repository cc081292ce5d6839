//! Archives: gzipped tar files unpacked into memory.

use std::io::Read;

use ecow::EcoString;
use flate2::read::MultiGzDecoder;

use crate::{Error, Memory, normalize};

/// What an archive may hold. An archive is somebody else's input: without
/// limits a few kilobytes could fill the memory.
#[derive(Clone, Copy, Debug)]
pub struct ArchiveLimits {
    /// Entries of any kind.
    pub entries: usize,
    /// Bytes of one file.
    pub file: u64,
    /// Bytes of all files, and of the unpacked archive as a whole.
    pub total: u64,
    /// How many times as large as the archive all files may be, once they are
    /// larger than [`RATIO_FROM`].
    pub ratio: u64,
    /// Directories within one another.
    pub depth: usize,
}

/// Bytes from which [`ArchiveLimits::ratio`] counts: a few alike files are no
/// attack.
pub const RATIO_FROM: u64 = 16 << 20;
/// Bytes of a file's path.
const MAX_PATH: usize = 4096;

/// 100,000 entries, 64 MiB a file, 512 MiB in all, 250 times the archive, 100
/// directories within one another.
impl Default for ArchiveLimits {
    fn default() -> Self {
        ArchiveLimits {
            entries: 100_000,
            file: 64 << 20,
            total: 512 << 20,
            ratio: 250,
            depth: 100,
        }
    }
}

/// The regular files of a gzipped tar archive. Links and devices are left out,
/// as Flux leaves them out; a name that leads out of the archive is an error.
pub fn unpack_tar_gz(bytes: &[u8], limits: ArchiveLimits) -> Result<Memory, Error> {
    let plain = MultiGzDecoder::new(bytes).take(limits.total.saturating_add(1));
    let mut archive = tar::Archive::new(plain);
    let entries = archive.entries().map_err(|error| broken(&error))?;
    let mut files: Vec<(EcoString, Vec<u8>)> = Vec::new();
    let mut total = 0u64;
    for (count, entry) in entries.enumerate() {
        let mut entry = entry.map_err(|error| broken(&error))?;
        if count >= limits.entries {
            let message = ecow::eco_format!("more than {} entries", limits.entries);
            return Err(Error::Io("archive".into(), message));
        }
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = entry_path(&entry.path_bytes(), limits.depth)?;
        let size = entry.size();
        total = total.saturating_add(size);
        if total > RATIO_FROM && total / limits.ratio.max(1) > bytes.len() as u64 {
            let message = ecow::eco_format!(
                "its files are more than {} times as large as it",
                limits.ratio
            );
            return Err(Error::Io("archive".into(), message));
        }
        if size > limits.file || total > limits.total {
            return Err(Error::TooLarge(path, size.max(total)));
        }
        let mut content = Vec::new();
        entry
            .read_to_end(&mut content)
            .map_err(|error| broken(&error))?;
        files.push((path, content));
    }
    Memory::new(files)
}

fn entry_path(bytes: &[u8], depth: usize) -> Result<EcoString, Error> {
    let deep = bytes.iter().filter(|byte| **byte == b'/').count() > depth;
    if deep || bytes.len() > MAX_PATH {
        let message = "a path has too many directories or is too long";
        return Err(Error::Io("archive".into(), message.into()));
    }
    let path = std::str::from_utf8(bytes).map_err(|_| {
        let shown = EcoString::from(&*String::from_utf8_lossy(bytes));
        Error::Io(shown, "the name is not UTF-8".into())
    })?;
    if path.starts_with('/') {
        return Err(Error::Outside(path.into()));
    }
    normalize(path)
}

fn broken(error: &std::io::Error) -> Error {
    Error::Io("archive".into(), ecow::eco_format!("{error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tree;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    fn packed(entries: &[(&str, tar::EntryType, &[u8])]) -> Vec<u8> {
        let encoder = GzEncoder::new(Vec::new(), Compression::fast());
        let mut builder = tar::Builder::new(encoder);
        for (name, kind, content) in entries {
            let mut header = tar::Header::new_ustar();
            // Set by hand: the builder refuses names that leave the archive.
            header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
            header.set_entry_type(*kind);
            header.set_size(content.len() as u64);
            header.set_mode(0o644);
            header.set_cksum();
            builder.append(&header, *content).unwrap();
        }
        builder.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn files_only() {
        let bytes = packed(&[
            ("dir/", tar::EntryType::Directory, b""),
            ("./dir/a.yaml", tar::EntryType::Regular, b"a: 1\n"),
            ("dir/link", tar::EntryType::Symlink, b""),
        ]);
        let tree = Tree::new(unpack_tar_gz(&bytes, ArchiveLimits::default()).unwrap());
        assert_eq!(&*tree.read("dir/a.yaml").unwrap(), b"a: 1\n");
        assert_eq!(tree.list("dir").unwrap().len(), 1);
    }

    #[test]
    fn names_stay_inside() {
        for name in ["../x", "a/../../x", "/x"] {
            let bytes = packed(&[(name, tar::EntryType::Regular, b"x")]);
            let result = unpack_tar_gz(&bytes, ArchiveLimits::default());
            assert!(matches!(result, Err(Error::Outside(_))), "{name}");
        }
    }

    #[test]
    fn limits_hold() {
        let zeros = vec![0; 100_000];
        let bytes = packed(&[
            ("a", tar::EntryType::Regular, &zeros),
            ("b", tar::EntryType::Regular, &zeros),
        ]);
        let with = |limits| unpack_tar_gz(&bytes, limits).err();
        let all = ArchiveLimits::default();
        assert_eq!(with(all), None);
        let file = ArchiveLimits {
            file: 99_999,
            ..all
        };
        assert!(matches!(with(file), Some(Error::TooLarge(..))));
        let total = ArchiveLimits {
            total: 150_000,
            ..all
        };
        assert!(with(total).is_some());
        let deep = format!("{}a", "a/".repeat(40));
        let deep = packed(&[(&deep, tar::EntryType::Regular, b"x")]);
        let depth = ArchiveLimits { depth: 39, ..all };
        assert!(unpack_tar_gz(&deep, all).is_ok());
        assert!(matches!(unpack_tar_gz(&deep, depth), Err(Error::Io(..))));
        let bomb = vec![0; 17 << 20];
        let bomb = packed(&[("a", tar::EntryType::Regular, &bomb)]);
        let ratio = ArchiveLimits { ratio: 100, ..all };
        assert!(unpack_tar_gz(&bomb, ratio).is_err());
        let entries = ArchiveLimits { entries: 1, ..all };
        assert!(matches!(with(entries), Some(Error::Io(..))));
        assert!(unpack_tar_gz(&bytes[..bytes.len() / 2], all).is_err());
        assert!(unpack_tar_gz(b"no archive", all).is_err());
    }
}
