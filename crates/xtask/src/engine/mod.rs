//! Who renders: the native crates or the upstream libraries. Suites ask either,
//! so a row can be checked against upstream itself.

mod upstream;

pub use upstream::Upstream;

use std::collections::BTreeMap;

/// A tree to build.
#[derive(Clone, Debug, Default)]
pub struct Build {
    /// Text or bytes by path.
    pub files: BTreeMap<String, Vec<u8>>,
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
    /// Adds a text file.
    pub fn file(&mut self, path: &str, text: &str) {
        self.files.insert(path.to_owned(), text.as_bytes().to_vec());
    }
}

/// One implementation of what the suites test. Errors are its messages.
pub trait Engine: Sync {
    /// The output of `kustomize build`.
    fn kustomize(&self, build: &Build) -> Result<String, String>;
    /// A text with its variables expanded.
    fn envsubst(
        &self,
        text: &str,
        vars: &BTreeMap<String, String>,
        strict: bool,
    ) -> Result<String, String>;
    /// Each document of a text as JSON, as kyaml reads it.
    fn documents(&self, text: &str) -> Result<Vec<String>, String>;
}
