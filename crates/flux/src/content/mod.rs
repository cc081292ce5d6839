//! What a source object's content is here: this repository, paths of it, a
//! mirrored tree, or nothing.

mod chart;
mod parts;

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use kustomize::Documents;
use model::{Artifact, Problem, SourceKey};
use rustc_hash::FxHashMap;
use yaml::Span;

pub(crate) use chart::Resolved;
pub(crate) use parts::Composed;

use crate::artifact_generator::Output;
use crate::entrypoint::RootSource;
use crate::extract::Extract;
use crate::mirror::url::canonical_url;
use crate::mirror::{Asked, Checkout, expect};
use crate::placed::Placed;
use crate::source::definition::{Definition, Details, Selection};
use crate::source::introduction::introduce;
use crate::source::unsettled;
use crate::values::Values;
use crate::workspace::{Origin, Workspace};

/// Sources that are made of sources that are made of sources ….
const MAX_DEPTH: usize = 64;

/// The content of a source.
#[derive(Clone)]
pub(crate) enum Content {
    /// These files.
    Tree(Arc<Documents>, Artifact),
    /// Not available here, for this reason.
    Unavailable(EcoString),
    /// It does not exist where the source says it is.
    Absent(EcoString),
    /// Nothing defines the source.
    Missing,
}

/// Same files, or the same reason for none.
impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Content::Tree(a, _), Content::Tree(b, _)) => Arc::ptr_eq(a, b),
            (Content::Unavailable(a), Content::Unavailable(b))
            | (Content::Absent(a), Content::Absent(b)) => a == b,
            (Content::Missing, Content::Missing) => true,
            _ => false,
        }
    }
}

impl Content {
    /// How the model names it.
    pub fn artifact(&self) -> Artifact {
        match self {
            Content::Tree(_, artifact) => artifact.clone(),
            Content::Unavailable(reason) => Artifact::Unavailable(reason.clone()),
            Content::Absent(reason) => Artifact::Absent(reason.clone()),
            Content::Missing => Artifact::Unavailable("nothing defines it".into()),
        }
    }
}

/// All sources of a world.
pub(crate) struct SourceTable<'a> {
    pub workspace: &'a Workspace<'a>,
    pub root: &'a RootSource,
    /// Source objects by cluster and key.
    pub definitions: FxHashMap<Placed<SourceKey>, Definition>,
    /// Artifacts that generators make, by cluster and key.
    pub outputs: FxHashMap<Placed<SourceKey>, Output>,
    /// Trees made of other trees in earlier rounds: the same parts give the same
    /// tree again.
    pub composed: &'a mut Vec<Composed>,
    known: FxHashMap<Placed<SourceKey>, Content>,
}

impl<'a> SourceTable<'a> {
    pub fn new(
        workspace: &'a Workspace<'a>,
        root: &'a RootSource,
        composed: &'a mut Vec<Composed>,
    ) -> Self {
        SourceTable {
            workspace,
            root,
            definitions: FxHashMap::default(),
            outputs: FxHashMap::default(),
            composed,
            known: FxHashMap::default(),
        }
    }

    /// Adds the sources that a component applies to a cluster. Of several of one
    /// key the first counts.
    pub fn add(&mut self, cluster: &EcoString, extract: &Extract) {
        for definition in &extract.sources {
            let at = (cluster.clone(), definition.key.clone());
            self.definitions
                .entry(at)
                .or_insert_with(|| definition.clone());
        }
        for output in &extract.outputs {
            let at = (cluster.clone(), output.key.clone());
            self.outputs.entry(at).or_insert_with(|| output.clone());
        }
    }

    /// Tells those who may be asked for the content of sources how they are
    /// asked.
    pub fn introduce(&self, values: &Values<'_>) {
        let mirrors = &self.workspace.settings.mirrors;
        if mirrors.is_empty() {
            return;
        }
        for ((cluster, _), definition) in &self.definitions {
            introduce(mirrors, definition, |reference| {
                values.look_up(cluster, reference)
            });
        }
    }

    /// Tells those who may have to fetch it that a source's content will be
    /// asked for.
    pub fn expect(&self, cluster: &EcoString, key: &SourceKey) {
        let definition = self.definition(&(cluster.clone(), key.clone()));
        if self.is_repository(cluster, key, definition.as_ref())
            || self.workspace.override_of(key).is_some()
        {
            return;
        }
        let Some(definition) = definition else { return };
        let Some(url) = &definition.url else { return };
        let reference = reference(&definition);
        if unsettled([url, &reference]).is_some() {
            return;
        }
        let mirrors = &self.workspace.settings.mirrors;
        match &origin(&definition, url, &reference) {
            Origin::Git(url, reference) => expect(mirrors, &Asked::Git(url, reference)),
            Origin::Submodules(url, reference) => {
                let asked = Asked::Checkout(url, reference, Checkout::Submodules);
                expect(mirrors, &asked);
            }
            Origin::Oci(url, tag) => expect(mirrors, &Asked::Oci(url, tag)),
            Origin::Layer(url, tag, kind) => expect(mirrors, &Asked::Layer(url, tag, kind)),
            Origin::Bucket(bucket) => expect(mirrors, &Asked::Bucket(bucket)),
            _ => {}
        }
    }

    /// The content of a source as the Flux of a cluster sees it.
    pub fn content(&mut self, cluster: &EcoString, key: &SourceKey) -> Content {
        self.content_at(cluster, key, 0)
    }

    /// Whether anything says what a source is.
    pub fn is_known(&self, cluster: &EcoString, key: &SourceKey) -> bool {
        let placed = (cluster.clone(), key.clone());
        self.definitions.contains_key(&placed)
            || self.outputs.contains_key(&placed)
            || (cluster.is_empty() && *key == self.root.key)
            || self.workspace.override_of(key).is_some()
    }

    /// What a source is, without opening it when nothing asked for its content
    /// so far.
    pub fn artifact(&self, cluster: &EcoString, key: &SourceKey) -> Artifact {
        let placed = (cluster.clone(), key.clone());
        if let Some(content) = self.known.get(&placed) {
            return content.artifact();
        }
        let definition = self.definition(&placed);
        if self.is_repository(cluster, key, definition.as_ref()) {
            Artifact::Repository
        } else if self.outputs.contains_key(&placed) {
            Artifact::Generated
        } else {
            Artifact::Unavailable("no Kustomization reads it".into())
        }
    }

    /// Where a source's ignore rules are written, when they leave out a directory
    /// that this repository has; [`Span::NONE`] for rules of ignore files.
    pub fn ignores(&mut self, cluster: &EcoString, key: &SourceKey, path: &str) -> Option<Span> {
        let content = self.content(cluster, key);
        let definition = self.definition(&(cluster.clone(), key.clone()))?;
        let directory = self.held_directory(cluster, key, Some(&definition));
        let path = vfs::join(directory, path).ok()?;
        if content.artifact() != Artifact::Repository || !self.workspace.has_directory(&path) {
            return None;
        }
        let rules = definition.object.node.path(&["spec", "ignore"]);
        Some(rules.map_or(Span::NONE, |rules| rules.span))
    }

    fn content_at(&mut self, cluster: &EcoString, key: &SourceKey, depth: usize) -> Content {
        let placed = (cluster.clone(), key.clone());
        if let Some(known) = self.known.get(&placed) {
            return known.clone();
        }
        if depth > MAX_DEPTH {
            return Content::Unavailable("too many sources are made of one another".into());
        }
        // What asks for it again on the way is part of a loop.
        let looped = Content::Unavailable("it is made of itself".into());
        self.known.insert(placed.clone(), looped);
        let content = self.resolve(&placed, depth);
        self.known.insert(placed, content.clone());
        content
    }

    fn resolve(&mut self, placed: &Placed<SourceKey>, depth: usize) -> Content {
        let (cluster, key) = placed;
        let definition = self.definition(placed);
        let selection = definition
            .as_ref()
            .map(|d| d.selection.clone())
            .unwrap_or_default();
        if let Some(index) = self.workspace.override_of(key) {
            return self.tree(Origin::Override(index), &selection);
        }
        let content = match (&definition, self.outputs.get(placed)) {
            _ if self.is_repository(cluster, key, definition.as_ref()) => {
                let directory = self.held_directory(cluster, key, definition.as_ref());
                self.tree(repository_at(directory), &selection)
            }
            (_, Some(output)) => {
                let output = output.clone();
                return self.generated(cluster, &output, depth);
            }
            (Some(definition), None) => self.elsewhere(definition),
            (None, None) => return Content::Missing,
        };
        match definition {
            Some(definition) if !definition.includes.is_empty() => {
                self.with_includes(cluster, &definition, content, depth)
            }
            _ => content,
        }
    }

    /// Sources that deliver this repository with its submodules: a checkout of it
    /// holds none of their files.
    pub fn submodules_left_out(&self) -> Vec<Problem> {
        if self.workspace.repository_file(".gitmodules").is_none() {
            return Vec::new();
        }
        let mut found: Vec<(&Placed<SourceKey>, Span)> = self
            .definitions
            .iter()
            .filter(|((cluster, key), definition)| {
                definition.details == Details::Submodules
                    && self.is_repository(cluster, key, Some(definition))
            })
            .filter_map(|(placed, definition)| {
                let field = definition.object.node.path(&["spec", "recurseSubmodules"]);
                Some((placed, field?.span))
            })
            .collect();
        found.sort();
        let gap = |span| Problem::RenderGap {
            what: "files of Git submodules".into(),
            span,
        };
        found.into_iter().map(|(_, span)| gap(span)).collect()
    }

    pub fn definition(&self, placed: &Placed<SourceKey>) -> Option<Definition> {
        let (cluster, key) = placed;
        let of_root = || {
            let root = cluster.is_empty() && *key == self.root.key;
            self.root.definition.clone().filter(|_| root)
        };
        self.definitions.get(placed).cloned().or_else(of_root)
    }

    /// Whether a source delivers this repository: by being the bootstrap's, by
    /// being said to, or by having the address and revision of one that does.
    fn is_repository(
        &self,
        cluster: &str,
        key: &SourceKey,
        definition: Option<&Definition>,
    ) -> bool {
        if cluster.is_empty() && *key == self.root.key {
            return true;
        }
        let url = definition.and_then(|d| d.url.as_deref());
        if self.workspace.is_repo_source(key, url) {
            return true;
        }
        let (Some(definition), Some(url)) = (definition, url) else {
            return false;
        };
        if key.kind == "HelmRepository" {
            return false;
        }
        self.workspace.is_repo_url(url) || self.same_as_root(definition, url)
    }

    /// The directory of this repository that a source which delivers it holds: the
    /// root's, where it is the same artifact; else all.
    fn held_directory(
        &self,
        cluster: &str,
        key: &SourceKey,
        definition: Option<&Definition>,
    ) -> &str {
        let is_root = cluster.is_empty() && *key == self.root.key;
        let same = || {
            let definition = definition?;
            let url = definition.url.as_deref()?;
            Some(self.same_as_root(definition, url))
        };
        match is_root || same() == Some(true) {
            true => &self.root.directory,
            false => "",
        }
    }

    /// Whether a source has the root source's address and, where both say one,
    /// its revision.
    fn same_as_root(&self, definition: &Definition, url: &str) -> bool {
        let root = (EcoString::new(), self.root.key.clone());
        let Some(root) = self.definition(&root) else {
            return false;
        };
        let same_address = root.key.kind == definition.key.kind
            && root
                .url
                .is_some_and(|root| canonical_url(&root) == canonical_url(url));
        let same_revision = match (&root.reference, &definition.reference) {
            (Some(root), Some(other)) => root == other,
            _ => true,
        };
        same_address && same_revision
    }

    fn tree(&self, origin: Origin, selection: &Selection) -> Content {
        let artifact = match origin {
            Origin::Repository | Origin::Part(_) => Artifact::Repository,
            _ => Artifact::Mirror,
        };
        match self.workspace.documents(origin, selection) {
            Ok(documents) => Content::Tree(documents, artifact),
            Err(unopened) if unopened.certain => Content::Absent(unopened.reason),
            Err(unopened) => Content::Unavailable(unopened.reason),
        }
    }

    /// A source of something else than this repository.
    fn elsewhere(&self, definition: &Definition) -> Content {
        let kind = definition.key.kind.as_str();
        let Some(url) = &definition.url else {
            return Content::Unavailable(match kind {
                "HelmChart" => "it holds a chart".into(),
                "ExternalArtifact" => "no ArtifactGenerator of this repository makes it".into(),
                _ => "it has no address".into(),
            });
        };
        if kind == "Bucket" && definition.details == Details::None {
            return Content::Unavailable(
                "only buckets of the providers `generic` and `aws` are fetched".into(),
            );
        }
        let reference = reference(definition);
        if let Some(what) = unsettled([url, &reference]) {
            return Content::Unavailable(eco_format!("its address holds {what}"));
        }
        if kind == "HelmRepository" {
            return Content::Unavailable("it holds charts".into());
        }
        let origin = origin(definition, url, &reference);
        match self.tree(origin, &definition.selection) {
            Content::Unavailable(_) if self.is_other_revision(definition, url) => {
                Content::Unavailable(eco_format!(
                    "{reference} is another revision of this repository"
                ))
            }
            content => content,
        }
    }

    fn is_other_revision(&self, definition: &Definition, url: &str) -> bool {
        let without = Definition {
            reference: None,
            ..definition.clone()
        };
        self.same_as_root(&without, url)
    }
}

/// The repository, or a directory of it.
fn repository_at(directory: &str) -> Origin {
    match directory {
        "" => Origin::Repository,
        directory => Origin::Part(directory.into()),
    }
}

/// Where a source's files come from, when its content is elsewhere.
fn origin(definition: &Definition, url: &EcoString, reference: &EcoString) -> Origin {
    let (url, reference) = (url.clone(), reference.clone());
    match (definition.key.kind.as_str(), &definition.details) {
        ("GitRepository", Details::Submodules) => Origin::Submodules(url, reference),
        ("GitRepository", _) => Origin::Git(url, reference),
        ("OCIRepository", Details::Layer(kind)) => Origin::Layer(url, reference, kind.clone()),
        ("OCIRepository", _) => Origin::Oci(url, reference),
        (_, Details::Bucket(bucket)) => Origin::Bucket(bucket.clone()),
        _ => Origin::Nowhere(url),
    }
}

/// The revision a source asks for; a GitRepository that says none follows
/// `master`.
fn reference(definition: &Definition) -> EcoString {
    let default = match definition.key.kind.as_str() {
        "GitRepository" => "refs/heads/master",
        _ => "",
    };
    let asked = definition.reference.clone();
    asked.unwrap_or_else(|| default.into())
}
