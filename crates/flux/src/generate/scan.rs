//! A kustomization for a directory that has none.

use ecow::{EcoString, eco_format};
use kustomize::Documents;
use vfs::Kind;
use yaml::{Node, Span};

use super::{Error, FILE_NAMES, base};

/// Faults that are kept; the controller ends at the first.
const MOST_FAULTS: usize = 20;

/// A kustomization that lists every YAML file below `dir` and every directory
/// with a kustomization of its own. A YAML file that is no Kubernetes objects is
/// a fault and left out.
pub(super) fn kustomization(documents: &Documents, dir: &str) -> Result<(Node, Vec<Error>), Error> {
    let (resources, faults) = resources(documents, dir)?;
    let mut kustomization = base();
    if resources.is_empty() {
        // Without any field the build would fail.
        kustomization.insert("namespace", Node::string("_placeholder"));
    } else {
        kustomization.insert("resources", Node::seq(resources));
    }
    Ok((kustomization, faults))
}

fn resources(documents: &Documents, dir: &str) -> Result<(Vec<Node>, Vec<Error>), Error> {
    let tree = documents.tree();
    let mut found: Vec<EcoString> = Vec::new();
    tree.walk(dir, &mut |path, kind| match kind {
        Kind::Directory => {
            let own = FILE_NAMES
                .iter()
                .any(|name| tree.probe(&eco_format!("{path}/{name}")) == Some(Kind::File));
            if own {
                found.push(path.into());
            }
            !own
        }
        Kind::File => {
            if path.ends_with(".yaml") || path.ends_with(".yml") {
                found.push(path.into());
            }
            false
        }
    })
    .map_err(|error| Error::new(eco_format!("{error}"), Span::NONE))?;
    let prefix = if dir.is_empty() {
        EcoString::new()
    } else {
        eco_format!("{dir}/")
    };
    let mut resources = Vec::with_capacity(found.len());
    let mut faults = Vec::new();
    for path in found {
        if tree.probe(&path) == Some(Kind::File)
            && let Err(fault) = check(documents, &path)
        {
            if faults.len() < MOST_FAULTS {
                faults.push(fault);
            }
            continue;
        }
        let below = path.strip_prefix(prefix.as_str()).unwrap_or(&path);
        resources.push(Node::string(eco_format!("./{below}")));
    }
    Ok((resources, faults))
}

fn check(documents: &Documents, path: &str) -> Result<(), Error> {
    match documents.objects(path) {
        Ok(_) => Ok(()),
        Err(error) => {
            let message = eco_format!("failed to decode Kubernetes YAML from {path}: {error}");
            let span = error.span.unwrap_or_else(|| {
                documents
                    .text(path)
                    .map_or(Span::NONE, |(file, _)| Span::new(file, 0, 0))
            });
            Err(Error::new(message, span))
        }
    }
}
