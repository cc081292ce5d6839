//! A file a template, below a directory.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, create_dir_all};
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use super::document;
use crate::failure::Failure;

/// Files that are written; further documents of one are appended.
pub struct Files<'d> {
    directory: &'d Path,
    written: BTreeSet<PathBuf>,
}

impl<'d> Files<'d> {
    /// Files below a directory, which is made where it is missing.
    pub fn below(directory: &'d Path) -> Self {
        Files {
            directory,
            written: BTreeSet::new(),
        }
    }

    /// Writes a document of a template.
    pub fn add(&mut self, below: Option<&str>, path: &str, text: &str) -> Result<(), Failure> {
        let directory = match below {
            Some(name) => self.directory.join(name),
            None => self.directory.to_path_buf(),
        };
        // Names of charts and templates are somebody else's.
        let is_plain = |part| matches!(part, Component::Normal(_));
        if !Path::new(path).components().all(is_plain) {
            return Err(Failure::new(format!(
                "`{path}` is no path inside of a chart"
            )));
        }
        let target = directory.join(path);
        let is_new = self.written.insert(target.clone());
        let written = append(&target, is_new, &document(path, text));
        written.map_err(|error| {
            Failure::new(format!("cannot write {}", target.display())).because(error)
        })?;
        crate::output::write(&format!("wrote {}\n", target.display()), None)
    }
}

fn append(target: &Path, is_new: bool, text: &str) -> std::io::Result<()> {
    if let Some(directory) = target.parent() {
        create_dir_all(directory)?;
    }
    let mut file = match is_new {
        true => File::create(target)?,
        false => OpenOptions::new().append(true).open(target)?,
    };
    file.write_all(text.as_bytes())
}
