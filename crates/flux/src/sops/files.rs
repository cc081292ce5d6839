//! Encrypted files that a build reads: inputs of secret generators and patches.

use ecow::EcoString;
use kustomize::Documents;
use kustomize::kustomization::{Item, Kustomization};
use rustc_hash::{FxHashMap, FxHashSet};
use vfs::{Kind, Memory, Overlay, Tree};

use super::format::Format;
use crate::generate::FILE_NAMES;

/// Directories that are looked into.
const MAX_DIRECTORIES: usize = 10_000;

/// The artifact as the build sees it once the controller has decrypted what it
/// decrypts beforehand: files of secret generators (not of config map
/// generators) and files of `patches`, in the directory `dir` and in what it
/// includes from the artifact. `None` when nothing is encrypted.
///
/// `root` is the kustomization of `dir`.
pub(crate) fn decrypt_inputs(
    documents: &Documents,
    dir: &str,
    root: &Kustomization,
) -> Option<Documents> {
    let mut search = Search {
        documents,
        seen: FxHashSet::default(),
        decrypted: FxHashMap::default(),
    };
    search.directory(dir, root);
    if search.decrypted.is_empty() {
        return None;
    }
    let files = search
        .decrypted
        .into_iter()
        .map(|(p, t)| (p, t.into_bytes()));
    let upper = Memory::new(files).ok()?;
    let tree = Tree::new(Overlay::new(upper, documents.tree().clone()));
    Some(Documents::new(tree, documents.sources().clone()))
}

struct Search<'a> {
    documents: &'a Documents,
    seen: FxHashSet<EcoString>,
    decrypted: FxHashMap<EcoString, String>,
}

impl Search<'_> {
    fn directory(&mut self, dir: &str, root: &Kustomization) {
        self.seen.insert(dir.into());
        let mut open = Vec::new();
        self.visit(dir, root, &mut open);
        while let Some(dir) = open.pop() {
            if self.seen.len() >= MAX_DIRECTORIES || !self.seen.insert(dir.clone()) {
                continue;
            }
            // What does not load fails the build, which says so.
            if let Some(kustomization) = self.load(&dir) {
                self.visit(&dir, &kustomization, &mut open);
            }
        }
    }

    fn load(&self, dir: &str) -> Option<std::sync::Arc<Kustomization>> {
        let path = FILE_NAMES.iter().find_map(|name| {
            let path = vfs::join(dir, name).ok()?;
            (self.documents.tree().probe(&path) == Some(Kind::File)).then_some(path)
        })?;
        self.documents.kustomization(&path).ok()
    }

    fn visit(&mut self, dir: &str, kustomization: &Kustomization, open: &mut Vec<EcoString>) {
        for generator in &kustomization.secrets {
            for file in &generator.files {
                let (key, path) = match file.text.split_once('=') {
                    Some((key, path)) => (key, path),
                    None => (file.text.as_str(), file.text.as_str()),
                };
                self.file(dir, path, Format::of_path(key));
            }
            for file in &generator.envs {
                let format = match Format::of_path(&file.text) {
                    Format::Binary => Format::Dotenv,
                    format => format,
                };
                self.file(dir, &file.text, format);
            }
        }
        for patch in &kustomization.patches {
            if let Some(path) = &patch.path {
                self.file(dir, &path.text, Format::of_path(&path.text));
            }
        }
        let below = kustomization
            .resources
            .iter()
            .chain(&kustomization.components);
        open.extend(below.filter_map(|item| self.below(dir, item)));
    }

    /// The directory that an entry names, if it is one.
    fn below(&self, dir: &str, item: &Item) -> Option<EcoString> {
        let path = vfs::join(dir, &item.text).ok()?;
        (self.documents.tree().probe(&path) == Some(Kind::Directory)).then_some(path)
    }

    fn file(&mut self, dir: &str, path: &str, format: Format) {
        let Ok(path) = vfs::join(dir, path) else {
            return;
        };
        if self.decrypted.contains_key(&path) {
            return;
        }
        let Ok(bytes) = self.documents.bytes(&path) else {
            return;
        };
        if !format.is_encrypted(&bytes) {
            return;
        }
        let text = String::from_utf8_lossy(&bytes);
        let decrypted = format.decrypt(&text, &path);
        self.decrypted.insert(path, decrypted);
    }
}
