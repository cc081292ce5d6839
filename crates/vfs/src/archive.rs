//! Archives: gzipped tar files unpacked into memory.

use std::io::Read;
use std::sync::Arc;

use ecow::EcoString;
use flate2::read::MultiGzDecoder;

use crate::{Error, Memory, links, normalize};

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
    /// How many times as large as the archive it may be unpacked, once that is
    /// more than [`RATIO_FROM`].
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
    let mut files = Vec::new();
    unpack(bytes, limits, |entry| {
        if let Entry::File(path, content) = entry {
            files.push((path, content));
        }
        Ok(())
    })?;
    Memory::new(files)
}

/// The regular files of a gzipped tar archive, and those that its symbolic links
/// lead to, under the links' own names. A link to a directory stands for all
/// files in it. Links that lead out of the archive or to nothing are left out.
pub fn unpack_with_links(bytes: &[u8], limits: ArchiveLimits) -> Result<Memory, Error> {
    let mut files = Vec::new();
    let mut links = Vec::new();
    unpack(bytes, limits, |entry| {
        match entry {
            Entry::File(path, content) => files.push((path, content)),
            Entry::Link(path, target) => links.push((path, target)),
        }
        Ok(())
    })?;
    links::follow(files, links, limits)
}

/// An entry that counts.
enum Entry {
    File(EcoString, Arc<[u8]>),
    /// A symbolic link and what it leads to, as written.
    Link(EcoString, EcoString),
}

fn unpack(
    bytes: &[u8],
    limits: ArchiveLimits,
    mut take: impl FnMut(Entry) -> Result<(), Error>,
) -> Result<(), Error> {
    let plain = Plain {
        inner: MultiGzDecoder::new(bytes),
        left: limits.plain(bytes.len()),
    };
    let mut archive = tar::Archive::new(plain);
    let entries = archive.entries().map_err(|error| broken(&error))?;
    let mut total = 0u64;
    for (count, entry) in entries.enumerate() {
        let mut entry = entry.map_err(|error| broken(&error))?;
        if count >= limits.entries {
            let message = ecow::eco_format!("more than {} entries", limits.entries);
            return Err(Error::Io("archive".into(), message));
        }
        let kind = entry.header().entry_type();
        if kind.is_symlink() {
            if let Some(link) = link(&mut entry, limits.depth)? {
                take(link)?;
            }
            continue;
        }
        if !kind.is_file() {
            continue;
        }
        let path = entry_path(&entry.path_bytes(), limits.depth)?;
        let size = entry.size();
        total = total.saturating_add(size);
        if size > limits.file || total > limits.total {
            return Err(Error::TooLarge(path, size.max(total)));
        }
        // No more at once than an archive of this size may hold: a header is
        // quick to write.
        let room = size.min(limits.plain(bytes.len()));
        let mut content = Vec::with_capacity(usize::try_from(room).unwrap_or_default());
        entry
            .read_to_end(&mut content)
            .map_err(|error| broken(&error))?;
        take(Entry::File(path, content.into()))?;
    }
    Ok(())
}

fn link<R: Read>(entry: &mut tar::Entry<'_, R>, depth: usize) -> Result<Option<Entry>, Error> {
    let path = entry_path(&entry.path_bytes(), depth)?;
    let target = entry.link_name_bytes();
    let target = target.filter(|target| target.len() <= MAX_PATH);
    let target = target.and_then(|target| std::str::from_utf8(&target).ok().map(EcoString::from));
    Ok(target.map(|target| Entry::Link(path, target)))
}

impl ArchiveLimits {
    /// Bytes that an archive of so many bytes may be when it is unpacked.
    fn plain(&self, packed: usize) -> u64 {
        let packed = u64::try_from(packed).unwrap_or(u64::MAX);
        let ratio = packed.saturating_mul(self.ratio).max(RATIO_FROM);
        ratio.min(self.total)
    }
}

/// The unpacked bytes, up to a limit behind which reading fails. It holds for
/// all of them, so that nothing in the archive's structure gets around it.
struct Plain<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Plain<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let read = u64::try_from(count).unwrap_or(u64::MAX);
        self.left = self
            .left
            .checked_sub(read)
            .ok_or_else(|| std::io::Error::other("it unpacks to more than is allowed"))?;
        Ok(count)
    }
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

    fn linked(links: &[(&str, &str)]) -> Result<Tree, Error> {
        let encoder = GzEncoder::new(Vec::new(), Compression::fast());
        let mut builder = tar::Builder::new(encoder);
        for (name, target) in links {
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(tar::EntryType::Symlink);
            header.set_size(0);
            builder.append_link(&mut header, name, target).unwrap();
        }
        for (name, content) in [("base/a.yaml", b"a: 1\n"), ("base/deep/b.yaml", b"b: 1\n")] {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            builder
                .append_data(&mut header, name, &content[..])
                .unwrap();
        }
        let bytes = builder.into_inner().unwrap().finish().unwrap();
        unpack_with_links(&bytes, ArchiveLimits::default()).map(Tree::new)
    }

    #[test]
    fn links_are_followed_inside() {
        let tree = linked(&[
            ("overlay/a.yaml", "../base/a.yaml"),
            ("overlay/all", "../base"),
            ("second", "overlay/all/deep"),
            ("overlay/again.yaml", "all/a.yaml"),
        ])
        .unwrap();
        for (path, content) in [
            ("overlay/a.yaml", "a: 1\n"),
            ("overlay/all/a.yaml", "a: 1\n"),
            ("overlay/all/deep/b.yaml", "b: 1\n"),
            ("second/b.yaml", "b: 1\n"),
            ("overlay/again.yaml", "a: 1\n"),
        ] {
            assert_eq!(&*tree.read(path).unwrap(), content.as_bytes(), "{path}");
        }
    }

    #[test]
    fn links_lead_nowhere_else() {
        for target in [
            "/etc/passwd",
            "../../etc/passwd",
            "../gone",
            "x",
            "../base/../../x",
        ] {
            let tree = linked(&[("overlay/x", target)]).unwrap();
            assert_eq!(tree.probe("overlay/x"), None, "{target}");
            assert!(tree.read("base/a.yaml").is_ok());
        }
        // In circles, and into themselves.
        let tree = linked(&[("a", "b"), ("b", "a"), ("base/self", "../base")]).unwrap();
        assert_eq!(tree.probe("a"), None);
        assert!(tree.read("base/a.yaml").is_ok());
        // Each doubles what is below it: more files than an archive may have.
        let doubling: Vec<(String, String)> = (0..40)
            .flat_map(|at| {
                let (from, to) = (format!("l{}", at + 1), format!("../l{at}"));
                [(format!("{from}/x"), to.clone()), (format!("{from}/y"), to)]
            })
            .collect();
        let mut doubling: Vec<(&str, &str)> = doubling
            .iter()
            .map(|(path, target)| (path.as_str(), target.as_str()))
            .collect();
        doubling.push(("l0/x", "../base"));
        let error = linked(&doubling).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("links"), "{error}");
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
