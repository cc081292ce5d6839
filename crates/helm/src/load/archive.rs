//! Charts' archives: gzipped tar files.

use std::fmt;
use std::io::Read;

use flate2::read::MultiGzDecoder;
use gotmpl::strconv::quote;
use tar::EntryType;

use super::Loader;
use crate::chart::File;
use crate::funcs::clean_path;

/// Why an archive was refused.
pub(super) enum Refused {
    /// It is not compressed with gzip.
    NoGzip,
    /// Any other reason, in Helm's words.
    Because(String),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::NoGzip => f.write_str("gzip: invalid header"),
            Refused::Because(message) => f.write_str(message),
        }
    }
}

impl Refused {
    /// As Helm's library says it of the archive as a whole.
    pub fn of_stream(&self) -> String {
        match self {
            Refused::NoGzip => {
                format!("stream does not appear to be a valid chart file (details: {self})")
            }
            Refused::Because(message) => format!("unable to load chart archive: {message}"),
        }
    }
}

fn because(message: impl fmt::Display) -> Refused {
    Refused::Because(message.to_string())
}

impl Loader {
    /// The files of an archive in its own order, by their paths in the
    /// archive's directory. Links are files without content, as to Helm.
    pub fn unpack(&mut self, bytes: &[u8]) -> Result<Vec<File>, Refused> {
        if bytes.is_empty() {
            return Err(because("EOF"));
        }
        if !bytes.starts_with(b"\x1f\x8b") {
            return Err(Refused::NoGzip);
        }
        let archive = self.limits.archive.min(self.bytes);
        // Headers take room, too.
        let stream = archive.saturating_add(archive / 2).saturating_add(1 << 20);
        let mut tar = tar::Archive::new(MultiGzDecoder::new(bytes).take(stream));
        let mut left = archive;
        let mut files = Vec::new();
        for (count, entry) in tar.entries().map_err(because)?.enumerate() {
            let mut entry = entry.map_err(because)?;
            if count >= self.limits.entries {
                let most = self.limits.entries;
                return Err(because(format!("more than {most} entries")));
            }
            let kind = entry.header().entry_type();
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let skipped = [
                EntryType::Directory,
                EntryType::XGlobalHeader,
                EntryType::XHeader,
            ];
            if skipped.contains(&kind) || kind == EntryType::Regular && name.ends_with('/') {
                continue;
            }
            let path = inside(&name)?;
            let size = entry.size();
            let too_large = || {
                let most = self.limits.archive;
                because(format!(
                    "decompressed chart is larger than the maximum size {most}"
                ))
            };
            if size > left {
                return Err(
                    match left < self.limits.archive && archive < self.limits.archive {
                        true => because(format!(
                            "charts in each other unpack to more than {} bytes",
                            self.limits.total
                        )),
                        false => too_large(),
                    },
                );
            }
            if size > self.limits.file {
                return Err(because(format!(
                    "decompressed chart file {} is larger than the maximum file size {}",
                    quote(name.as_bytes()),
                    self.limits.file
                )));
            }
            let mut data = Vec::new();
            entry.read_to_end(&mut data).map_err(because)?;
            left = left.saturating_sub(data.len() as u64);
            if left == 0 {
                return Err(too_large());
            }
            files.push(File {
                name: path,
                data: super::plain(&data).to_vec(),
            });
        }
        if files.is_empty() {
            return Err(because("no files in chart archive"));
        }
        self.bytes = self.bytes.saturating_sub(archive - left);
        Ok(files)
    }
}

/// The path without the archive's directory.
fn inside(name: &str) -> Result<String, Refused> {
    let delimiter = if name.contains('\\') { '\\' } else { '/' };
    let (first, rest) = name.split_once(delimiter).unwrap_or((name, ""));
    let rest = rest.replace(delimiter, "/");
    if rest.starts_with('/') {
        return Err(because("chart illegally contains absolute paths"));
    }
    let path = clean_path(&rest);
    if path == "." {
        return Err(because(format!(
            "chart illegally contains content outside the base directory: {}",
            quote(name.as_bytes())
        )));
    }
    if path.starts_with("..") {
        return Err(because("chart illegally references parent directory"));
    }
    let drive = path.as_bytes();
    if matches!(drive, [letter, b':', b'/', ..] if letter.is_ascii_alphabetic()) {
        return Err(because("chart contains illegally named files"));
    }
    if first == "Chart.yaml" {
        return Err(because("chart yaml not in base directory"));
    }
    Ok(path)
}
