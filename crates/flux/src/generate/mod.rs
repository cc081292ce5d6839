//! The kustomization that the controller builds: the file of a directory, or
//! one made for it, with what the Flux Kustomization's own spec adds.

mod fields;
mod merge;
mod scan;

use ecow::{EcoString, eco_format};
use kustomize::Documents;
use vfs::Kind;
use yaml::{Node, Span};

/// Names of kustomization files, in the order in which they are looked for.
pub(crate) const FILE_NAMES: [&str; 3] =
    ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Why there is no kustomization to build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Error {
    /// The cause, in the controller's words where it has some.
    pub(crate) message: EcoString,
    /// The place to blame.
    pub(crate) span: Option<Span>,
}

impl Error {
    fn new(message: impl Into<EcoString>, span: Span) -> Self {
        Error {
            message: message.into(),
            span: Some(span).filter(|span| !span.is_none()),
        }
    }
}

impl From<kustomize::Error> for Error {
    fn from(error: kustomize::Error) -> Self {
        Error {
            message: eco_format!("{error}"),
            span: error.span,
        }
    }
}

/// The kustomization to build for `dir`, a directory of the artifact.
/// `object` is the Flux Kustomization. With it, the faults that keep the
/// controller from making it: files that are left out here.
pub(crate) fn generate(
    documents: &Documents,
    dir: &str,
    object: &Node,
) -> Result<(Node, Vec<Error>), Error> {
    let (mut kustomization, faults) = match find(documents, dir)? {
        Some(path) => (from_file(documents, &path)?, Vec::new()),
        None => scan::kustomization(documents, dir)?,
    };
    merge::merge(&mut kustomization, documents, dir, object)?;
    Ok((kustomization, faults))
}

/// The path of the kustomization file in a directory. Fails on several.
fn find(documents: &Documents, dir: &str) -> Result<Option<EcoString>, Error> {
    let mut found = FILE_NAMES.iter().filter_map(|name| {
        let path = vfs::join(dir, name).ok()?;
        (documents.tree().probe(&path) == Some(Kind::File)).then_some(path)
    });
    let first = found.next();
    match found.next() {
        Some(_) => {
            let message = eco_format!(
                "kustomize build failed: Found multiple kustomization files under: /{dir}"
            );
            Err(Error::new(message, Span::NONE))
        }
        None => Ok(first),
    }
}

/// What a file says, unknown fields left out. Unlike in bases, these are lost
/// without a word, and numbers may stand for text.
fn from_file(documents: &Documents, path: &str) -> Result<Node, Error> {
    let (file, text) = documents.text(path)?;
    let read = yaml::sigs_to_json(&text, file, false).map_err(|error| {
        let message = eco_format!("error converting YAML to JSON: {error}");
        Error::new(message, error.span)
    })?;
    let mut kustomization = base();
    fields::take(&read, &mut kustomization);
    // Upstream's way to keep an "empty" file from failing; it also drops what
    // the file itself asked for.
    if kustomization.get("resources").is_none() {
        let origin = Node::string("originAnnotations").at(read.span);
        kustomization.insert("buildMetadata", Node::seq([origin]).at(read.span));
    }
    kustomization.span = read.span;
    Ok(kustomization)
}

/// A kustomization that says nothing.
fn base() -> Node {
    Node::map([
        (
            "apiVersion",
            Node::string("kustomize.config.k8s.io/v1beta1"),
        ),
        ("kind", Node::string("Kustomization")),
    ])
}

#[cfg(test)]
mod tests;
