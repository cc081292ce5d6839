//! Sources that are made of other sources: by generators, and by what a
//! GitRepository includes.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use kustomize::Documents;
use model::Artifact;
use vfs::{Kind, Mapped, Tree};

use crate::artifact_generator::Output;
use crate::content::{Content, SourceTable};
use crate::source::definition::{Definition, Include};
use crate::workspace::ignored;

/// A tree made of other trees.
pub(crate) struct Composed {
    what: Recipe,
    parts: Vec<Arc<Documents>>,
    made: Result<Arc<Documents>, EcoString>,
}

#[derive(Clone, PartialEq)]
enum Recipe {
    Generated(Output),
    Included(Vec<Include>),
}

impl SourceTable<'_> {
    pub(super) fn generated(
        &mut self,
        cluster: &EcoString,
        output: &Output,
        depth: usize,
    ) -> Content {
        if let Some((what, _)) = &output.gap {
            return Content::Unavailable(eco_format!("{what} is not modelled"));
        }
        let mut parts = Vec::new();
        for copy in &output.copies {
            let source = output
                .sources
                .iter()
                .find(|(alias, _)| *alias == copy.alias);
            let Some((_, key)) = source else { continue };
            match self.content_at(cluster, key, depth + 1) {
                Content::Tree(documents, _) => parts.push(documents),
                Content::Unavailable(reason) | Content::Absent(reason) => {
                    return Content::Unavailable(eco_format!(
                        "its source {} is not available: {reason}",
                        key
                    ));
                }
                Content::Missing => {
                    return Content::Unavailable(eco_format!("nothing defines its source {}", key));
                }
            }
        }
        let recipe = Recipe::Generated(output.clone());
        let made = self.compose(recipe, parts, |parts| {
            let mut parts = parts.iter();
            output.assemble(|_| match parts.next() {
                Some(documents) => Ok(documents.tree().clone()),
                None => Err("a source is not available".into()),
            })
        });
        match made {
            Ok(documents) => Content::Tree(documents, Artifact::Generated),
            Err(reason) => Content::Unavailable(reason),
        }
    }

    pub(super) fn with_includes(
        &mut self,
        cluster: &EcoString,
        definition: &Definition,
        content: Content,
        depth: usize,
    ) -> Content {
        let Content::Tree(own, artifact) = content else {
            return content;
        };
        let mut parts = vec![own];
        for include in &definition.includes {
            match self.content_at(cluster, &include.source, depth + 1) {
                Content::Tree(documents, _) => parts.push(documents),
                Content::Unavailable(reason) | Content::Absent(reason) => {
                    let source = &include.source;
                    return Content::Unavailable(eco_format!(
                        "it includes {source}, which is not available: {reason}"
                    ));
                }
                Content::Missing => {
                    return Content::Unavailable(eco_format!(
                        "nothing defines {}, which it includes",
                        include.source
                    ));
                }
            }
        }
        let includes = &definition.includes;
        let made = self.compose(Recipe::Included(includes.clone()), parts, |parts| {
            let mut made = Mapped::new();
            let own = ("", "");
            let places = includes
                .iter()
                .map(|include| (include.from.as_str(), include.to.as_str()));
            for (part, (from, to)) in parts.iter().zip(std::iter::once(own).chain(places)) {
                copy_all(part.tree(), from, to, &mut made)?;
            }
            // The source's own rules hold for what it includes, too.
            ignored(&made.into_tree(), &definition.selection)
        });
        match made {
            Ok(documents) => Content::Tree(documents, artifact),
            Err(reason) => Content::Unavailable(reason),
        }
    }

    /// The tree a recipe makes of its parts, made once.
    fn compose(
        &mut self,
        what: Recipe,
        parts: Vec<Arc<Documents>>,
        make: impl FnOnce(&[Arc<Documents>]) -> Result<Tree, EcoString>,
    ) -> Result<Arc<Documents>, EcoString> {
        let same = |made: &&Composed| {
            made.what == what
                && made.parts.len() == parts.len()
                && made
                    .parts
                    .iter()
                    .zip(&parts)
                    .all(|(a, b)| Arc::ptr_eq(a, b))
        };
        if let Some(known) = self.composed.iter().find(same) {
            return known.made.clone();
        }
        let made = make(&parts).map(|tree| self.workspace.open(tree));
        self.composed.push(Composed {
            what,
            parts,
            made: made.clone(),
        });
        made
    }
}

fn copy_all(tree: &Tree, from: &str, to: &str, made: &mut Mapped) -> Result<(), EcoString> {
    let mut files = Vec::new();
    tree.walk(from, &mut |path, kind| {
        if kind == Kind::File {
            files.push(EcoString::from(path));
        }
        true
    })
    .map_err(|error| eco_format!("{error}"))?;
    for file in files {
        let rest = file
            .strip_prefix(from)
            .unwrap_or(&file)
            .trim_start_matches('/');
        let target = vfs::join(to, rest).map_err(|error| eco_format!("{error}"))?;
        made.copy(tree, &file, &target)
            .map_err(|error| eco_format!("{error}"))?;
    }
    Ok(())
}
