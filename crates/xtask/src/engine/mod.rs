//! Who renders: the native crates or the upstream libraries. Suites ask either,
//! so a row can be checked against upstream itself.

mod native;
pub mod template;
mod tree;
mod upstream;

pub use native::Native;
pub use upstream::{Upstream, comparable, kustomize_request};

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The files of a build.
#[derive(Clone, Debug)]
pub enum Files {
    /// Bytes by path.
    Memory(BTreeMap<String, Vec<u8>>),
    /// A directory on disk.
    Disk(PathBuf),
}

/// A tree to build, and how.
#[derive(Clone, Debug)]
pub struct Build {
    /// The tree.
    pub files: Files,
    /// The directory to build.
    pub path: String,
    /// Files outside the directory may be read.
    pub unrestricted: bool,
    /// The order: empty, `none`, `legacy` or `unspecified`.
    pub reorder: String,
    /// Adds the managed-by label.
    pub managed_by_label: bool,
}

impl Build {
    /// A build of a tree of no files yet, unrestricted, in the listed order.
    pub fn in_memory(path: &str) -> Self {
        Build {
            files: Files::Memory(BTreeMap::new()),
            path: path.to_owned(),
            unrestricted: true,
            reorder: "none".to_owned(),
            managed_by_label: false,
        }
    }

    /// A build of a directory below `root`, as the command line program does
    /// it with no restriction on files.
    pub fn on_disk(root: PathBuf, path: &str) -> Self {
        Build {
            files: Files::Disk(root),
            path: path.to_owned(),
            unrestricted: true,
            reorder: "unspecified".to_owned(),
            managed_by_label: false,
        }
    }

    /// Adds a text file to a tree in memory.
    pub fn file(&mut self, path: &str, text: &str) {
        self.bytes(path, text.as_bytes().to_vec());
    }

    /// Adds a file to a tree in memory.
    pub fn bytes(&mut self, path: &str, bytes: Vec<u8>) {
        if let Files::Memory(files) = &mut self.files {
            files.insert(path.to_owned(), bytes);
        }
    }
}

/// How lists of a strategic merge are treated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Merging {
    /// Lists of unknown kinds merge by `name`.
    pub infer: bool,
    /// New elements go first.
    pub prepend: bool,
}

/// Reads and writes YAML. Errors are the implementation's messages.
pub trait Yaml: Sync {
    /// Each document of a text as JSON, as kyaml reads it.
    fn documents(&self, text: &str) -> Result<Vec<String>, String>;
    /// Texts by one of the ways that `oracle/README.md` lists for `yaml`. A
    /// list comes as its JSON text.
    fn yaml(&self, way: &str, texts: &[String]) -> Vec<Result<String, String>>;
}

/// Expands variables. Errors are the implementation's messages.
pub trait Expand: Sync {
    /// A text with its variables expanded.
    fn envsubst(
        &self,
        text: &str,
        vars: &BTreeMap<String, String>,
        strict: bool,
    ) -> Result<String, String>;
}

/// Executes templates. Errors are the implementation's messages.
pub trait Render: Sync {
    /// The text of each case.
    fn render(&self, cases: &[template::Case]) -> Vec<Result<String, String>>;
}

/// All that the suites test. Errors are the implementation's messages.
pub trait Engine: Yaml + Expand + Render {
    /// The output of `kustomize build`.
    fn kustomize(&self, build: &Build) -> Result<String, String>;
    /// An object with a strategic-merge patch applied; empty for none.
    fn merge(&self, object: &str, patch: &str, how: Merging) -> Result<String, String>;
    /// What changed between two versions of an object, carried over to a copy of
    /// the first: the copy, the first, the second.
    fn merge_three(&self, versions: [&str; 3], how: Merging) -> Result<String, String>;
}

/// What expands for a command.
pub fn expander(upstream: bool) -> Result<Box<dyn Expand>, String> {
    Ok(if upstream {
        Box::new(Upstream::new()?)
    } else {
        Box::new(Native::default())
    })
}

/// The engine that a command compares with upstream's material.
pub fn choose(upstream: bool) -> Result<Box<dyn Engine>, String> {
    Ok(if upstream {
        Box::new(Upstream::new()?)
    } else {
        Box::new(Native::default())
    })
}
