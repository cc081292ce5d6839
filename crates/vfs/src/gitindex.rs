//! Which files git tracks: the paths of an index file.
//!
//! Only what the format's versions 2 to 4 say about names is read; object ids,
//! times and extensions are stepped over.

use ecow::EcoString;

/// The paths of a git index, sorted as git sorts them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GitIndex {
    /// Regular files and symbolic links. Names that are no UTF-8 are left out.
    pub(crate) files: Vec<EcoString>,
    /// The index has a part in another file, which is not read here: some
    /// tracked files are missing from [`GitIndex::files`].
    pub(crate) split: Option<String>,
}

/// Times, device, inode, mode, owner and size stand before the object id.
const BEFORE_ID: usize = 40;
const MODE_AT: usize = 24;

impl GitIndex {
    /// Reads an index; `id_length` is 20 bytes for SHA-1 repositories and 32
    /// for SHA-256 ones. `None` when the bytes are no index.
    pub(crate) fn parse(bytes: &[u8], id_length: usize) -> Option<Self> {
        let version = u32_at(bytes, 4)?;
        if bytes.get(..4)? != b"DIRC" || !(2..=4).contains(&version) {
            return None;
        }
        let count = u32_at(bytes, 8)?;
        let mut index = GitIndex::default();
        let mut at = 12;
        let mut name: Vec<u8> = Vec::new();
        for _ in 0..count {
            let mode = u32_at(bytes, at + MODE_AT)?;
            let flags_at = at + BEFORE_ID + id_length;
            let flags = u16_at(bytes, flags_at)?;
            let extended = version >= 3 && flags & 0x4000 != 0;
            let name_at = flags_at + if extended { 4 } else { 2 };
            at = if version == 4 {
                read_shortened_name(bytes, name_at, &mut name)?
            } else {
                read_name(bytes, at, name_at, &mut name)?
            };
            // Submodules (0o160000) and sparse directories (0o040000) are no files.
            if matches!(mode & 0o170000, 0o100000 | 0o120000)
                && let Ok(path) = std::str::from_utf8(&name)
            {
                index.files.push(path.into());
            }
        }
        // A checksum of the length of an id ends the file.
        if at > bytes.len().checked_sub(id_length)? {
            return None;
        }
        index.split = split_base(bytes, at, id_length);
        Some(index)
    }
}

/// A name ended by a zero byte; the entry is padded to a multiple of eight.
fn read_name(bytes: &[u8], entry_at: usize, name_at: usize, name: &mut Vec<u8>) -> Option<usize> {
    let rest = bytes.get(name_at..)?;
    let length = rest.iter().position(|byte| *byte == 0)?;
    name.clear();
    name.extend_from_slice(rest.get(..length)?);
    let entry = name_at + length - entry_at;
    Some(entry_at + (entry / 8 + 1) * 8)
}

/// A name written as the number of bytes to cut off the one before it, and
/// what follows then.
fn read_shortened_name(bytes: &[u8], name_at: usize, name: &mut Vec<u8>) -> Option<usize> {
    let (cut, start) = variable_int(bytes, name_at)?;
    let rest = bytes.get(start..)?;
    let length = rest.iter().position(|byte| *byte == 0)?;
    name.truncate(name.len().checked_sub(cut)?);
    name.extend_from_slice(rest.get(..length)?);
    Some(start + length + 1)
}

/// Git's offset encoding: seven bits a byte, highest first, each continuation
/// adding one.
fn variable_int(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        value = value
            .checked_add(1)?
            .checked_mul(128)?
            .checked_add(usize::from(byte & 0x7f))?;
    }
    Some((value, at + 1))
}

/// The id of the shared index that a `link` extension names.
fn split_base(bytes: &[u8], mut at: usize, id_length: usize) -> Option<String> {
    let end = bytes.len().checked_sub(id_length)?;
    while at + 8 <= end {
        let size = u32_at(bytes, at + 4)? as usize;
        if bytes.get(at..at + 4)? == b"link" {
            let id = bytes.get(at + 8..at + 8 + id_length)?;
            let split = id.iter().any(|byte| *byte != 0);
            return split.then(|| id.iter().map(|byte| format!("{byte:02x}")).collect());
        }
        at = at.checked_add(8)?.checked_add(size)?;
    }
    None
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let two = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_be_bytes(two.try_into().ok()?))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An index of version 2 with these files.
    pub(crate) fn index_of(paths: &[&str]) -> Vec<u8> {
        let mut out = b"DIRC\0\0\0\x02".to_vec();
        out.extend(u32::try_from(paths.len()).unwrap().to_be_bytes());
        for path in paths {
            let start = out.len();
            out.extend([0; MODE_AT]);
            out.extend(0o100644u32.to_be_bytes());
            out.extend([0; 12 + 20]);
            out.extend(u16::try_from(path.len()).unwrap().to_be_bytes());
            out.extend(path.as_bytes());
            out.push(0);
            while !(out.len() - start).is_multiple_of(8) {
                out.push(0);
            }
        }
        out.extend([0; 20]);
        out
    }

    #[test]
    fn plain_names_of_every_padding() {
        let paths = ["a", "ab", "abc/defg", "abc/defgh", "abcdefghijkl", "ünï"];
        let index = GitIndex::parse(&index_of(&paths), 20).unwrap();
        assert_eq!(index.files, paths);
        assert_eq!(index.split, None);
    }

    #[test]
    fn shortened_names() {
        let mut out = b"DIRC\0\0\0\x04\0\0\0\x02".to_vec();
        for (cut, rest) in [(0u8, "apps/one.yaml"), (8, "two.yaml")] {
            out.extend([0; MODE_AT]);
            out.extend(0o100644u32.to_be_bytes());
            out.extend([0; 12 + 20 + 2]);
            out.push(cut);
            out.extend(rest.as_bytes());
            out.push(0);
        }
        out.extend([0; 20]);
        let index = GitIndex::parse(&out, 20).unwrap();
        assert_eq!(index.files, ["apps/one.yaml", "apps/two.yaml"]);
    }

    #[test]
    fn a_shared_part_is_noticed() {
        let mut out = index_of(&["a"]);
        out.truncate(out.len() - 20);
        out.extend(b"link\0\0\0\x14");
        out.extend([0xab; 20]);
        out.extend([0; 20]);
        let index = GitIndex::parse(&out, 20).unwrap();
        assert_eq!(index.split.as_deref(), Some("ab".repeat(20).as_str()));
    }

    #[test]
    fn broken_bytes_are_no_index() {
        let whole = index_of(&["some/path.yaml", "other"]);
        for end in 0..whole.len() {
            assert_eq!(GitIndex::parse(&whole[..end], 20), None, "{end}");
        }
        assert_eq!(GitIndex::parse(b"DIRC\0\0\0\x09\0\0\0\0", 20), None);
    }
}
