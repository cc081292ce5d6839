//! Which files builds take in, read off kustomization files: also those of
//! builds that fail half-way.

use std::sync::Arc;

use ecow::EcoString;
use kustomize::Documents;
use kustomize::kustomization::{Generator, Kustomization, ReplacementSource};
use memchr::memmem;
use rustc_hash::FxHashSet;
use vfs::Kind;
use yaml::Node;

use crate::generate::FILE_NAMES;
use crate::spec::{KUSTOMIZE_GROUP, text};

/// Directories one artifact may be made to name; more is a trick.
const MAX_DIRECTORIES: usize = 100_000;

/// The files of one artifact that builds take in.
pub(crate) struct Taken {
    documents: Arc<Documents>,
    directories: FxHashSet<EcoString>,
    files: FxHashSet<EcoString>,
}

impl Taken {
    /// None yet.
    pub fn new(documents: Arc<Documents>) -> Self {
        Taken {
            documents,
            directories: FxHashSet::default(),
            files: FxHashSet::default(),
        }
    }

    /// Whether these are the files of an artifact.
    pub fn is_of(&self, documents: &Arc<Documents>) -> bool {
        Arc::ptr_eq(&self.documents, documents)
    }

    /// Whether the artifact has a file.
    pub fn holds(&self, path: &str) -> bool {
        self.documents.probe(path) == Some(Kind::File)
    }

    /// The files, by the paths people know them by.
    pub fn origins(&self) -> impl Iterator<Item = EcoString> {
        let tree = self.documents.tree();
        self.files.iter().map(|path| tree.origin(path))
    }

    /// Adds what the build of a Flux Kustomization takes in. Where its path
    /// holds a variable, all that the path may mean counts.
    pub fn kustomization(&mut self, object: &Node) {
        let path = text(object.path(&["spec", "path"])).unwrap_or_default();
        if let Some((known, _)) = path.split_once("${") {
            return self.all_below(known.rsplit_once('/').map_or("", |(dir, _)| dir));
        }
        let Ok(dir) = vfs::normalize(&path) else {
            return;
        };
        self.directory(&dir);
        let components = object.path(&["spec", "components"]);
        for component in components.map(Node::items).unwrap_or_default() {
            let component = text(Some(component)).unwrap_or_default();
            if let Ok(component) = vfs::join(&dir, &component) {
                self.directory(&component);
            }
        }
    }

    /// Adds what the Flux Kustomizations take in that lie in files already
    /// taken in: they would be applied if the build above them did not fail.
    pub fn nested(&mut self) {
        let mut seen = FxHashSet::default();
        loop {
            let new: Vec<_> = self.files.difference(&seen).cloned().collect();
            if new.is_empty() {
                return;
            }
            for file in new {
                for object in flux_kustomizations(&self.documents, &file) {
                    self.kustomization(&object);
                }
                seen.insert(file);
            }
        }
    }

    /// Adds what the build of a directory takes in.
    pub fn directory(&mut self, dir: &str) {
        let mut open = vec![EcoString::from(dir)];
        while let Some(dir) = open.pop() {
            if self.directories.len() >= MAX_DIRECTORIES || !self.directories.insert(dir.clone()) {
                continue;
            }
            match self.kustomization_file(&dir) {
                Some(file) => {
                    if let Ok(kustomization) = self.documents.kustomization(&file) {
                        self.listed(&dir, &kustomization, &mut open);
                    }
                    self.files.insert(file);
                }
                None => self.generated(&dir, &mut open),
            }
        }
    }

    fn all_below(&mut self, dir: &str) {
        let files = &mut self.files;
        let _ = self.documents.tree().walk(dir, &mut |path, kind| {
            if kind == Kind::File {
                files.insert(path.into());
            }
            true
        });
    }

    fn kustomization_file(&self, dir: &str) -> Option<EcoString> {
        FILE_NAMES.iter().find_map(|name| {
            let path = vfs::join(dir, name).ok()?;
            (self.documents.probe(&path) == Some(Kind::File)).then_some(path)
        })
    }

    /// What a kustomization file names.
    fn listed(&mut self, dir: &str, file: &Kustomization, open: &mut Vec<EcoString>) {
        let patches = file.patches.iter().chain(&file.patches_json6902);
        let replacements = file.replacements.iter().filter_map(|source| match source {
            ReplacementSource::Path(item) => Some(item),
            ReplacementSource::Inline(_) => None,
        });
        let generators = file.config_maps.iter().chain(&file.secrets);
        let named = (file.resources.iter())
            .chain(&file.components)
            .chain(&file.patches_strategic_merge)
            .chain(&file.crds)
            .chain(&file.configurations)
            .chain(&file.generators)
            .chain(&file.transformers)
            .chain(&file.validators)
            .chain(patches.filter_map(|patch| patch.path.as_ref()))
            .chain(replacements)
            .map(|item| item.text.as_str())
            .chain(generators.flat_map(generated_from));
        for name in named {
            let Ok(path) = vfs::join(dir, name) else {
                continue;
            };
            match self.documents.probe(&path) {
                Some(Kind::Directory) => open.push(path),
                Some(Kind::File) => {
                    self.files.insert(path);
                }
                None => {}
            }
        }
    }

    /// What Flux lists where there is no kustomization file.
    fn generated(&mut self, dir: &str, open: &mut Vec<EcoString>) {
        let tree = self.documents.tree().clone();
        // What cannot be listed has no files.
        let _ = tree.walk(dir, &mut |path, kind| match kind {
            Kind::File => {
                if is_yaml(path) {
                    self.files.insert(path.into());
                }
                false
            }
            Kind::Directory => {
                let own = self.kustomization_file(path).is_some();
                if own {
                    open.push(path.into());
                }
                !own
            }
        });
    }
}

/// The files that a ConfigMap or Secret is made of.
fn generated_from(generator: &Generator) -> impl Iterator<Item = &str> {
    let files = generator.files.iter().map(|item| {
        let text = item.text.as_str();
        text.split_once('=').map_or(text, |(_, path)| path)
    });
    files.chain(generator.envs.iter().map(|item| item.text.as_str()))
}

/// Whether a file's name says YAML.
pub(crate) fn is_yaml(path: &str) -> bool {
    path.ends_with(".yaml") || path.ends_with(".yml")
}

/// The Flux Kustomizations written in a file.
fn flux_kustomizations(documents: &Documents, file: &str) -> Vec<Node> {
    if !is_yaml(file) {
        return Vec::new();
    }
    let held = documents
        .bytes(file)
        .is_ok_and(|bytes| memmem::find(&bytes, KUSTOMIZE_GROUP.as_bytes()).is_some());
    let objects = match held.then(|| documents.objects(file)) {
        Some(Ok(objects)) => objects,
        _ => return Vec::new(),
    };
    let is_kustomization = |node: &&Node| {
        node.str_at(&["kind"]) == Some("Kustomization")
            && (node.str_at(&["apiVersion"]).unwrap_or_default()).starts_with(KUSTOMIZE_GROUP)
    };
    objects.iter().filter(is_kustomization).cloned().collect()
}
