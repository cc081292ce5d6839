//! The post-renderers of a release: the user's, in order, then common
//! metadata, then labels that name the release.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use kustomize::{Documents, Options};
use model::Template;
use rustc_hash::FxHashMap;
use vfs::{Memory, Tree};
use yaml::{FileId, Node, Span};

use super::Request;
use super::objects::{check_identities, origin, set};
use crate::spec::items;

/// The file that kustomize is given.
const INPUT: &str = "helm-output.yaml";

/// An object and the chart's file that made it.
#[derive(Clone)]
pub(super) struct Document {
    pub node: Node,
    pub template: Arc<Template>,
}

/// Which documents pass the post-renderers together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    /// All.
    Combined,
    /// Hooks apart from the rest.
    Separate,
    /// Hooks do not.
    NoHooks,
}

/// The post-renderers of one release.
pub(super) struct PostRender<'a> {
    request: &'a Request<'a>,
    /// Where kustomize read what the chart rendered.
    rendered: std::cell::RefCell<Vec<FileId>>,
}

impl<'a> PostRender<'a> {
    pub fn new(request: &'a Request<'a>) -> Self {
        PostRender {
            request,
            rendered: std::cell::RefCell::default(),
        }
    }

    /// Whether a place is one in the chart's output.
    pub fn is_rendered(&self, span: Span) -> bool {
        self.rendered.borrow().contains(&span.file)
    }

    /// Renders manifests and hooks.
    pub fn run(
        &self,
        mut manifests: Vec<Document>,
        hooks: Vec<Document>,
    ) -> Result<Vec<Document>, EcoString> {
        Ok(match self.strategy()? {
            Strategy::Combined => {
                manifests.extend(hooks);
                self.through(manifests, "files")?
            }
            Strategy::Separate => {
                let hooks = self.through(hooks, "hooks")?;
                let mut rendered = self.through(manifests, "manifests")?;
                rendered.extend(hooks);
                rendered
            }
            Strategy::NoHooks => {
                let mut rendered = self.through(manifests, "manifests")?;
                for mut hook in hooks {
                    hook.node = canonical(hook.node)?;
                    rendered.push(hook);
                }
                rendered
            }
        })
    }

    /// How the release, or else the controller, will have it.
    pub fn strategy(&self) -> Result<Strategy, EcoString> {
        let path = ["spec", "postRenderStrategy"];
        match self.request.object.str_at(&path).unwrap_or_default() {
            "" if self.request.helm3 => Ok(Strategy::NoHooks),
            "" | "combined" => Ok(Strategy::Combined),
            "separate" => Ok(Strategy::Separate),
            "nohooks" => Ok(Strategy::NoHooks),
            other => Err(eco_format!("unknown post-render strategy: '{other}'")),
        }
    }

    fn through(
        &self,
        mut documents: Vec<Document>,
        what: &str,
    ) -> Result<Vec<Document>, EcoString> {
        if documents.is_empty() {
            return Ok(documents);
        }
        let failed =
            |error: EcoString| eco_format!("error while running post render on {what}: {error}");
        let renderers = items(self.request.object.path(&["spec", "postRenderers"]));
        for renderer in renderers {
            if let Some(spec) = renderer.get("kustomize").filter(|spec| !spec.is_null()) {
                documents = self.kustomize(documents, spec).map_err(failed)?;
            }
        }
        documents = check_identities(documents).map_err(failed)?;
        let common = |field: &str| {
            let path = ["spec", "commonMetadata", field];
            let entries = self.request.object.path(&path).map(Node::entries);
            let entries = entries.unwrap_or_default().iter();
            entries
                .filter_map(|entry| Some((entry.key.text()?.clone(), entry.value.clone())))
                .collect::<Vec<_>>()
        };
        let key = self.request.key;
        let mut labels = common("labels");
        labels.extend(origin(&key.namespace, &key.name));
        let annotations = common("annotations");
        for document in &mut documents {
            set(&mut document.node, "labels", &labels);
            if !annotations.is_empty() {
                set(&mut document.node, "annotations", &annotations);
            }
            drop_empty_annotations(&mut document.node);
            let node = std::mem::replace(&mut document.node, Node::null());
            document.node = canonical(node).map_err(failed)?;
        }
        Ok(documents)
    }

    /// One of the user's, as a kustomization with the chart's output for its
    /// only resource.
    fn kustomize(&self, documents: Vec<Document>, spec: &Node) -> Result<Vec<Document>, EcoString> {
        let mut text = String::new();
        let mut templates: FxHashMap<kustomize::ResId, Arc<Template>> = FxHashMap::default();
        for document in documents {
            if !text.is_empty() {
                text.push_str("---\n");
            }
            text.push_str(&yaml::emit_v3(&document.node));
            templates.insert(
                kustomize::ResId::of(&document.node),
                document.template.clone(),
            );
        }
        let memory = Memory::new([(INPUT, text.into_bytes())]);
        let tree = memory.map_err(|error| eco_format!("{error}"))?;
        let input = Documents::new(Tree::new(tree), self.request.texts.clone());
        let built = kustomize::build_root(&input, "", kustomization(spec), &Options::default());
        let output = built.map_err(|error| eco_format!("{error}"))?;
        if let Ok((file, _)) = input.text(INPUT) {
            self.rendered.borrow_mut().push(file);
        }
        let any = templates.values().next().cloned();
        let made = output.resources.into_iter().filter_map(|resource| {
            let known = resource
                .former_ids()
                .chain([resource.id().clone()])
                .find_map(|id| templates.get(&id).cloned());
            Some(Document {
                template: known.or_else(|| any.clone())?,
                node: resource.into_node(),
            })
        });
        Ok(made.collect())
    }
}

/// What the controller takes of a `kustomize` post-renderer.
fn kustomization(spec: &Node) -> Node {
    let picked = |node: &Node, fields: &[&'static str]| {
        let entry = |field: &&'static str| Some((*field, node.get(field)?.clone()));
        Node::map(fields.iter().filter_map(entry)).at(node.span)
    };
    let listed = |field: &str, fields: &[&'static str]| {
        Node::seq(items(spec.get(field)).map(|node| picked(node, fields)))
    };
    Node::map([
        (
            "apiVersion",
            Node::string("kustomize.config.k8s.io/v1beta1"),
        ),
        ("kind", Node::string("Kustomization")),
        ("resources", Node::seq([Node::string(INPUT)])),
        ("patches", listed("patches", &["patch", "target"])),
        (
            "images",
            listed("images", &["name", "newName", "newTag", "digest"]),
        ),
    ])
}

/// Helm notes the file of each document in an annotation and takes it away
/// again; annotations that are empty then go with it.
fn drop_empty_annotations(node: &mut Node) {
    let Some(metadata) = node.get_mut("metadata") else {
        return;
    };
    let empty = metadata.get("annotations").is_some_and(|annotations| {
        annotations.is_null() || (annotations.is_map() && annotations.entries().is_empty())
    });
    if empty {
        metadata.remove("annotations");
    }
}

fn canonical(node: Node) -> Result<Node, EcoString> {
    yaml::into_canonical(node).map_err(|error| eco_format!("{error}"))
}
