//! From the documents of a rendered chart to objects.

use std::sync::Arc;

use ecow::{EcoString, eco_format};
use helm::Output;
use kubeapi::Scope;
use kustomize::{ResMap, Resource};
use model::{Identity, Object, Template};
use rustc_hash::{FxHashMap, FxHashSet};
use yaml::{FileId, Node};

use super::post_render::{Document, PostRender, Strategy};
use super::{Request, chart_span};
use crate::chart::Loaded;

/// The labels that name the release an object comes from.
const ORIGIN: [&str; 2] = [
    "helm.toolkit.fluxcd.io/name",
    "helm.toolkit.fluxcd.io/namespace",
];

/// The objects that a release applies: definitions first, then what it
/// installs, then its hooks of installation and upgrade.
pub(super) fn objects(
    request: &Request<'_>,
    release: &helm::Release,
    output: Output,
) -> Result<Vec<Arc<Object>>, EcoString> {
    let span = chart_span(request.object);
    let mut nodes = definitions(request, &output)?;
    let loaded = request.loaded;
    let read = |path: &str, text: &str, tree: Option<Vec<Node>>| {
        let objects = match tree {
            Some(documents) => kustomize::objects_of(documents),
            None => kustomize::objects(text, FileId::NONE),
        };
        let objects = objects
            .map_err(|error| eco_format!("error merging manifests: parsing {path}: {error}"))?;
        let template = template(loaded, path, false);
        let documents = objects.into_iter().map(move |node| Document {
            node,
            template: template.clone(),
        });
        Ok::<_, EcoString>(documents)
    };
    let post = PostRender::new(request);
    let joined = Joined::of(&output, post.strategy()?);
    let mut manifests = Vec::with_capacity(output.manifests.len());
    for (manifest, cut) in output.manifests.into_iter().zip(joined.manifests) {
        let (text, tree) = ended(&manifest.text, manifest.tree, cut);
        manifests.extend(read(&manifest.path, text, tree)?);
    }
    let mut hooks = Vec::new();
    for (hook, cut) in output.hooks.into_iter().zip(joined.hooks) {
        let runs = hook.events.iter().any(runs_here);
        if runs {
            let (text, tree) = ended(&hook.text, hook.tree, cut);
            hooks.extend(read(&hook.path, text, tree)?);
        }
    }
    nodes.extend(post.run(manifests, hooks)?);
    let made = nodes.into_iter().filter_map(|document| {
        let mut node = document.node;
        node.each_span(&mut |at| {
            if at.is_none() || post.is_rendered(*at) {
                *at = span;
            }
        });
        settle(&mut node, &release.namespace);
        Some(Arc::new(Object {
            identity: Identity::of(&node)?,
            node: Arc::new(node),
            template: Some(document.template),
        }))
    });
    Ok(made.collect())
}

/// Where hooks do not pass the post-renderers with the rest, Helm puts the documents
/// of each file together again, in the order of installation, and parts them once
/// more. White space at the end of all but the last goes, and with it the end of a
/// block of text that stands there.
struct Joined {
    /// Which manifests lose their end.
    manifests: Vec<bool>,
    /// Which hooks do.
    hooks: Vec<bool>,
}

impl Joined {
    fn of(output: &Output, strategy: Strategy) -> Self {
        if strategy == Strategy::Combined {
            return Joined {
                manifests: vec![false; output.manifests.len()],
                hooks: vec![false; output.hooks.len()],
            };
        }
        let manifests: Vec<&str> = output.manifests.iter().map(|m| m.path.as_str()).collect();
        let hooks: Vec<&str> = output.hooks.iter().map(|hook| hook.path.as_str()).collect();
        // Manifests come behind the hooks of their file where both stay as they are.
        let behind: FxHashSet<&str> = match strategy {
            Strategy::NoHooks => manifests.iter().copied().collect(),
            _ => FxHashSet::default(),
        };
        let of_hooks = not_last(&hooks);
        let of_hooks = hooks.iter().zip(of_hooks);
        Joined {
            manifests: not_last(&manifests),
            hooks: of_hooks
                .map(|(path, cut)| cut || behind.contains(path))
                .collect(),
        }
    }
}

/// Which paths come again.
fn not_last(paths: &[&str]) -> Vec<bool> {
    let last: FxHashMap<&str, usize> = paths
        .iter()
        .enumerate()
        .map(|(at, path)| (*path, at))
        .collect();
    let paths = paths.iter().enumerate();
    paths
        .map(|(at, path)| last.get(path) != Some(&at))
        .collect()
}

/// A document's text, and what was read of it while it still is that text.
fn ended(text: &str, tree: Option<Vec<Node>>, cut: bool) -> (&str, Option<Vec<Node>>) {
    if !cut {
        return (text, tree);
    }
    let left = text.trim_end_matches(['\t', '\n', '\u{c}', '\r', ' ']);
    (left, tree.filter(|_| left.len() == text.len()))
}

/// Whether a hook runs when a release comes or is changed.
fn runs_here(event: &helm::HookEvent) -> bool {
    use helm::HookEvent::{PostInstall, PostUpgrade, PreInstall, PreUpgrade};
    matches!(event, PreInstall | PostInstall | PreUpgrade | PostUpgrade)
}

fn template(loaded: &Loaded, path: &str, definitions: bool) -> Arc<Template> {
    Arc::new(Template {
        chart: eco_format!("{}-{}", loaded.name, loaded.version),
        path: path.into(),
        definitions,
    })
}

/// What the chart's `crds/` hold, if the policy is not to skip it. Other
/// objects there are passed over.
fn definitions(request: &Request<'_>, output: &Output) -> Result<Vec<Document>, EcoString> {
    let policy = request.object.str_at(&["spec", "install", "crds"]);
    match policy.unwrap_or_default() {
        "" | "Create" | "CreateReplace" => {}
        "Skip" => return Ok(Vec::new()),
        other => {
            return Err(eco_format!(
                "invalid CRD upgrade policy '{other}', valid values are 'Skip', 'Create' or \
                 'CreateReplace'"
            ));
        }
    }
    let mut documents = Vec::new();
    for file in &output.crds {
        let template = template(request.loaded, &file.name, true);
        for node in request.loaded.definitions(file)?.iter() {
            let mut node = node.clone();
            let key = request.key;
            set_labels(&mut node, &origin(&key.namespace, &key.name));
            documents.push(Document {
                node,
                template: template.clone(),
            });
        }
    }
    Ok(documents)
}

/// The labels of [`ORIGIN`].
pub(super) fn origin(namespace: &EcoString, name: &EcoString) -> Vec<(EcoString, Node)> {
    let [name_label, namespace_label] = ORIGIN;
    vec![
        (name_label.into(), Node::string(name.clone())),
        (namespace_label.into(), Node::string(namespace.clone())),
    ]
}

pub(super) fn set_labels(node: &mut Node, labels: &[(EcoString, Node)]) {
    set(node, "labels", labels);
}

/// Sets labels or annotations.
pub(super) fn set(node: &mut Node, field: &str, entries: &[(EcoString, Node)]) {
    if node
        .get("metadata")
        .is_none_or(|metadata| !metadata.is_map())
    {
        node.insert("metadata", Node::map::<&str>([]));
    }
    let Some(metadata) = node.get_mut("metadata") else {
        return;
    };
    if !metadata.get(field).is_some_and(Node::is_map) {
        metadata.insert(field, Node::map::<&str>([]));
    }
    if let Some(map) = metadata.get_mut(field) {
        for (key, value) in entries {
            map.insert(key, value.clone());
        }
    }
}

/// Gives an object of a namespaced kind the release's namespace when it has
/// none. Of a kind that only a definition tells about, most are: what is known
/// by then is corrected at the end of the walk.
fn settle(node: &mut Node, namespace: &str) {
    let Some(identity) = Identity::of(node) else {
        return;
    };
    let namespaced = match kubeapi::scope(&identity.group, &identity.kind) {
        Some(scope) => scope == Scope::Namespaced,
        None => !is_of_cluster(&identity.kind),
    };
    if identity.namespace.is_empty() && namespaced {
        let span = node.span;
        if let Some(metadata) = node.get_mut("metadata") {
            metadata.insert("namespace", Node::string(namespace).at(span));
        }
    }
}

/// Whether the name of a custom kind says that it belongs to the cluster.
fn is_of_cluster(kind: &str) -> bool {
    kind.starts_with("Cluster") || kind.ends_with("Class")
}

/// Fails where two objects have one identity, as kustomize does when it takes
/// them in.
pub(super) fn check_identities(documents: Vec<Document>) -> Result<Vec<Document>, EcoString> {
    let mut map = ResMap::new();
    let (nodes, templates): (Vec<Node>, Vec<Arc<Template>>) = documents
        .into_iter()
        .map(|document| (document.node, document.template))
        .unzip();
    map.extend(nodes.into_iter().map(Resource::new))
        .map_err(|error| eco_format!("{error}"))?;
    let resources = map.take().into_iter().zip(templates);
    Ok(resources
        .map(|(resource, template)| Document {
            node: resource.into_node(),
            template,
        })
        .collect())
}
