//! ArtifactGenerator: ExternalArtifacts made by copying paths of other sources.
//! Facts from Flux's documentation of v1beta1 and the controller.

pub(crate) mod copy;
pub(crate) mod glob;

use ecow::{EcoString, eco_format};
use model::{Object, SourceKey};
use vfs::{Mapped, Tree};
use yaml::{Node, Span};

use crate::artifact_generator::copy::Copy;
use crate::spec::{items, text};

/// The API group of ArtifactGenerators.
const GROUP: &str = "source.extensions.fluxcd.io";

/// One ExternalArtifact that a generator makes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Output {
    /// Its key.
    pub key: SourceKey,
    /// Sources by alias.
    pub sources: Vec<(EcoString, SourceKey)>,
    /// Its copies in order.
    pub copies: Vec<Copy>,
    /// A part that is not modelled: the content is unknown.
    pub gap: Option<(EcoString, Span)>,
    /// Where it is written.
    pub span: Span,
}

/// The artifacts of an ArtifactGenerator object; `None` for anything else.
pub(crate) fn outputs(object: &Object) -> Option<Vec<Output>> {
    let identity = &object.identity;
    if identity.group != GROUP || identity.kind != "ArtifactGenerator" {
        return None;
    }
    let spec = object.node.get("spec")?;
    let namespace = &identity.namespace;
    let sources: Vec<_> = items(spec.get("sources"))
        .map(|source| {
            let key = SourceKey {
                kind: text(source.get("kind")).unwrap_or_default(),
                namespace: text(source.get("namespace")).unwrap_or_else(|| namespace.clone()),
                name: text(source.get("name")).unwrap_or_default(),
            };
            (text(source.get("alias")).unwrap_or_default(), key)
        })
        .collect();
    let pattern = spec
        .get("pathPattern")
        .filter(|node| text(Some(node)).is_some())
        .map(|node| ("pathPattern of an ArtifactGenerator".into(), node.span));
    let outputs = items(spec.get("artifacts")).map(|artifact| {
        let mut output = Output {
            key: SourceKey {
                kind: "ExternalArtifact".into(),
                namespace: text(artifact.get("namespace")).unwrap_or_else(|| namespace.clone()),
                name: text(artifact.get("name")).unwrap_or_default(),
            },
            sources: sources.clone(),
            copies: Vec::new(),
            gap: pattern.clone(),
            span: artifact.get("name").unwrap_or(artifact).span,
        };
        for copy in items(artifact.get("copy")) {
            match read_copy(copy) {
                Ok(copy) => output.copies.push(copy),
                Err(what) => {
                    output.gap.get_or_insert((what, copy.span));
                }
            }
        }
        output
    });
    Some(outputs.collect())
}

fn read_copy(node: &Node) -> Result<Copy, EcoString> {
    match node.get("strategy").and_then(Node::as_str) {
        None | Some("Overwrite" | "") => {}
        Some(other) => return Err(eco_format!("copy strategy {other} of an ArtifactGenerator")),
    }
    let from = text(node.get("from")).unwrap_or_default();
    let to = text(node.get("to")).unwrap_or_default();
    let source = from.strip_prefix('@').and_then(|rest| rest.split_once('/'));
    let (Some((alias, path)), Some(target)) = (source, to.strip_prefix("@artifact/")) else {
        return Err(eco_format!(
            "copy from {from:?} to {to:?} of an ArtifactGenerator"
        ));
    };
    Ok(Copy {
        alias: alias.into(),
        from: path.into(),
        to: target.into(),
        exclude: items(node.get("exclude"))
            .filter_map(|node| text(Some(node)))
            .collect(),
        optional: node
            .get("optional")
            .and_then(Node::as_bool)
            .unwrap_or(false),
    })
}

impl Output {
    /// The artifact's tree, from the trees of its sources. Fails with the
    /// reason the controller would give.
    pub fn assemble(
        &self,
        mut content: impl FnMut(&SourceKey) -> Result<Tree, EcoString>,
    ) -> Result<Tree, EcoString> {
        let mut made = Mapped::new();
        for copy in &self.copies {
            let source = self.sources.iter().find(|(alias, _)| *alias == copy.alias);
            let Some((_, key)) = source else {
                return Err(eco_format!("source alias '{}' not found", copy.alias));
            };
            copy.apply(&content(key)?, &mut made)?;
        }
        Ok(made.into_tree())
    }
}
