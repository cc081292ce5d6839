//! Manifests that no entrypoint leads to.

use std::collections::BTreeMap;
use std::sync::Arc;

use ecow::EcoString;
use kustomize::Documents;
use memchr::memmem;
use model::{Unreached, UnreachedFile, World};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use vfs::Kind;
use yaml::{Node, Span};

use crate::generate::FILE_NAMES;
use crate::taken::{Taken, is_yaml};

/// Larger files are no manifests that somebody forgot.
const MAX_FILE: usize = 1 << 20;

/// Names of directories whose manifests are not meant to be applied from where
/// they stand: shown, tested, filled in first, applied before Flux is there, or
/// set aside.
const APART: [&str; 16] = [
    "archive",
    "archived",
    "bootstrap",
    "deprecated",
    "disabled",
    "doc",
    "docs",
    "example",
    "examples",
    "node_modules",
    "sample",
    "samples",
    "template",
    "templates",
    "test",
    "tests",
];

/// Groups of files that tools other than the API server read.
const TOOLS: [&str; 24] = [
    "apiserver.config.k8s.io",
    "apiserver.k8s.io",
    "audit.k8s.io",
    "backstage.io",
    "cli.kyverno.io",
    "client.authentication.k8s.io",
    "config.karmada.io",
    "ctlptl.dev",
    "eksctl.io",
    "helm.config.kubernetes.io",
    "image-policy.k8s.io",
    "k0sctl.k0sproject.io",
    "k3d.io",
    "kind.x-k8s.io",
    "kops.k8s.io",
    "kubeadm.k8s.io",
    "kubecontrollermanager.config.k8s.io",
    "kubelet.config.k8s.io",
    "kubeproxy.config.k8s.io",
    "kubescheduler.config.k8s.io",
    "kustomize.config.k8s.io",
    "skaffold",
    "talos.dev",
    "viaduct.ai",
];

/// Gives each world the manifests of the repository that no world's builds take
/// in, where its entrypoint is the nearest.
pub(crate) fn tell(documents: &Arc<Documents>, taken: &[Taken], worlds: &mut [World]) {
    let reached: FxHashSet<EcoString> = taken.iter().flat_map(Taken::origins).collect();
    let visible = |path: &EcoString| taken.iter().any(|taken| taken.holds(path));
    let mut found: Vec<UnreachedFile> = candidates(documents)
        .into_iter()
        .filter(|path| !reached.contains(path) && visible(path))
        .collect::<Vec<_>>()
        .par_iter()
        .with_max_len(1)
        .filter_map(|path| look(documents, path))
        .collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    let above: FxHashSet<&str> = reached.iter().flat_map(|path| directories(path)).collect();
    let mut groups: BTreeMap<EcoString, Vec<UnreachedFile>> = BTreeMap::new();
    for file in found {
        let group = topmost(&file.path, &above);
        groups.entry(group).or_default().push(file);
    }
    for (directory, files) in groups {
        let whole = !directory.is_empty() && !above.contains(directory.as_str());
        let directory = if whole { shared(&files) } else { directory };
        let nearest = worlds
            .iter_mut()
            .rev()
            .max_by_key(|world| common(&world.entrypoint, &directory));
        if let Some(world) = nearest {
            world.unreached.push(Unreached {
                directory,
                whole,
                files,
            });
        }
    }
}

/// YAML files in directories whose manifests are meant to be applied.
fn candidates(documents: &Documents) -> Vec<EcoString> {
    let tree = documents.tree();
    let mut files = Vec::new();
    // What cannot be listed holds nothing to tell of.
    let _ = tree.walk("", &mut |path, kind| {
        let name = path.rsplit('/').next().unwrap_or(path);
        match kind {
            Kind::File if is_yaml(name) && !name.starts_with('.') => files.push(path.into()),
            Kind::File => {}
            Kind::Directory => {
                let chart = vfs::join(path, "Chart.yaml").ok();
                return !name.starts_with('.')
                    && !APART.contains(&name)
                    && chart.is_none_or(|chart| tree.probe(&chart).is_none());
            }
        }
        false
    });
    files
}

/// A file that holds something to apply.
fn look(documents: &Documents, path: &EcoString) -> Option<UnreachedFile> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if FILE_NAMES.contains(&name) {
        let kustomization = documents.kustomization(path).ok()?;
        let lists = kustomization
            .resources
            .iter()
            .chain(&kustomization.components);
        return Some(UnreachedFile {
            path: path.clone(),
            kinds: Vec::new(),
            span: lists.map(|item| item.span).next()?,
        });
    }
    let bytes = documents.bytes(path).ok()?;
    let has = |text: &str| memmem::find(&bytes, text.as_bytes()).is_some();
    if bytes.len() > MAX_FILE || !has("apiVersion") || !has("kind") {
        return None;
    }
    let objects = documents.objects(path).ok()?;
    let kinds: Vec<EcoString> = objects.iter().filter_map(applied_kind).collect();
    let span = objects.first().map_or(Span::NONE, |node| node.span);
    (!kinds.is_empty()).then(|| UnreachedFile {
        path: path.clone(),
        kinds,
        span,
    })
}

/// The kind of an object that the API server knows.
fn applied_kind(node: &Node) -> Option<EcoString> {
    let kind = node.str_at(&["kind"])?;
    let group = match node.str_at(&["apiVersion"])?.rsplit_once('/') {
        Some((group, _)) => group,
        // The core group has one version, and no kubeconfig.
        None if node.str_at(&["apiVersion"]) == Some("v1") && kind != "Config" => "",
        None => return None,
    };
    (!TOOLS.contains(&group)).then(|| kind.into())
}

/// The directory of a path; nothing for one in the root.
fn parent(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(dir, _)| dir)
}

/// The directories above a path, the nearest first, the root left out.
fn directories(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(parent(path), |dir| parent(dir))
}

/// The outermost directory of a file below which nothing is reached; the file's
/// own directory where something is.
fn topmost(path: &str, above: &FxHashSet<&str>) -> EcoString {
    let own = parent(path).unwrap_or_default();
    let apart = directories(path).take_while(|dir| !above.contains(dir));
    apart.last().unwrap_or(own).into()
}

/// The innermost directory that holds all of these files.
fn shared(files: &[UnreachedFile]) -> EcoString {
    let mut paths = files.iter().map(|file| file.path.as_str());
    let mut shared = paths.next().and_then(parent).unwrap_or_default();
    for path in paths {
        while !shared.is_empty() && !is_below(path, shared) {
            shared = parent(shared).unwrap_or_default();
        }
    }
    shared.into()
}

fn is_below(path: &str, dir: &str) -> bool {
    path.strip_prefix(dir)
        .is_some_and(|rest| rest.starts_with('/'))
}

/// How many names two paths have in common at their beginning.
fn common(a: &str, b: &str) -> usize {
    let pairs = a.split('/').zip(b.split('/'));
    pairs.take_while(|(a, b)| a == b).count()
}
