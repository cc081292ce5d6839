//! The trees a run reads, each opened once and shared by all entrypoints.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use ecow::{EcoString, eco_format};
use kustomize::Documents;
use model::SourceKey;
use rustc_hash::FxHashMap;
use vfs::{Backend, DirEntry, Error, Filtered, Kind, Subtree, Tree};
use yaml::Sources;

use crate::chart::{self, Loaded, NotLoaded, Wanted};
use crate::mirror::url::canonical_url;
use crate::mirror::{Asked, BucketAddress, Checkout, Mirror, absence};
use crate::source::definition::{Rules, Selection};
use crate::{Settings, SourceOverride, ignore};

/// Where a source's files come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    /// The repository itself.
    Repository,
    /// A directory of the repository.
    Part(EcoString),
    /// An entry of [`Settings::overrides`].
    Override(usize),
    /// A Git repository at a reference.
    Git(EcoString, EcoString),
    /// An OCI artifact at a tag.
    Oci(EcoString, EcoString),
    /// A Git repository with its submodules, at a reference.
    Submodules(EcoString, EcoString),
    /// The layer of a media type of an OCI artifact at a tag.
    Layer(EcoString, EcoString, EcoString),
    /// A bucket.
    Bucket(BucketAddress),
    /// An address that no mirror can hold.
    Nowhere(EcoString),
}

type Opened = Result<Arc<Documents>, Unopened>;

/// Why there are no files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unopened {
    pub reason: EcoString,
    /// Nobody gets them there: the place was reached and has no such thing.
    pub certain: bool,
}

impl From<EcoString> for Unopened {
    fn from(reason: EcoString) -> Self {
        let certain = false;
        Unopened { reason, certain }
    }
}

/// Artifacts by what they are made of; each is opened outside of the lock.
type Artifacts = FxHashMap<(Origin, Selection), Arc<OnceLock<Opened>>>;

/// A chart, or why there is none.
pub(crate) type Chart = Result<Arc<Loaded>, NotLoaded>;

/// Charts by what releases ask for; each is loaded outside of the lock.
type Charts = FxHashMap<Wanted, Arc<OnceLock<Chart>>>;

/// What all worlds of a run share.
pub(crate) struct Workspace<'a> {
    pub settings: &'a Settings,
    pub texts: Arc<Sources>,
    repository: Tree,
    opened: Mutex<Artifacts>,
    charts: Mutex<Charts>,
    stand_ins: Mutex<FxHashMap<usize, Arc<Documents>>>,
}

impl<'a> Workspace<'a> {
    pub fn new(repository: Tree, texts: Arc<Sources>, settings: &'a Settings) -> Self {
        Workspace {
            settings,
            texts,
            repository,
            opened: Mutex::default(),
            charts: Mutex::default(),
            stand_ins: Mutex::default(),
        }
    }

    /// Gives back what the walks have read while others go on with what they
    /// found: it is much.
    pub fn give_back(self) {
        let Workspace {
            opened,
            charts,
            stand_ins,
            ..
        } = self;
        rayon::spawn(move || drop((opened, charts, stand_ins)));
    }

    /// The repository as an artifact without `spec.ignore`.
    pub fn repository(&self) -> Opened {
        self.documents(Origin::Repository, &Selection::default())
    }

    /// Whether the repository itself has a directory, ignored or not.
    pub fn has_directory(&self, path: &str) -> bool {
        self.repository.probe(path) == Some(Kind::Directory)
    }

    /// A file of the repository itself, ignored or not.
    pub fn repository_file(&self, path: &str) -> Option<Arc<[u8]>> {
        self.repository.read(path).ok()
    }

    /// The artifact that a selection leaves of a source's files, opened once.
    pub fn documents(&self, origin: Origin, selection: &Selection) -> Opened {
        let slot = {
            lock(&self.opened)
                .entry((origin.clone(), selection.clone()))
                .or_default()
                .clone()
        };
        slot.get_or_init(|| {
            let tree = select(&self.tree(&origin)?, selection)?;
            Ok(self.open(tree))
        })
        .clone()
    }

    /// Documents of a tree.
    pub fn open(&self, tree: Tree) -> Arc<Documents> {
        Arc::new(Documents::new(tree, self.texts.clone()))
    }

    fn tree(&self, origin: &Origin) -> Result<Tree, Unopened> {
        match origin {
            Origin::Repository => Ok(self.repository.clone()),
            Origin::Part(directory) => {
                let part = Subtree::new(self.repository.clone(), directory);
                part.map(Tree::new)
                    .map_err(|error| eco_format!("{error}").into())
            }
            Origin::Override(index) => match self.settings.overrides.get(*index) {
                Some(found) => Ok(found.tree.clone()),
                None => Err(EcoString::from("the override is gone").into()),
            },
            Origin::Git(url, reference) => {
                self.held((url, reference), &Asked::Git(url, reference), |mirror| {
                    mirror.git(url, reference)
                })
            }
            Origin::Submodules(url, reference) => self.held(
                (url, reference),
                &Asked::Checkout(url, reference, Checkout::Submodules),
                |mirror| mirror.checkout(url, reference, Checkout::Submodules),
            ),
            Origin::Oci(url, tag) => self.held((url, tag), &Asked::Oci(url, tag), |mirror| {
                mirror.oci(url, tag)
            }),
            Origin::Layer(url, tag, kind) => {
                self.held((url, tag), &Asked::Layer(url, tag, kind), |mirror| {
                    mirror.oci_layer(url, tag, kind)
                })
            }
            Origin::Bucket(bucket) => self.held(
                (&bucket.address(), &bucket.prefix),
                &Asked::Bucket(bucket),
                |mirror| mirror.bucket(bucket),
            ),
            Origin::Nowhere(url) => Err(unavailable(url, "").into()),
        }
    }

    /// What the first mirror holds of something at an address and reference.
    fn held(
        &self,
        (url, reference): (&str, &str),
        asked: &Asked<'_>,
        look: impl Fn(&dyn Mirror) -> Option<Tree>,
    ) -> Result<Tree, Unopened> {
        let mut mirrors = self.settings.mirrors.iter();
        mirrors
            .find_map(|mirror| look(mirror.as_ref()))
            .map(|tree| Labelled::tree(tree, url, reference))
            .ok_or_else(|| self.absent(asked, url, reference))
    }

    /// Why no mirror has the content of a source.
    fn absent(&self, asked: &Asked<'_>, url: &str, reference: &str) -> Unopened {
        match absence(&self.settings.mirrors, asked) {
            Some(absence) => Unopened {
                certain: absence.is_certain(),
                reason: absence.reason,
            },
            None => unavailable(url, reference).into(),
        }
    }

    /// A chart, loaded once.
    pub fn chart(&self, wanted: &Wanted) -> Chart {
        let slot = lock(&self.charts)
            .entry(wanted.clone())
            .or_default()
            .clone();
        slot.get_or_init(|| chart::load(self.settings, wanted).map(Arc::new))
            .clone()
    }

    /// The files that stand for a source, all of them.
    pub fn stand_in(&self, index: usize, held: &SourceOverride) -> Arc<Documents> {
        let mut known = lock(&self.stand_ins);
        known
            .entry(index)
            .or_insert_with(|| self.open(held.tree.clone()))
            .clone()
    }

    /// The override that stands for a source.
    pub fn override_of(&self, key: &SourceKey) -> Option<usize> {
        self.settings.overrides.iter().position(|entry| {
            let source = &entry.source;
            source.kind == key.kind
                && source.name == key.name
                && (source.namespace.is_empty() || source.namespace == key.namespace)
        })
    }

    /// Whether a source was said to deliver this repository.
    pub fn is_repo_source(&self, key: &SourceKey, url: Option<&str>) -> bool {
        self.settings.repo_source.iter().any(|source| match source {
            config::RepoSource::Url(asked) => {
                url.is_some_and(|url| canonical_url(asked) == canonical_url(url))
            }
            named => named.matches(&key.kind, &key.namespace, &key.name, url),
        })
    }

    /// Whether an address is this repository's.
    pub fn is_repo_url(&self, url: &str) -> bool {
        let url = canonical_url(url);
        self.settings
            .repo_urls
            .iter()
            .any(|known| canonical_url(known) == url)
    }
}

/// A panic elsewhere cannot leave a map half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    match mutex.lock() {
        Ok(guard) => guard,
        Err(poisoned) => poisoned.into_inner(),
    }
}

fn unavailable(url: &str, reference: &str) -> EcoString {
    match reference {
        "" => eco_format!("{url} is not available offline"),
        reference => eco_format!("{url} at {reference} is not available offline"),
    }
}

/// The artifact a source makes of a tree.
fn select(tree: &Tree, selection: &Selection) -> Result<Tree, EcoString> {
    let failed = |error: vfs::Error| eco_format!("{error}");
    let tree = match selection.sparse.as_slice() {
        [] => tree.clone(),
        dirs => {
            // As the controller's Git library does it: a file stays when its
            // directory's path begins with a listed text.
            let keep = |path: &str, kind: Kind| {
                let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
                kind == Kind::File && dirs.iter().any(|kept| dir.starts_with(kept.as_str()))
            };
            Tree::new(Filtered::new(tree.clone(), keep).map_err(failed)?)
        }
    };
    ignored(&tree, selection)
}

/// What the ignore files of a tree and its source leave of it.
pub(crate) fn ignored(tree: &Tree, selection: &Selection) -> Result<Tree, EcoString> {
    let own = selection.ignore.as_deref();
    let left = match selection.rules {
        Rules::All => ignore::artifact(tree, own),
        Rules::Top => ignore::bucket(tree, own),
        Rules::None => return Ok(tree.clone()),
    };
    left.map_err(|error| eco_format!("{error}"))
}

/// A tree whose files people know by the address they come from.
struct Labelled {
    tree: Tree,
    label: EcoString,
}

impl Labelled {
    fn tree(tree: Tree, url: &str, reference: &str) -> Tree {
        let short = ["refs/heads/", "refs/tags/", "semver:"];
        let reference = short
            .iter()
            .find_map(|prefix| reference.strip_prefix(prefix))
            .unwrap_or(reference);
        Tree::new(Labelled {
            tree,
            label: eco_format!("{}@{reference}", canonical_url(url)),
        })
    }
}

impl Backend for Labelled {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, Error> {
        self.tree.read(path)
    }

    fn list(&self, path: &str) -> Result<Vec<DirEntry>, Error> {
        self.tree.list(path)
    }

    fn probe(&self, path: &str) -> Option<Kind> {
        self.tree.probe(path)
    }

    fn origin(&self, path: &str) -> EcoString {
        eco_format!("{}/{path}", self.label)
    }
}
