//! What a commit of the working tree as it stands would hold.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecow::EcoString;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustc_hash::FxHashSet;

use crate::disk::{MAX_FILE, io_error, open_root, read_file};
use crate::gitindex::GitIndex;
use crate::listing::Listing;
use crate::path::child;
use crate::{Backend, DirEntry, Error, Kind};

/// Names a tree may have; more is taken for a mistaken root.
const MAX_NAMES: usize = 1_000_000;
/// Directories within one another.
const MAX_DEPTH: usize = 200;

/// The files git would commit from a directory: those it tracks, as they are
/// on disk now, and those it neither tracks nor ignores. In a directory that
/// is no repository, all files.
///
/// The names are read once, when the tree is made, the bytes when they are
/// asked for. Symbolic links, repositories inside the repository and names
/// that are no UTF-8 are left out; Flux leaves out the first two as well.
/// Ignore files of the user or the system do not count.
#[derive(Clone, Debug)]
pub struct WorkTree {
    root: PathBuf,
    listing: Listing,
    git: bool,
    max_file: u64,
}

impl WorkTree {
    /// The tree below `root`. Fails when that is no directory, cannot be read,
    /// or its `.git` is broken.
    pub fn new(root: &Path) -> Result<Self, Error> {
        let root = open_root(root)?;
        let git = Git::open(&root)?;
        let mut walk = Walk {
            root: &root,
            git: git.as_ref(),
            listing: Listing::default(),
            rules: git.iter().flat_map(|git| git.exclude.clone()).collect(),
            names: 0,
        };
        walk.listing.add_dir("");
        walk.directory("", false, 0)?;
        let mut listing = walk.listing;
        listing.finish();
        Ok(WorkTree {
            root,
            listing,
            git: git.is_some(),
            max_file: MAX_FILE,
        })
    }

    /// Files larger than this many bytes cannot be read.
    pub fn with_max_file(mut self, bytes: u64) -> Self {
        self.max_file = bytes;
        self
    }

    /// Whether git's rules were used.
    pub fn is_git(&self) -> bool {
        self.git
    }
}

impl Backend for WorkTree {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, Error> {
        self.listing.check_file(path)?;
        read_file(&self.root.join(path), path, self.max_file)
    }

    fn list(&self, path: &str) -> Result<Vec<DirEntry>, Error> {
        self.listing.list(path)
    }

    fn probe(&self, path: &str) -> Option<Kind> {
        self.listing.probe(path)
    }
}

/// What a repository says about its working tree.
struct Git {
    tracked: FxHashSet<EcoString>,
    /// The directories above tracked files.
    tracked_dirs: FxHashSet<EcoString>,
    /// `info/exclude`.
    exclude: Option<Gitignore>,
}

impl Git {
    /// The repository whose working tree starts at `root`, if there is one.
    fn open(root: &Path) -> Result<Option<Self>, Error> {
        let Some(dir) = git_dir(root)? else {
            return Ok(None);
        };
        // A linked working tree keeps its index to itself and shares the rest.
        let common = match fs::read_to_string(dir.join("commondir")) {
            Ok(text) => dir.join(text.trim_end()),
            Err(_) => dir.clone(),
        };
        let tracked = tracked_files(&dir, &common)?;
        let mut tracked_dirs = FxHashSet::default();
        for path in &tracked {
            let mut path = path.as_str();
            while let Some((dir, _)) = path.rsplit_once('/') {
                if !tracked_dirs.insert(EcoString::from(dir)) {
                    break;
                }
                path = dir;
            }
        }
        let exclude = fs::read(common.join("info/exclude")).ok();
        Ok(Some(Git {
            tracked,
            tracked_dirs,
            exclude: exclude.and_then(|bytes| rules("", &bytes)),
        }))
    }
}

/// Where the repository is: `.git`, or the directory that a file of this name
/// points to.
fn git_dir(root: &Path) -> Result<Option<PathBuf>, Error> {
    let dot = root.join(".git");
    let Ok(metadata) = fs::metadata(&dot) else {
        return Ok(None);
    };
    if metadata.is_dir() {
        // An empty `.git` directory is no repository.
        return Ok(dot.join("HEAD").exists().then_some(dot));
    }
    let text = fs::read_to_string(&dot).map_err(|error| io_error(".git", &error))?;
    let target = text.strip_prefix("gitdir:").ok_or_else(|| {
        Error::Io(
            ".git".into(),
            "neither a directory nor a gitdir file".into(),
        )
    })?;
    Ok(Some(root.join(target.trim())))
}

fn tracked_files(dir: &Path, common: &Path) -> Result<FxHashSet<EcoString>, Error> {
    let config = fs::read_to_string(common.join("config")).unwrap_or_default();
    let id_length = if uses_sha256(&config) { 32 } else { 20 };
    let read = |name: &str| match fs::read(dir.join(name)) {
        Ok(bytes) => GitIndex::parse(&bytes, id_length)
            .ok_or_else(|| Error::Io(".git/index".into(), "not an index of version 2 to 4".into())),
        // Nothing was ever added.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(GitIndex::default()),
        Err(error) => Err(io_error(".git/index", &error)),
    };
    let index = read("index")?;
    let mut files: FxHashSet<EcoString> = index.files.into_iter().collect();
    if let Some(id) = index.split {
        files.extend(read(&format!("sharedindex.{id}"))?.files);
    }
    Ok(files)
}

fn uses_sha256(config: &str) -> bool {
    config.lines().any(|line| {
        line.split_once('=').is_some_and(|(key, value)| {
            key.trim().eq_ignore_ascii_case("objectformat")
                && value.trim().eq_ignore_ascii_case("sha256")
        })
    })
}

/// The rules of an ignore file that stands in `dir`. Lines git would not
/// understand either are skipped.
fn rules(dir: &str, bytes: &[u8]) -> Option<Gitignore> {
    let text = String::from_utf8_lossy(bytes);
    let mut builder = GitignoreBuilder::new(rooted(dir));
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}

/// The matcher wants paths it can tell to be below its own.
fn rooted(path: &str) -> String {
    format!("/{path}")
}

struct Walk<'a> {
    root: &'a Path,
    git: Option<&'a Git>,
    listing: Listing,
    /// The rules that hold in the directory at hand, the nearest last.
    rules: Vec<Gitignore>,
    names: usize,
}

impl Walk<'_> {
    /// Adds what is below `dir`. In an ignored directory only tracked files
    /// count.
    fn directory(&mut self, dir: &str, ignored: bool, depth: usize) -> Result<(), Error> {
        if depth > MAX_DEPTH {
            return Err(Error::Io(dir.into(), "directories nest too deeply".into()));
        }
        let names = self.names_in(dir)?;
        if depth > 0 && names.iter().any(|(name, _)| name == ".git") && !self.tracks_below(dir) {
            return Ok(());
        }
        if depth > 0 {
            self.listing.add_dir(dir);
        }
        let known = self.rules.len();
        if self.git.is_some() && names.iter().any(|(name, _)| name == ".gitignore") {
            let path = self.root.join(dir).join(".gitignore");
            let bytes = read_file(&path, dir, MAX_FILE).ok();
            self.rules.extend(bytes.and_then(|b| rules(dir, &b)));
        }
        for (name, kind) in &names {
            if name != ".git" {
                self.name(&child(dir, name), *kind, ignored, depth)?;
            }
        }
        self.rules.truncate(known);
        Ok(())
    }

    fn name(&mut self, path: &str, kind: Kind, ignored: bool, depth: usize) -> Result<(), Error> {
        let ignored = ignored || self.is_ignored(path, kind);
        match kind {
            Kind::File if !ignored || self.tracks(path) => self.listing.add_file(path),
            Kind::Directory if !ignored || self.tracks_below(path) => {
                self.directory(path, ignored, depth + 1)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Files and directories with their names; nothing else has a kind.
    fn names_in(&mut self, dir: &str) -> Result<Vec<(EcoString, Kind)>, Error> {
        let fail = |error: std::io::Error| io_error(dir, &error);
        let mut names = Vec::new();
        for entry in fs::read_dir(self.root.join(dir)).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let kind = match entry.file_type().map_err(fail)? {
                kind if kind.is_dir() => Kind::Directory,
                kind if kind.is_file() => Kind::File,
                _ => continue,
            };
            if let Some(name) = entry.file_name().to_str() {
                names.push((name.into(), kind));
            }
        }
        self.names += names.len();
        if self.names > MAX_NAMES {
            return Err(Error::Io(
                dir.into(),
                "more files than a repository has".into(),
            ));
        }
        Ok(names)
    }

    fn is_ignored(&self, path: &str, kind: Kind) -> bool {
        if self.rules.is_empty() {
            return false;
        }
        let rooted = rooted(path);
        for rules in self.rules.iter().rev() {
            let matched = rules.matched(&rooted, kind == Kind::Directory);
            if !matched.is_none() {
                return matched.is_ignore();
            }
        }
        false
    }

    fn tracks(&self, file: &str) -> bool {
        self.git.is_some_and(|git| git.tracked.contains(file))
    }

    fn tracks_below(&self, dir: &str) -> bool {
        self.git.is_some_and(|git| git.tracked_dirs.contains(dir))
    }
}
