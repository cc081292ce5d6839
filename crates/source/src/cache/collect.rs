//! Looking after the cache: what it holds, and removing what was not fetched or
//! used for long.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{Cache, Digest, Entry};
use crate::Error;

/// What a cache holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Keys with content, or that a host has nothing for.
    pub keys: usize,
    /// Distinct contents.
    pub blobs: usize,
    /// Bytes of the contents.
    pub bytes: u64,
}

/// What cleaning did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// What was removed.
    pub removed: Usage,
    /// What is left.
    pub left: Usage,
}

impl Cache {
    /// What it holds.
    pub fn usage(&self) -> Usage {
        let mut usage = Usage {
            keys: files(&self.place("keys")).len(),
            ..Usage::default()
        };
        for file in files(&self.place("blobs")) {
            usage.blobs += 1;
            usage.bytes += file.bytes;
        }
        usage
    }

    /// Removes keys whose content was not fetched or asked for since so long,
    /// content that no key names, and what killed processes left behind.
    /// `None` when another process uses the cache.
    pub fn collect(&self, older_than: Duration) -> Result<Option<Collected>, Error> {
        let Some(_alone) = self.alone()? else {
            return Ok(None);
        };
        let mut done = Collected::default();
        let mut named = BTreeSet::new();
        for file in files(&self.place("keys")) {
            let entry = fs::read(&file.path).ok().and_then(|b| Entry::read(&b));
            match entry.filter(|_| file.age < older_than) {
                Some(Entry::Content(record)) if self.holds(&record.digest) => {
                    named.insert(record.digest);
                    done.left.keys += 1;
                }
                Some(Entry::Absent(_)) => done.left.keys += 1,
                _ => done.removed.keys += remove(&file.path),
            }
        }
        for file in files(&self.place("blobs")) {
            let name = file.path.file_name().and_then(|name| name.to_str());
            let digest = name.and_then(Digest::parse);
            if digest.is_some_and(|digest| named.contains(&digest)) {
                done.left.blobs += 1;
                done.left.bytes += file.bytes;
            } else if remove(&file.path) == 1 {
                done.removed.blobs += 1;
                done.removed.bytes += file.bytes;
            }
        }
        for kind in ["tmp", "locks"] {
            // What cannot be removed now is removed another time.
            let _ = fs::remove_dir_all(self.place(kind));
        }
        Ok(Some(done))
    }

    /// Notes that a key was asked for, so that it is not removed as old. At
    /// most once an hour a key.
    pub(crate) fn touch(&self, key: &str) {
        let path = self.key_path(key);
        let Ok(file) = fs::File::options().append(true).open(&path) else {
            return;
        };
        let age = file.metadata().ok().map(|found| age(&found));
        if age.is_some_and(|age| age > Duration::from_secs(3600)) {
            // What cannot be noted is fetched again one day.
            let _ = file.set_modified(SystemTime::now());
        }
    }
}

struct Found {
    path: PathBuf,
    bytes: u64,
    age: Duration,
}

fn age(found: &fs::Metadata) -> Duration {
    let changed = found.modified().ok();
    let elapsed = changed.and_then(|changed| changed.elapsed().ok());
    elapsed.unwrap_or(Duration::ZERO)
}

/// The files of a directory and those below it. Links are not followed.
fn files(directory: &Path) -> Vec<Found> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            if metadata.is_dir() {
                open.push(entry.path());
            } else if metadata.is_file() {
                found.push(Found {
                    path: entry.path(),
                    bytes: metadata.len(),
                    age: age(&metadata),
                });
            }
        }
    }
    found
}

fn remove(path: &Path) -> usize {
    usize::from(fs::remove_file(path).is_ok())
}

#[cfg(test)]
mod tests {
    use super::super::{Absence, Facts, Record};
    use super::*;

    #[test]
    fn old_and_unnamed_content_goes() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path());
        let kept = cache.keep(b"kept").unwrap();
        cache
            .put(&Record::new("kept", kept.clone(), Facts::new()))
            .unwrap();
        let old = cache.keep(b"old").unwrap();
        cache
            .put(&Record::new("old", old.clone(), Facts::new()))
            .unwrap();
        let unnamed = cache.keep(b"unnamed").unwrap();
        let absent = Error::RepositoryMissing("https://h/x".into());
        cache
            .put_absence(&Absence::new("absent", &absent).unwrap())
            .unwrap();
        let long_ago = SystemTime::now() - Duration::from_secs(7200);
        let file = fs::File::options()
            .append(true)
            .open(cache.key_path("old"))
            .unwrap();
        file.set_modified(long_ago).unwrap();
        fs::create_dir_all(cache.place("tmp")).unwrap();
        fs::write(cache.place("tmp").join("left"), b"half").unwrap();

        let done = cache.collect(Duration::from_secs(3600)).unwrap().unwrap();
        assert_eq!((done.removed.keys, done.removed.blobs), (1, 2));
        assert_eq!(
            (done.left.keys, done.left.blobs, done.left.bytes),
            (2, 1, 4)
        );
        assert!(cache.holds(&kept) && !cache.holds(&old) && !cache.holds(&unnamed));
        assert_eq!(cache.usage(), done.left);

        let _in_use = cache.in_use();
        assert_eq!(cache.collect(Duration::ZERO).unwrap(), None);
    }

    #[test]
    fn what_is_asked_for_stays() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Cache::new(directory.path());
        let digest = cache.keep(b"x").unwrap();
        cache.put(&Record::new("x", digest, Facts::new())).unwrap();
        let path = cache.key_path("x");
        let long_ago = SystemTime::now() - Duration::from_secs(7200);
        let file = fs::File::options().append(true).open(&path).unwrap();
        file.set_modified(long_ago).unwrap();
        cache.touch("x");
        let done = cache.collect(Duration::from_secs(3600)).unwrap().unwrap();
        assert_eq!(done.left.keys, 1);
    }
}
