//! The Flux Operator's FluxInstance: it installs Flux and makes the bootstrap
//! source and Kustomization. Facts from the operator's public documentation.

pub(crate) mod patches;
pub(crate) mod release;

use ecow::EcoString;
use model::{Identity, Object};
use yaml::{Node, Span};

use crate::spec::flux_object;
use crate::spec::{KUSTOMIZE_GROUP, SOURCE_GROUP, text};

/// What a FluxInstance says, from the object itself or from values of its
/// chart.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    /// The Flux release it installs, possibly a range.
    pub version: Option<EcoString>,
    /// The objects `sync` makes, when there is one.
    pub sync: Option<Sync>,
}

/// What `spec.sync` makes.
#[derive(Clone, Debug)]
pub(crate) struct Sync {
    /// The source object.
    pub source: Object,
    /// The Kustomization.
    pub kustomization: Object,
    /// Its path as written.
    pub path: EcoString,
    /// Patches that may change the two and could not be applied.
    pub unpatched: Option<Span>,
}

impl Instance {
    /// A FluxInstance object that lies in a namespace: a file that is read alone
    /// may get it from a kustomization.
    pub fn of_object(object: &Object, namespace: &EcoString) -> Option<Instance> {
        let identity = &object.identity;
        if identity.group != "fluxcd.controlplane.io" || identity.kind != "FluxInstance" {
            return None;
        }
        let spec = object.node.get("spec")?;
        Some(Instance::of_spec(spec, namespace))
    }

    /// Values of the flux-instance chart, released into a namespace.
    pub fn of_values(values: &Node, namespace: &EcoString) -> Option<Instance> {
        let spec = values.get("instance")?;
        spec.get("sync").filter(|sync| sync.is_map())?;
        Some(Instance::of_spec(spec, namespace))
    }

    fn of_spec(spec: &Node, namespace: &EcoString) -> Instance {
        Instance {
            version: release::version(spec),
            sync: sync(spec, namespace),
        }
    }
}

fn sync(spec: &Node, namespace: &EcoString) -> Option<Sync> {
    let sync = spec.get("sync").filter(|sync| sync.is_map())?;
    let kind = text(sync.get("kind"))?;
    let name = text(sync.get("name")).unwrap_or_else(|| namespace.clone());
    let identity = |group: &str, kind: &EcoString| Identity {
        group: group.into(),
        version: "v1".into(),
        kind: kind.clone(),
        namespace: namespace.clone(),
        name: name.clone(),
    };
    let source = identity(SOURCE_GROUP, &kind);
    let kustomization = identity(KUSTOMIZE_GROUP, &"Kustomization".into());
    let mut source = flux_object(source, source_spec(sync, &kind));
    let mut kustomization = flux_object(kustomization, kustomization_spec(sync, &kind, &name));
    let unpatched = patches::apply(spec, &mut [&mut source, &mut kustomization]).err();
    Some(Sync {
        path: text(kustomization.node.path(&["spec", "path"])).unwrap_or_default(),
        source,
        kustomization,
        unpatched,
    })
}

fn source_spec(sync: &Node, kind: &str) -> Node {
    let mut spec = vec![(
        "interval",
        sync.get("interval")
            .cloned()
            .unwrap_or_else(|| Node::string("1m")),
    )];
    let reference = sync.get("ref").cloned();
    match kind {
        "Bucket" => {
            spec.extend(sync.get("url").cloned().map(|url| ("endpoint", url)));
            spec.extend(reference.map(|name| ("bucketName", name)));
        }
        _ => {
            spec.extend(sync.get("url").cloned().map(|url| ("url", url)));
            let field = if kind == "GitRepository" {
                "name"
            } else {
                "tag"
            };
            spec.extend(reference.map(|name| ("ref", Node::map([(field, name)]))));
        }
    }
    if let Some(secret) = sync.get("pullSecret") {
        spec.push(("secretRef", Node::map([("name", secret.clone())])));
    }
    Node::map(spec).at(sync.span)
}

fn kustomization_spec(sync: &Node, kind: &EcoString, name: &EcoString) -> Node {
    let source = Node::map([
        ("kind", Node::string(kind.clone())),
        ("name", Node::string(name.clone())),
    ]);
    let mut spec = vec![
        ("interval", Node::string("10m")),
        ("prune", Node::bool(true)),
        ("sourceRef", source.at(sync.span)),
    ];
    spec.extend(sync.get("path").cloned().map(|path| ("path", path)));
    Node::map(spec).at(sync.span)
}
