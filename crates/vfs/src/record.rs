//! What was looked at in a tree.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};

use ecow::EcoString;

use crate::{Backend, DirEntry, Error, Kind, Tree};

/// What somebody saw of a tree. Whoever sees the same again will do the same
/// again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Files whose bytes were asked for, whether they were there or not.
    pub read: BTreeSet<EcoString>,
    /// Directories whose names were asked for.
    pub listed: BTreeSet<EcoString>,
    /// Paths where it was asked what stands there, with the answer; `None` is
    /// an absence.
    pub probed: BTreeMap<EcoString, Option<Kind>>,
}

impl Trace {
    /// Adds what another trace holds.
    pub fn merge(&mut self, other: &Trace) {
        self.read.extend(other.read.iter().cloned());
        self.listed.extend(other.listed.iter().cloned());
        let probed = other
            .probed
            .iter()
            .map(|(path, kind)| (path.clone(), *kind));
        self.probed.extend(probed);
    }

    /// Whether all that was seen in `before` is the same in `after`.
    pub fn same_in(&self, before: &Tree, after: &Tree) -> bool {
        self.probed
            .iter()
            .all(|(path, kind)| after.0.probe(path) == *kind)
            && self
                .listed
                .iter()
                .all(|path| before.0.list(path) == after.0.list(path))
            && self
                .read
                .iter()
                .all(|path| before.0.read(path) == after.0.read(path))
    }
}

/// A tree that writes down what it is asked for.
#[derive(Clone)]
pub struct Recorder {
    tree: Tree,
    trace: Arc<Mutex<Trace>>,
}

impl Recorder {
    /// Records what is asked of `tree` through [`Recorder::tree`].
    pub fn new(tree: Tree) -> Self {
        Recorder {
            tree,
            trace: Arc::default(),
        }
    }

    /// The tree that records.
    pub fn tree(&self) -> Tree {
        Tree::new(self.clone())
    }

    /// What was asked for so far.
    pub fn trace(&self) -> Trace {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Trace> {
        // A trace is valid after every single change.
        match self.trace.lock() {
            Ok(trace) => trace,
            Err(poisoned) => poisoned.into_inner(),
        }
    }
}

impl Backend for Recorder {
    fn read(&self, path: &str) -> Result<Arc<[u8]>, Error> {
        self.lock().read.insert(path.into());
        self.tree.0.read(path)
    }

    fn list(&self, path: &str) -> Result<Vec<DirEntry>, Error> {
        self.lock().listed.insert(path.into());
        self.tree.0.list(path)
    }

    fn probe(&self, path: &str) -> Option<Kind> {
        let kind = self.tree.0.probe(path);
        self.lock().probed.insert(path.into(), kind);
        kind
    }

    fn origin(&self, path: &str) -> EcoString {
        self.tree.0.origin(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Memory;

    fn tree(files: &[(&str, &str)]) -> Tree {
        Tree::new(Memory::new(files.iter().map(|(p, t)| (*p, t.as_bytes().to_vec()))).unwrap())
    }

    #[test]
    fn only_what_was_seen_counts() {
        let before = tree(&[("a/x", "1"), ("a/y", "2"), ("b", "3")]);
        let recorder = Recorder::new(before.clone());
        let seen = recorder.tree();
        assert!(seen.read("a/x").is_ok());
        assert!(seen.list("a").is_ok());
        assert_eq!(seen.probe("missing"), None);
        let trace = recorder.trace();
        assert_eq!(trace.probed.get("missing"), Some(&None));

        let same = |files: &[(&str, &str)]| trace.same_in(&before, &tree(files));
        assert!(same(&[("a/x", "1"), ("a/y", "other"), ("c", "4")]));
        assert!(!same(&[("a/x", "other"), ("a/y", "2")]));
        assert!(!same(&[("a/x", "1"), ("a/y", "2"), ("a/z", "new")]));
        assert!(!same(&[("a/x", "1"), ("a/y", "2"), ("missing", "here")]));
    }
}
