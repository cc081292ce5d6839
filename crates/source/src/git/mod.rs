//! Git repositories, fetched by the machine's own `git`.
//!
//! The program brings what people have set up for it: credential helpers,
//! `insteadOf`, `.netrc`, proxies, SSH. It is asked for the names of a
//! repository once a run, and for one commit without its history. What is kept
//! is the commit's files, so a second repository never lies in the cache.

mod failure;
mod handed;
mod program;
mod refs;
mod settings;
mod ssh;
mod submodule;
mod tree;
mod watch;

use ecow::{EcoString, eco_format};
use vfs::{Kind, Mapped, Tree, unpack_tar_gz, unpack_with_links};

use crate::cache::{Facts, Record, key};
use crate::fetch::{Fetched, Lasts, Sources, Wanted};
use crate::list::{Dated, Edition};
use crate::phases::Phase;
use crate::{Error, nearest};
use program::Git;
use refs::{Refs, is_commit};

/// Submodules in submodules: as many as the controller's Git library follows.
const MAX_DEPTH: usize = 10;
/// Submodules of one repository, those in each other included.
const MAX_SUBMODULES: usize = 500;

/// Chooses one of several tags by a range.
pub type Choose<'a> = &'a dyn Fn(&[EcoString], &str) -> Option<EcoString>;

/// What belongs to the files of a commit besides its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Checkout {
    /// The files of its submodules, and of theirs.
    pub submodules: bool,
    /// What symbolic links inside of it lead to, under the links' names.
    /// Artifacts of Flux leave links out; a clone has them.
    pub links: bool,
}

impl Sources {
    /// The files of a Git repository at a reference: a full name
    /// (`refs/heads/main`), a commit, a range of tags (`semver:1.x`, by
    /// `choose`), a tag or branch by its short name, or nothing for what the
    /// repository itself takes for its main branch.
    pub fn git(
        &self,
        address: &str,
        reference: &str,
        checkout: Checkout,
        choose: Choose<'_>,
    ) -> Result<Tree, Error> {
        let tree = || {
            let git = Git::new(self, address)?;
            let commit = self.commit_of(&git, reference, choose)?;
            let mut left = MAX_SUBMODULES;
            self.checkout(&git, &commit, checkout, 0, &mut left)
        };
        tree().map_err(|error| self.explained(address, error))
    }

    fn checkout(
        &self,
        git: &Git<'_>,
        commit: &str,
        checkout: Checkout,
        depth: usize,
        left: &mut usize,
    ) -> Result<Tree, Error> {
        let what = eco_format!("{} at {commit}", git.shown);
        let files = key("git-files", &[&git.shown, commit]);
        let wanted = Wanted::new(files, what, Lasts::ForGood);
        let (bytes, record) = self.content(&wanted, || self.fetch_tree(git, commit))?;
        let unpack = || match checkout.links {
            true => unpack_with_links(&bytes, tree::LIMITS),
            false => unpack_tar_gz(&bytes, tree::LIMITS),
        };
        let files = self.phases.time(Phase::Unpack, unpack);
        let files = files.map_err(|error| Error::answer(&git.shown, error))?;
        let own = Tree::new(files);
        if !checkout.submodules {
            return Ok(own);
        }
        self.with_submodules(git, own, &record, checkout, depth, left)
    }

    /// A tree with the files of its submodules in their places.
    fn with_submodules(
        &self,
        git: &Git<'_>,
        own: Tree,
        record: &Record,
        checkout: Checkout,
        depth: usize,
        left: &mut usize,
    ) -> Result<Tree, Error> {
        let commits = tree::submodules(&record.facts);
        let listed = match commits.is_empty() {
            true => None,
            false => own.read(".gitmodules").ok(),
        };
        let Some(listed) = listed else { return Ok(own) };
        let named = submodule::read(&String::from_utf8_lossy(&listed));
        let mut all = Mapped::new();
        place(&own, "", &mut all).map_err(|error| Error::answer(&git.shown, error))?;
        for (path, commit) in &commits {
            let Some(named) = named.iter().find(|named| named.path == *path) else {
                continue;
            };
            if depth >= MAX_DEPTH || *left == 0 {
                let why = "it has too many submodules, or too many in each other";
                return Err(Error::answer(&git.shown, why));
            }
            *left -= 1;
            let address = submodule::address(&git.shown, &named.url);
            let inner = git.submodule(&self.instead.of(&address))?;
            let tree = self.checkout(&inner, commit, checkout, depth + 1, left)?;
            place(&tree, path, &mut all).map_err(|error| Error::answer(&inner.shown, error))?;
        }
        Ok(all.into_tree())
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
        let names = key("git-refs", &[&git.shown]);
        let find = |refs: &Refs| match reference.strip_prefix("semver:") {
            Some(range) => {
                let tag = choose(&refs.short("refs/tags/"), range)?;
                refs.tag(&tag)
            }
            None => refs.commit(reference),
        };
        let (found, refs) = self.search(&names, |edition| self.refs(git, &names, edition), find)?;
        found.ok_or_else(|| no_reference(git, &refs, reference))
    }

    /// The names of a repository.
    fn refs(&self, git: &Git<'_>, key: &EcoString, edition: Edition) -> Result<Dated<Refs>, Error> {
        let what = eco_format!("the branches and tags of {}", git.shown);
        let wanted = edition.wanted(key.clone(), what);
        let (bytes, record) = self.content(&wanted, || {
            Ok(Fetched {
                bytes: git.list()?,
                facts: Facts::new(),
            })
        })?;
        let refs = Refs::read(&String::from_utf8_lossy(&bytes));
        Ok((refs, record.fetched))
    }

    fn fetch_tree(&self, git: &Git<'_>, commit: &str) -> Result<Fetched, Error> {
        let place = self.cache.workplace()?;
        git.fetch(place.path(), commit)?;
        let packed = tree::pack(place.path(), commit);
        let (bytes, facts) = packed.map_err(|why| Error::answer(&git.shown, why))?;
        Ok(Fetched { bytes, facts })
    }
}

/// Puts all files of a tree below a path.
fn place(tree: &Tree, below: &str, all: &mut Mapped) -> Result<(), vfs::Error> {
    let mut files: Vec<EcoString> = Vec::new();
    tree.walk("", &mut |path, kind| {
        if kind == Kind::File {
            files.push(path.into());
        }
        true
    })?;
    for file in files {
        all.copy(tree, &file, &vfs::join(below, &file)?)?;
    }
    Ok(())
}

fn no_reference(git: &Git<'_>, refs: &Refs, reference: &str) -> Error {
    if let Some(range) = reference.strip_prefix("semver:") {
        let tags = refs.short("refs/tags/");
        return Error::ReferenceMissing {
            what: eco_format!("tag that satisfies {range}"),
            at: git.shown.clone(),
            nearest: nearest(tags.iter().map(EcoString::as_str), range),
        };
    }
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
