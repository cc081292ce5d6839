//! From the configuration to what the walk is told.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ecow::EcoString;
use flux::{AddressMirror, IndexMirror, Mirror, Settings, SourceOverride};
use model::SourceKey;
use source::{Instead, Sources};
use supply::{Network, Replaced};
use vfs::{Disk, GitRepository, Kind, Tree};
use yaml::Span;

use crate::failure::Failure;
use crate::input::Input;

/// The settings of a run. `asked` are the entrypoints of the command line; the
/// configuration's count when there are none.
pub fn settings(
    input: &Input,
    sources: Option<Arc<Sources>>,
    asked: &[String],
) -> Result<Settings, Failure> {
    let mut mirrors = mirrors(input)?;
    // What the configuration names comes first.
    let network = Network::new(sources);
    mirrors.push(Arc::new(Replaced::new(network, instead(input))));
    Ok(Settings {
        entrypoints: entrypoints(input, asked)?,
        partial: !asked.is_empty(),
        overrides: overrides(input)?,
        mirrors,
        // A root that is no repository has no address.
        repo_urls: GitRepository::around(&input.root)
            .map(|repository| repository.remotes())
            .unwrap_or_default(),
        ..Settings::from_config(&input.config)
    })
}

fn entrypoints(input: &Input, asked: &[String]) -> Result<Vec<EcoString>, Failure> {
    if !asked.is_empty() {
        return asked_entrypoints(input, asked);
    }
    let configured = input.config.entrypoints.iter();
    configured
        .map(
            |entrypoint| match directory(&input.tree, &entrypoint.path) {
                Some(path) => Ok(path),
                None => Err(no_directory(input, &entrypoint.path)
                    .because(format!("named at {}", input.place(entrypoint.span)))),
            },
        )
        .collect()
}

/// The entrypoints of the command line.
pub fn asked_entrypoints(input: &Input, asked: &[String]) -> Result<Vec<EcoString>, Failure> {
    let asked = asked.iter();
    asked.map(|path| asked_entrypoint(input, path)).collect()
}

/// An entrypoint of the command line: relative to the repository's root or,
/// as shells complete it, to the current directory.
fn asked_entrypoint(input: &Input, path: &str) -> Result<EcoString, Failure> {
    if let Some(path) = directory(&input.tree, path) {
        return Ok(path);
    }
    let root = input
        .root
        .canonicalize()
        .unwrap_or_else(|_| input.root.clone());
    let full = Path::new(path).canonicalize().ok();
    let below = full
        .as_deref()
        .and_then(|full| full.strip_prefix(&root).ok());
    let below = below.and_then(Path::to_str);
    below
        .and_then(|below| directory(&input.tree, below))
        .ok_or_else(|| no_directory(input, path))
}

fn directory(tree: &Tree, path: &str) -> Option<EcoString> {
    let path = vfs::normalize(path).ok()?;
    (tree.probe(&path) == Some(Kind::Directory)).then_some(path)
}

fn no_directory(input: &Input, path: &str) -> Failure {
    let root = input.root.display();
    Failure::new(format!("no directory `{path}` in the repository {root}"))
        .help("an entrypoint is the directory that `flux bootstrap` was given as --path")
}

fn overrides(input: &Input) -> Result<Vec<SourceOverride>, Failure> {
    let entries = input.config.sources.overrides.iter();
    entries
        .map(|entry| {
            Ok(SourceOverride {
                source: SourceKey {
                    kind: entry.kind.as_str().into(),
                    namespace: entry.namespace.as_str().into(),
                    name: entry.name.as_str().into(),
                },
                tree: outside_tree(input, &entry.path, entry.span)?,
            })
        })
        .collect()
}

fn mirrors(input: &Input) -> Result<Vec<Arc<dyn Mirror>>, Failure> {
    let entries = input.config.sources.mirrors.iter();
    entries
        .filter(|entry| entry.url.is_none() || !is_address(&entry.path))
        .map(|entry| -> Result<Arc<dyn Mirror>, Failure> {
            let tree = outside_tree(input, &entry.path, entry.span)?;
            match &entry.url {
                Some(url) => Ok(Arc::new(AddressMirror::new(url, tree))),
                None => match IndexMirror::open(tree) {
                    Ok(mirror) => Ok(Arc::new(mirror)),
                    Err(error) => Err(Failure::new(format!("no mirror in `{}`", entry.path))
                        .because(error)
                        .because(format!("named at {}", input.place(entry.span)))
                        .help("a mirror without `url` has an index.json")),
                },
            }
        })
        .collect()
}

/// Addresses that are asked instead of others.
pub fn instead(input: &Input) -> Instead {
    let entries = input.config.sources.mirrors.iter();
    let pairs = entries.filter(|entry| is_address(&entry.path));
    Instead::new(pairs.filter_map(|entry| Some((entry.url.clone()?, entry.path.clone()))))
}

fn is_address(path: &str) -> bool {
    path.contains("://")
}

/// A directory that the configuration names, relative to the root.
fn outside_tree(input: &Input, path: &str, span: Span) -> Result<Tree, Failure> {
    let full: PathBuf = input.root.join(path);
    let disk = Disk::new(&full).map_err(|error| {
        Failure::new(format!("cannot read the directory `{path}`"))
            .because(error)
            .because(format!("named at {}", input.place(span)))
    })?;
    Ok(Tree::new(disk))
}
