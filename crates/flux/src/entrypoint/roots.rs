//! Entrypoints of a repository that says nothing about its bootstrap: folders
//! whose Flux Kustomization nothing else applies.

use std::sync::Arc;

use ecow::EcoString;
use kustomize::Documents;
use rustc_hash::{FxHashMap, FxHashSet};
use vfs::Kind;

use crate::entrypoint::home::{Home, path_of};
use crate::entrypoint::survey::{Held, Survey};
use crate::entrypoint::{Entrypoint, How, implied, patched, self_applied};
use crate::generate::FILE_NAMES;

/// Kustomizations that name one another deeper than this are a loop.
const MAX_DEPTH: usize = 64;

/// The entrypoints that the Flux Kustomizations of a survey tell of.
pub(crate) fn find(documents: &Documents, survey: &Survey) -> Vec<Entrypoint> {
    let mut reach = Reach {
        documents,
        known: FxHashMap::default(),
    };
    let (whole, patched) = patched::split(documents, &survey.kustomizations);
    let kustomizations = &without_copies(&whole, &mut reach)[..];
    let home = Home::of(documents, survey, kustomizations);
    let applied: Vec<Option<(EcoString, Arc<Files>)>> = kustomizations
        .iter()
        .map(|held| {
            let path = path_of(held)?;
            if home.is_elsewhere(held, &path) {
                return None;
            }
            let files = reach.directory(&path, 0);
            Some((path, files))
        })
        .collect();
    let applies = |from: usize, to: usize| {
        let file = kustomizations.get(to).map(|held| &held.file);
        let reached = applied.get(from).and_then(Option::as_ref);
        reached
            .zip(file)
            .is_some_and(|((_, files), file)| files.contains(file))
    };
    let mut found: Vec<Entrypoint> = patched;
    for root in roots(kustomizations.len(), applies) {
        let (Some(held), path) = (kustomizations.get(root), applied.get(root)) else {
            continue;
        };
        match path {
            Some(Some((path, _))) if applies(root, root) => found.push(Entrypoint {
                path: path.clone(),
                bootstrap: self_applied(&held.object, &held.sources),
            }),
            _ => {
                let path = reach.folder(&held.file);
                let bootstrap = implied(&path);
                found.push(Entrypoint { path, bootstrap });
            }
        }
    }
    let mut found = outermost(found, &mut reach);
    drop_unlisted(&mut found, kustomizations);
    found
}

/// Leaves out copies of a Kustomization that applies the directory it lies in: a
/// template of it, or what the bootstrap applies by hand. It is the same object in
/// the cluster.
fn without_copies(kustomizations: &[Held], reach: &mut Reach<'_>) -> Vec<Held> {
    let mut own: Vec<(&Held, EcoString, Arc<Files>)> = Vec::new();
    for held in kustomizations {
        if let Some(path) = path_of(held) {
            let files = reach.directory(&path, 0);
            if files.contains(&held.file) {
                own.push((held, path, files));
            }
        }
    }
    let is_copy = |held: &Held| {
        let path = path_of(held);
        own.iter().any(|(original, of, files)| {
            path.as_ref() == Some(of)
                && original.object.identity == held.object.identity
                && !files.contains(&held.file)
        })
    };
    let kept = kustomizations.iter().filter(|held| !is_copy(held));
    kept.cloned().collect()
}

/// Leaves out folders below a directory that a Kustomization elsewhere applies:
/// they only are not listed there. One folder stays in any case.
fn drop_unlisted(found: &mut Vec<Entrypoint>, kustomizations: &[Held]) {
    let applied: Vec<(EcoString, &EcoString)> = kustomizations
        .iter()
        .filter_map(|held| Some((path_of(held).filter(|path| !path.is_empty())?, &held.file)))
        .collect();
    let is_unlisted = |entrypoint: &Entrypoint| {
        entrypoint.bootstrap.how == How::Implied
            && applied
                .iter()
                .any(|(path, file)| is_below(&entrypoint.path, path) && !is_below(file, path))
    };
    if !found.iter().all(is_unlisted) {
        found.retain(|entrypoint| !is_unlisted(entrypoint));
    }
}

fn is_below(path: &str, directory: &str) -> bool {
    path.strip_prefix(directory)
        .is_some_and(|rest| rest.starts_with('/'))
}

/// One member of each group of Kustomizations that nothing outside the group
/// applies: the member that applies itself, else the first.
fn roots(count: usize, applies: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let next: Vec<Vec<usize>> = (0..count)
        .map(|from| (0..count).filter(|to| applies(from, *to)).collect())
        .collect();
    let reachable: Vec<FxHashSet<usize>> = (0..count)
        .map(|start| {
            let mut seen = FxHashSet::default();
            let mut open = vec![start];
            while let Some(from) = open.pop() {
                let next = next.get(from).into_iter().flatten();
                open.extend(next.filter(|to| seen.insert(**to)));
            }
            seen
        })
        .collect();
    let reaches = |from: usize, to: usize| reachable.get(from).is_some_and(|set| set.contains(&to));
    let is_root =
        |at: usize| (0..count).all(|from| from == at || !reaches(from, at) || reaches(at, from));
    let mut found = Vec::new();
    let mut taken = FxHashSet::default();
    for at in (0..count).filter(|at| is_root(*at)) {
        if !taken.insert(at) {
            continue;
        }
        let group: Vec<usize> = (at..count)
            .filter(|other| *other == at || (reaches(at, *other) && reaches(*other, at)))
            .collect();
        taken.extend(&group);
        found.extend(
            group
                .iter()
                .copied()
                .find(|member| applies(*member, *member))
                .or(Some(at)),
        );
    }
    found
}

/// Drops folders that lie within what another folder's build takes in.
fn outermost(mut found: Vec<Entrypoint>, reach: &mut Reach<'_>) -> Vec<Entrypoint> {
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found.dedup_by(|a, b| a.path == b.path);
    let files: Vec<Arc<Files>> = found.iter().map(|e| reach.directory(&e.path, 0)).collect();
    let within = |inner: usize, outer: usize| {
        inner != outer
            && files
                .get(inner)
                .zip(files.get(outer))
                .is_some_and(|(inner, outer)| {
                    !inner.is_empty() && inner.len() < outer.len() && inner.is_subset(outer)
                })
    };
    let kept: Vec<bool> = (0..found.len())
        .map(|inner| !(0..found.len()).any(|outer| within(inner, outer)))
        .collect();
    let mut kept = kept.into_iter();
    found.retain(|_| kept.next().unwrap_or(true));
    found
}

type Files = FxHashSet<EcoString>;

/// Which files the build of a directory takes in, read off the kustomization
/// files alone.
struct Reach<'a> {
    documents: &'a Documents,
    known: FxHashMap<EcoString, Arc<Files>>,
}

impl Reach<'_> {
    fn directory(&mut self, dir: &EcoString, depth: usize) -> Arc<Files> {
        if let Some(known) = self.known.get(dir) {
            return known.clone();
        }
        // Stands in while the directory is looked through, so that a loop ends.
        self.known.insert(dir.clone(), Arc::default());
        let files = Arc::new(match self.kustomization(dir) {
            _ if depth > MAX_DEPTH => Files::default(),
            Some(file) => self.listed(dir, file, depth),
            None => self.generated(dir, depth),
        });
        self.known.insert(dir.clone(), files.clone());
        files
    }

    fn kustomization(&self, dir: &str) -> Option<EcoString> {
        let tree = self.documents.tree();
        let paths = FILE_NAMES
            .iter()
            .filter_map(|name| vfs::join(dir, name).ok());
        paths
            .into_iter()
            .find(|path| tree.probe(path) == Some(Kind::File))
    }

    /// What a kustomization file lists.
    fn listed(&mut self, dir: &str, file: EcoString, depth: usize) -> Files {
        let mut files = Files::default();
        if let Ok(kustomization) = self.documents.kustomization(&file) {
            let items = kustomization
                .resources
                .iter()
                .chain(&kustomization.components);
            for item in items {
                let Ok(path) = vfs::join(dir, &item.text) else {
                    continue;
                };
                match self.documents.tree().probe(&path) {
                    Some(Kind::File) => {
                        files.insert(path);
                    }
                    Some(Kind::Directory) => {
                        files.extend(self.directory(&path, depth + 1).iter().cloned())
                    }
                    None => {}
                }
            }
        }
        files
    }

    /// What Flux lists where there is no kustomization file.
    fn generated(&mut self, dir: &str, depth: usize) -> Files {
        let mut files = Files::default();
        let mut inner = Vec::new();
        let _ = self
            .documents
            .tree()
            .walk(dir, &mut |path, kind| match kind {
                Kind::File => {
                    if path.ends_with(".yaml") || path.ends_with(".yml") {
                        files.insert(path.into());
                    }
                    false
                }
                Kind::Directory => {
                    let own = self.kustomization(path).is_some();
                    if own {
                        inner.push(EcoString::from(path));
                    }
                    !own
                }
            });
        for dir in inner {
            files.extend(self.directory(&dir, depth + 1).iter().cloned());
        }
        files
    }

    /// The outermost folder whose build takes a file in, by kustomization files;
    /// its own folder when none does.
    fn folder(&mut self, file: &EcoString) -> EcoString {
        let own = file.rsplit_once('/').map_or("", |(dir, _)| dir);
        let mut best = EcoString::from(own);
        let mut dir = own;
        loop {
            let path = EcoString::from(dir);
            if self.kustomization(dir).is_some() && self.directory(&path, 0).contains(file) {
                best = path;
            }
            if dir.is_empty() {
                return best;
            }
            dir = dir.rsplit_once('/').map_or("", |(dir, _)| dir);
        }
    }
}
