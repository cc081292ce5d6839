//! Git repositories, fetched by the machine's own `git`.
//!
//! The program brings what people have set up for it: credential helpers,
//! `insteadOf`, `.netrc`, proxies, SSH. It is asked for the names of a
//! repository once a run, and for one commit without its history. What is kept
//! is the commit's files, so a second repository never lies in the cache.

mod failure;
mod program;
mod refs;

use std::io;
use std::path::Path;

use ecow::{EcoString, eco_format};
use flate2::Compression;
use flate2::write::GzEncoder;
use vfs::{ArchiveLimits, GitRepository, Kind, Tree, unpack_tar_gz};

use crate::cache::{Facts, key};
use crate::fetch::{Fetched, Sources, Wanted};
use crate::phases::Phase;
use crate::{Error, nearest};
use program::Git;
use refs::{Refs, is_commit};

/// Bytes of one file; larger ones are no manifests and are left out.
const MAX_FILE: u64 = 64 << 20;
/// Bytes of all files.
const MAX_TREE: u64 = 512 << 20;
/// Files.
const MAX_FILES: usize = 100_000;

/// Chooses one of several tags by a range.
pub type Choose<'a> = &'a dyn Fn(&[EcoString], &str) -> Option<EcoString>;

impl Sources {
    /// The files of a Git repository at a reference: a full name
    /// (`refs/heads/main`), a commit, a range of tags (`semver:1.x`, by
    /// `choose`), a tag or branch by its short name, or nothing for what the
    /// repository itself takes for its main branch. Symbolic links and
    /// submodules are left out.
    pub fn git(&self, address: &str, reference: &str, choose: Choose<'_>) -> Result<Tree, Error> {
        let git = Git::new(self, address)?;
        let commit = self.commit_of(&git, reference, choose)?;
        let wanted = Wanted {
            key: key("git-tree", &[&git.shown, &commit]),
            what: eco_format!("{} at {commit}", git.shown),
            moves: false,
        };
        let (bytes, _) = self.content(&wanted, || self.fetch_tree(&git, &commit))?;
        let unpack = || unpack_tar_gz(&bytes, ArchiveLimits::default());
        let files = self.phases.time(Phase::Unpack, unpack);
        let files = files.map_err(|error| Error::answer(&git.shown, error))?;
        Ok(Tree::new(files))
    }

    /// The commit that a reference of a repository stands for.
    pub fn git_commit(
        &self,
        address: &str,
        reference: &str,
        choose: Choose<'_>,
    ) -> Result<EcoString, Error> {
        self.commit_of(&Git::new(self, address)?, reference, choose)
    }

    fn commit_of(
        &self,
        git: &Git<'_>,
        reference: &str,
        choose: Choose<'_>,
    ) -> Result<EcoString, Error> {
        if is_commit(reference) {
            return Ok(reference.to_ascii_lowercase().into());
        }
        let wanted = Wanted {
            key: key("git-refs", &[&git.shown]),
            what: eco_format!("the branches and tags of {}", git.shown),
            moves: true,
        };
        let (bytes, _) = self.content(&wanted, || {
            Ok(Fetched {
                bytes: git.list()?,
                facts: Facts::new(),
            })
        })?;
        let refs = Refs::read(&String::from_utf8_lossy(&bytes));
        if let Some(range) = reference.strip_prefix("semver:") {
            let tags = refs.short("refs/tags/");
            let found = choose(&tags, range).and_then(|tag| refs.tag(&tag));
            return found.ok_or_else(|| Error::ReferenceMissing {
                what: eco_format!("tag that satisfies {range}"),
                at: git.shown.clone(),
                nearest: nearest(tags.iter().map(EcoString::as_str), range),
            });
        }
        refs.commit(reference)
            .ok_or_else(|| no_reference(git, &refs, reference))
    }

    fn fetch_tree(&self, git: &Git<'_>, commit: &str) -> Result<Fetched, Error> {
        let place = self.cache.workplace()?;
        git.fetch(place.path(), commit)?;
        let bytes = pack(place.path(), commit).map_err(|why| Error::answer(&git.shown, why))?;
        Ok(Fetched {
            bytes,
            facts: Facts::from([("commit".to_owned(), commit.to_owned())]),
        })
    }
}

fn no_reference(git: &Git<'_>, refs: &Refs, reference: &str) -> Error {
    let (kind, place, name) = match (
        reference.strip_prefix("refs/heads/"),
        reference.strip_prefix("refs/tags/"),
    ) {
        (Some(name), _) => ("branch", "refs/heads/", name),
        (_, Some(name)) => ("tag", "refs/tags/", name),
        _ if reference.starts_with("refs/") => ("reference", "refs/", reference),
        _ => ("branch or tag", "refs/", reference),
    };
    let known = match place {
        "refs/" => [refs.short("refs/heads/"), refs.short("refs/tags/")].concat(),
        place => refs.short(place),
    };
    Error::ReferenceMissing {
        what: match name {
            "" => "branch at all".into(),
            name => eco_format!("{kind} {name}"),
        },
        at: git.shown.clone(),
        nearest: nearest(known.iter().map(EcoString::as_str), name),
    }
}

/// A commit's files as a gzipped tar file.
fn pack(repository: &Path, commit: &str) -> Result<Vec<u8>, EcoString> {
    let failed = |error: &dyn std::fmt::Display| eco_format!("{error}");
    let repository = GitRepository::open(repository).map_err(|error| failed(&error))?;
    let commit = repository.commit(commit).map_err(|error| failed(&error))?;
    let tree = Tree::new(commit.with_max_file(MAX_FILE));
    let mut files: Vec<EcoString> = Vec::new();
    tree.walk("", &mut |path, kind| {
        if kind == Kind::File {
            files.push(path.into());
        }
        files.len() <= MAX_FILES
    })
    .map_err(|error| failed(&error))?;
    if files.len() > MAX_FILES {
        return Err(eco_format!("it has more than {MAX_FILES} files"));
    }
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut total = 0;
    for path in &files {
        let bytes = match tree.read(path) {
            Ok(bytes) => bytes,
            Err(vfs::Error::TooLarge(..)) => continue,
            Err(error) => return Err(failed(&error)),
        };
        total += bytes.len() as u64;
        if total > MAX_TREE {
            return Err(eco_format!(
                "its files are larger than {} MiB",
                MAX_TREE >> 20
            ));
        }
        append(&mut archive, path, &bytes).map_err(|error| failed(&error))?;
    }
    let packed = archive.into_inner().and_then(GzEncoder::finish);
    packed.map_err(|error| failed(&error))
}

fn append(
    archive: &mut tar::Builder<GzEncoder<Vec<u8>>>,
    path: &str,
    bytes: &[u8],
) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes.len() as u64);
    header.set_mode(0o644);
    archive.append_data(&mut header, path, bytes)
}
