//! Reading what a kustomization file names: files below a directory, other
//! directories, remote addresses.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use ecow::{EcoString, eco_format};
use vfs::Kind;
use yaml::{FileId, Node};

use crate::documents::Documents;
use crate::error::{Cause, Error};
use crate::git_url::{self, GitUrl};
use crate::kustomization::Item;
use crate::options::{LoadRestrictions, Options, RemoteUse};
use crate::syntax;

/// The directory of one kustomization file, as the root of what it names.
#[derive(Clone)]
pub(crate) struct Loader<'a> {
    place: Rc<Place<'a>>,
    options: &'a Options,
    remotes: Rc<RefCell<Vec<RemoteUse>>>,
}

struct Place<'a> {
    documents: Source<'a>,
    /// Canonical path of the directory in its tree.
    root: EcoString,
    /// The address as written, when the tree was fetched for this place.
    fetched: Option<EcoString>,
    /// Whether the tree is a fetched one: it may not be left.
    remote: bool,
    referrer: Option<Rc<Place<'a>>>,
}

#[derive(Clone)]
enum Source<'a> {
    Given(&'a Documents),
    Fetched(Arc<Documents>),
}

impl Source<'_> {
    fn get(&self) -> &Documents {
        match self {
            Source::Given(documents) => documents,
            Source::Fetched(documents) => documents,
        }
    }
}

/// A file that was found.
pub(crate) enum Found<'a> {
    /// In a tree, at a canonical path.
    File(&'a Documents, EcoString),
    /// Fetched by HTTP.
    Fetched(Arc<[u8]>),
}

/// Names a directory or file the way messages do.
pub(crate) fn display(path: &str) -> EcoString {
    eco_format!("/{path}")
}

impl<'a> Loader<'a> {
    /// A loader at a directory of a tree. Fails when there is none.
    pub fn new(documents: &'a Documents, dir: &str, options: &'a Options) -> Result<Self, Error> {
        let root = vfs::normalize(dir).map_err(|e| not_a_directory(Error::new(e.to_string())))?;
        confirm_directory(documents, &root, dir)?;
        Ok(Loader {
            place: Rc::new(Place {
                documents: Source::Given(documents),
                root,
                fetched: None,
                remote: false,
                referrer: None,
            }),
            options,
            remotes: Rc::default(),
        })
    }

    /// The directory, as messages have it.
    pub fn root(&self) -> EcoString {
        display(&self.place.root)
    }

    /// The documents it reads from.
    pub fn documents(&self) -> &Documents {
        self.place.documents.get()
    }

    /// The addresses met so far.
    pub fn take_remotes(&self) -> Vec<RemoteUse> {
        self.remotes.take()
    }

    /// A loader at a directory that a kustomization file names, or at the root
    /// of a remote one. Fails on what is no directory, on a directory that is
    /// being built already, and on what cannot be fetched.
    pub fn enter(&self, item: &Item) -> Result<Self, Error> {
        let path = item.text.as_str();
        if path.is_empty() {
            return Err(Error::new("new root cannot be empty"));
        }
        if let Some(url) = GitUrl::parse(path) {
            self.refuse_remote_cycle(path)?;
            return self.enter_remote(item, &url);
        }
        if path.starts_with('/') {
            return Err(Error::new(eco_format!(
                "new root '{path}' cannot be absolute"
            )));
        }
        let root = self.join(path).map_err(|_| {
            let outside = eco_format!("'{path}' leads out of the tree");
            not_a_directory(Error::new(outside))
        })?;
        confirm_directory(self.documents(), &root, &display(&root))?;
        self.refuse_cycle(&root)?;
        Ok(self.at(Place {
            documents: self.place.documents.clone(),
            root,
            fetched: None,
            remote: self.place.remote,
            referrer: Some(self.place.clone()),
        }))
    }

    /// A path seen from the directory. Where the tree is a whole file system its
    /// root is its own parent.
    fn join(&self, path: &str) -> Result<EcoString, vfs::Error> {
        let joined = vfs::join(&self.place.root, path);
        if joined.is_ok() || !self.options.absolute_paths || self.place.remote {
            return joined;
        }
        let base = if path.starts_with('/') {
            ""
        } else {
            self.place.root.as_str()
        };
        let mut parts: Vec<&str> = Vec::new();
        for part in base.split('/').chain(path.split('/')) {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        Ok(parts.join("/").into())
    }

    fn at(&self, place: Place<'a>) -> Self {
        Loader {
            place: Rc::new(place),
            options: self.options,
            remotes: self.remotes.clone(),
        }
    }

    fn enter_remote(&self, item: &Item, url: &GitUrl) -> Result<Self, Error> {
        let clone_url = url.clone_url();
        let fetched = self
            .options
            .remote
            .as_deref()
            .and_then(|remote| self.documents().remote(remote, &clone_url, &url.reference));
        self.note_remote(item, url.is_pinned(), fetched.is_some());
        let Some(documents) = fetched else {
            return Err(unavailable(item));
        };
        let root =
            vfs::normalize(&url.path).map_err(|e| not_a_directory(Error::new(e.to_string())))?;
        if documents.probe(&root) != Some(Kind::Directory) {
            let problem = eco_format!(
                "'{}' refers to no directory of {clone_url}; expecting directory",
                url.path
            );
            return Err(Error::new(problem).at(item.span));
        }
        Ok(self.at(Place {
            documents: Source::Fetched(documents),
            root,
            fetched: Some(item.text.clone()),
            remote: true,
            referrer: Some(self.place.clone()),
        }))
    }

    fn note_remote(&self, item: &Item, pinned: bool, available: bool) {
        let mut remotes = self.remotes.borrow_mut();
        let known = remotes
            .iter_mut()
            .find(|known| known.url == item.text && known.span == Some(item.span));
        match known {
            Some(known) => known.available |= available,
            None => remotes.push(RemoteUse {
                url: item.text.clone(),
                span: Some(item.span).filter(|span| !span.is_none()),
                pinned,
                available,
            }),
        }
    }

    /// A directory may not name itself or what contains it, nor may any that
    /// led to it.
    fn refuse_cycle(&self, candidate: &str) -> Result<(), Error> {
        let mut place = Some(&self.place);
        while let Some(visited) = place {
            if std::ptr::eq(visited.documents.get(), self.documents())
                && contains(candidate, &visited.root)
            {
                return Err(Error::new(eco_format!(
                    "cycle detected: candidate root '{}' contains visited root '{}'",
                    display(candidate),
                    display(&visited.root)
                )));
            }
            place = visited.referrer.as_ref();
        }
        Ok(())
    }

    fn refuse_remote_cycle(&self, url: &str) -> Result<(), Error> {
        let mut place = Some(&self.place);
        while let Some(visited) = place {
            if let Some(fetched) = &visited.fetched
                && fetched.starts_with(url)
            {
                return Err(Error::new(eco_format!(
                    "cycle detected: URI '{url}' referenced by previous URI '{fetched}'"
                )));
            }
            place = visited.referrer.as_ref();
        }
        Ok(())
    }

    /// Whether what cannot be had is left out, not an error.
    pub fn leaves_out(&self) -> bool {
        self.options.leave_out_unavailable
    }

    /// Finds the file an entry names. Fails on what is missing, restricted or
    /// cannot be fetched.
    pub fn find(&self, item: &Item) -> Result<Found<'_>, Error> {
        if git_url::is_http(&item.text) {
            let file = self
                .options
                .remote
                .as_deref()
                .and_then(|remote| remote.file(&item.text));
            self.note_remote(item, git_url::is_pinned_http(&item.text), file.is_some());
            return file.map(Found::Fetched).ok_or_else(|| unavailable(item));
        }
        let path = self.resolve(&item.text)?;
        Ok(Found::File(self.documents(), path))
    }

    /// The canonical path of a file below, or beside, the directory.
    fn resolve(&self, path: &str) -> Result<EcoString, Error> {
        let absolute = path.starts_with('/');
        if absolute && !self.options.absolute_paths {
            return Err(Error::new(eco_format!(
                "'{path}' is absolute: outside of the tree"
            )));
        }
        let file = self.join(path).map_err(|_| {
            Error::new(eco_format!(
                "security; file '{path}' is not in or below '{}'",
                self.root()
            ))
        })?;
        // What was fetched is restricted whatever the options say.
        let restricted =
            self.place.remote || self.options.load_restrictions == LoadRestrictions::RootOnly;
        match self.documents().probe(&file) {
            None => Err(missing(&file)),
            Some(Kind::Directory) if restricted => Err(Error::new(eco_format!(
                "'{}' must resolve to a file",
                display(&file)
            ))),
            Some(Kind::Directory) => Err(Error::new(eco_format!(
                "read {}: is a directory",
                display(&file)
            ))),
            Some(Kind::File) if restricted && !self.is_below_root(&file) => {
                Err(Error::new(eco_format!(
                    "security; file '{}' is not in or below '{}'",
                    display(&file),
                    self.root()
                )))
            }
            Some(Kind::File) => Ok(file),
        }
    }

    /// Whether a file stands below the root, once links are followed: a link
    /// must not lead around the restriction.
    fn is_below_root(&self, file: &str) -> bool {
        let tree = self.documents().tree();
        contains(&tree.real(&self.place.root), &tree.real(file))
    }

    /// The bytes of a file that an entry names.
    pub fn bytes(&self, item: &Item) -> Result<Arc<[u8]>, Error> {
        match self.find(item)? {
            Found::File(documents, path) => documents
                .bytes(&path)
                .map_err(|e| Error::new(e.to_string())),
            Found::Fetched(bytes) => Ok(bytes),
        }
    }

    /// The text of a file that an entry names, and its id in the sources.
    pub fn text(&self, item: &Item) -> Result<(FileId, Arc<str>), Error> {
        match self.find(item)? {
            Found::File(documents, path) => documents.text(&path),
            Found::Fetched(bytes) => {
                let text: Arc<str> = std::str::from_utf8(&bytes)
                    .map_err(|_| {
                        Error::new("MalformedYAMLError: yaml: invalid UTF-8").of(Cause::Malformed)
                    })?
                    .into();
                let id = self
                    .documents()
                    .sources()
                    .add(item.text.clone(), text.clone());
                Ok((id, text))
            }
        }
    }

    /// The Kubernetes objects of a file that an entry names. Malformed YAML is
    /// reported with the name of the file.
    pub fn objects(&self, item: &Item) -> Result<Arc<[Node]>, Error> {
        let objects = match self.find(item)? {
            Found::File(documents, path) => documents.objects(&path),
            Found::Fetched(_) => self
                .text(item)
                .and_then(|(id, text)| syntax::objects(&text, id).map(Arc::from)),
        };
        objects.map_err(|mut error| {
            if is_malformed(&error) {
                error.message = eco_format!("{} in File: {}", error.message, item.text);
            }
            error
        })
    }

    /// The Kubernetes objects written inside of a kustomization file.
    pub fn inline_objects(&self, item: &Item) -> Result<Arc<[Node]>, Error> {
        self.documents().inline_objects(&item.text, item.span)
    }

    /// The canonical path of a name in the directory, if a file stands there.
    pub fn probe(&self, name: &str) -> Option<EcoString> {
        let path = self.join(name).ok()?;
        (self.documents().probe(&path) == Some(Kind::File)).then_some(path)
    }
}

/// Whether reading failed because of the YAML syntax.
pub(crate) fn is_malformed(error: &Error) -> bool {
    error.cause == Cause::Malformed
}

/// Whether directory `dir` is, or contains, `path`.
fn contains(dir: &str, path: &str) -> bool {
    dir.is_empty()
        || path
            .strip_prefix(dir)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn confirm_directory(documents: &Documents, root: &str, shown: &str) -> Result<(), Error> {
    match documents.probe(root) {
        Some(Kind::Directory) => Ok(()),
        Some(Kind::File) => Err(Error::new(eco_format!("'{shown}': file is not directory"))
            .during("must build at directory")
            .of(Cause::Missing)),
        None => Err(not_a_directory(Error::new(eco_format!(
            "'{shown}' doesn't exist"
        )))),
    }
}

fn not_a_directory(error: Error) -> Error {
    error
        .during("not a valid directory")
        .during("must build at directory")
        .of(Cause::Missing)
}

fn missing(path: &str) -> Error {
    Error::new(eco_format!("'{}' doesn't exist", display(path))).of(Cause::Missing)
}

fn unavailable(item: &Item) -> Error {
    let mut error = Error::new(eco_format!(
        "remote '{}' is not available without the network",
        item.text
    ))
    .at(item.span);
    error.remote = Some(item.text.clone());
    error
}
