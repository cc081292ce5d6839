//! A tree whose files are read and parsed once.

use std::collections::hash_map::Entry;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

use ecow::EcoString;
use rustc_hash::{FxBuildHasher, FxHashMap};
use vfs::{Kind, Tree};
use yaml::{FileId, Node, Origin, Sources, Span};

use crate::error::{Cause, Error};
use crate::kustomization::Kustomization;
use crate::options::Remote;
use crate::syntax;

/// Locks are held only to look a file up, never while it is read or parsed;
/// sixteen of them keep parallel builds from meeting.
const SHARDS: usize = 16;

type Shard<K, V> = Mutex<FxHashMap<K, Arc<V>>>;

/// A file tree together with the texts and documents read from it. Many builds
/// share one, in parallel; each file is read and parsed once.
pub struct Documents {
    tree: Tree,
    sources: Arc<Sources>,
    /// Stands before the names of files in `sources`.
    prefix: EcoString,
    files: [Shard<EcoString, File>; SHARDS],
    inline: [Shard<(Span, EcoString), Inline>; SHARDS],
    remotes: Shard<(EcoString, EcoString), RemoteTree>,
}

/// One file, as far as it was asked for.
struct File {
    path: EcoString,
    kind: OnceLock<Option<Kind>>,
    bytes: OnceLock<Result<Arc<[u8]>, vfs::Error>>,
    text: OnceLock<Result<(FileId, Arc<str>), Error>>,
    objects: OnceLock<Result<Arc<[Node]>, Error>>,
    kustomization: OnceLock<Result<Arc<Kustomization>, Error>>,
}

/// Objects written inside of a scalar. Where variables were put in, one place in a
/// file stands for many texts.
#[derive(Default)]
struct Inline {
    text: OnceLock<FileId>,
    objects: OnceLock<Result<Arc<[Node]>, Error>>,
}

type RemoteTree = OnceLock<Option<Arc<Documents>>>;

impl Documents {
    /// Documents of `tree`; their spans point into `sources`.
    pub fn new(tree: Tree, sources: Arc<Sources>) -> Self {
        Documents::with_prefix(tree, sources, "")
    }

    /// The same, with `prefix` before each file's name in `sources`.
    pub fn with_prefix(tree: Tree, sources: Arc<Sources>, prefix: &str) -> Self {
        Documents {
            tree,
            sources,
            prefix: prefix.into(),
            files: Default::default(),
            inline: Default::default(),
            remotes: Mutex::default(),
        }
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The texts.
    pub fn sources(&self) -> &Arc<Sources> {
        &self.sources
    }

    /// What stands at a canonical path.
    pub fn probe(&self, path: &str) -> Option<Kind> {
        *self.file(path).kind.get_or_init(|| self.tree.probe(path))
    }

    /// The bytes of a file. `path` is canonical (see [`vfs::normalize`]).
    pub fn bytes(&self, path: &str) -> Result<Arc<[u8]>, vfs::Error> {
        self.file(path).bytes(self)
    }

    /// The text of a file and its id in the sources. Fails on what is not
    /// UTF-8.
    pub fn text(&self, path: &str) -> Result<(FileId, Arc<str>), Error> {
        self.file(path).text(self)
    }

    /// The Kubernetes objects of a file: several documents, lists flattened,
    /// anchors and merge keys expanded. Fails on malformed YAML and on what has
    /// no kind or name.
    pub fn objects(&self, path: &str) -> Result<Arc<[Node]>, Error> {
        let file = self.file(path);
        let parse = || {
            let (id, text) = file.text(self)?;
            syntax::objects(&text, id).map(Arc::from)
        };
        file.objects.get_or_init(parse).clone()
    }

    /// The kustomization in a file. Fails as [`Kustomization::decode`] does.
    pub fn kustomization(&self, path: &str) -> Result<Arc<Kustomization>, Error> {
        let file = self.file(path);
        let parse = || {
            let (id, text) = file.text(self)?;
            let node = syntax::json(&text, id)
                .map_err(|e| e.during("invalid Kustomization").of(Cause::Kustomization))?;
            Kustomization::decode(&node).map(Arc::new)
        };
        file.kustomization.get_or_init(parse).clone()
    }

    /// The id, in the sources, of a text written inside of a scalar at `span`.
    pub fn inline_text(&self, text: &EcoString, span: Span) -> FileId {
        if span.is_none() {
            return FileId::NONE;
        }
        let key = (span, text.clone());
        let inline = look_up(shard(&self.inline, &key), &key, Inline::default);
        inline.id(self, text, span)
    }

    /// The Kubernetes objects in a text written inside of a scalar at `span`.
    pub fn inline_objects(&self, text: &EcoString, span: Span) -> Result<Arc<[Node]>, Error> {
        if span.is_none() {
            return syntax::objects(text, FileId::NONE).map(Arc::from);
        }
        let key = (span, text.clone());
        let inline = look_up(shard(&self.inline, &key), &key, Inline::default);
        let parse = || syntax::objects(text, inline.id(self, text, span)).map(Arc::from);
        inline.objects.get_or_init(parse).clone()
    }

    /// Documents of a remote repository, if it can be had.
    pub(crate) fn remote(
        &self,
        remote: &dyn Remote,
        url: &EcoString,
        reference: &EcoString,
    ) -> Option<Arc<Documents>> {
        let key = (url.clone(), reference.clone());
        let entry = look_up(&self.remotes, &key, RemoteTree::default);
        let fetch = || {
            let tree = remote.repository(url, reference)?;
            let prefix = ecow::eco_format!("{url}@{reference}/");
            let documents = Documents::with_prefix(tree, self.sources.clone(), &prefix);
            Some(Arc::new(documents))
        };
        entry.get_or_init(fetch).clone()
    }

    fn file(&self, path: &str) -> Arc<File> {
        let path = EcoString::from(path);
        look_up(shard(&self.files, &path), &path, || File::new(path.clone()))
    }
}

impl File {
    fn new(path: EcoString) -> Self {
        File {
            path,
            kind: OnceLock::new(),
            bytes: OnceLock::new(),
            text: OnceLock::new(),
            objects: OnceLock::new(),
            kustomization: OnceLock::new(),
        }
    }

    fn bytes(&self, documents: &Documents) -> Result<Arc<[u8]>, vfs::Error> {
        self.bytes
            .get_or_init(|| documents.tree.read(&self.path))
            .clone()
    }

    fn text(&self, documents: &Documents) -> Result<(FileId, Arc<str>), Error> {
        let load = || {
            let bytes = self
                .bytes(documents)
                .map_err(|e| Error::new(e.to_string()))?;
            let text = std::str::from_utf8(&bytes).map_err(|_| {
                Error::new("MalformedYAMLError: yaml: invalid UTF-8").of(Cause::Malformed)
            })?;
            let text: Arc<str> = text.into();
            let name =
                ecow::eco_format!("{}{}", documents.prefix, documents.tree.origin(&self.path));
            let id = documents.sources.add(name, text.clone());
            Ok((id, text))
        };
        self.text.get_or_init(load).clone()
    }
}

impl Inline {
    fn id(&self, documents: &Documents, text: &str, span: Span) -> FileId {
        *self.text.get_or_init(|| {
            let name = documents
                .sources
                .get(span.file)
                .map(|file| file.name.clone())
                .unwrap_or_default();
            documents
                .sources
                .add_virtual(name, text, Origin::Block(span))
        })
    }
}

fn shard<'a, K: std::hash::Hash, V>(shards: &'a [Shard<K, V>; SHARDS], key: &K) -> &'a Shard<K, V> {
    // The high bits: the map below uses the low ones.
    let hash = FxBuildHasher.hash_one(key);
    let [first, ..] = shards;
    shards.get((hash >> 60) as usize).unwrap_or(first)
}

fn look_up<K: Clone + Eq + std::hash::Hash, V>(
    shard: &Shard<K, V>,
    key: &K,
    new: impl FnOnce() -> V,
) -> Arc<V> {
    match lock(shard).entry(key.clone()) {
        Entry::Occupied(entry) => entry.get().clone(),
        Entry::Vacant(entry) => entry.insert(Arc::new(new())).clone(),
    }
}

/// A panic elsewhere cannot leave the map half changed, so a poisoned lock is
/// as good as any.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    match mutex.lock() {
        Ok(guard) => guard,
        Err(poisoned) => poisoned.into_inner(),
    }
}
