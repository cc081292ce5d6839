//! Controllers that make Secrets, ConfigMaps and sources: one row a producer.

use ecow::EcoString;
use model::{Object, World};
use rustc_hash::FxHashMap;
use yaml::{Node, Span};

use crate::item::SOURCE_GROUP;

/// A Secret, ConfigMap or source that a controller makes.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    /// Its API group.
    pub group: EcoString,
    /// `Secret`, `ConfigMap` or `ExternalArtifact`.
    pub kind: EcoString,
    /// Its name.
    pub name: EcoString,
    /// Where.
    pub spread: Spread,
    /// The kind of the object it is made for.
    pub by: EcoString,
    /// Where that object says so.
    pub span: Span,
}

/// In which namespaces a copy is made.
#[derive(Clone, Debug)]
pub(crate) enum Spread {
    /// In this one.
    One(EcoString),
    /// In those whose labels match one of these selectors, or whose name is
    /// listed.
    Selected(Selected),
    /// In those whose name matches one of these patterns; in all without one.
    Matching(Vec<EcoString>),
}

/// Namespaces chosen by labels or by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selected {
    selectors: Vec<Node>,
    names: Vec<EcoString>,
}

impl Spread {
    /// Whether a copy is made in this namespace. A pattern with anything that
    /// may be a regular expression is taken to match.
    pub(crate) fn reaches(&self, namespace: &str) -> bool {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        match self {
            Spread::One(one) => one == namespace,
            Spread::Selected(selected) => selected.names.iter().any(|name| name == namespace),
            Spread::Matching(patterns) => {
                patterns.is_empty()
                    || patterns
                        .iter()
                        .any(|p| p == namespace || !p.chars().all(plain))
            }
        }
    }
}

/// Where the name of what is made comes from.
enum Name {
    /// The object's own.
    Own,
    /// A field, else the object's own.
    FieldOrOwn(&'static [&'static str]),
    /// A field; without it nothing is made.
    Field(&'static [&'static str]),
    /// The object's own with an ending.
    Ending(&'static str),
    /// Each item of a list, a field of it.
    Each(&'static [&'static str], &'static [&'static str]),
}

/// The field that names another namespace than the object's own.
type Elsewhere = Option<&'static [&'static str]>;

use Name::{Each, Ending, Field, FieldOrOwn, Own};

/// Group (`*` for any), kind (`*` for any), what is made, its name, the field
/// of its namespace.
#[rustfmt::skip]
const ROWS: &[(&str, &str, &str, Name, Elsewhere)] = &[
    ("bitnami.com", "SealedSecret", "Secret", FieldOrOwn(&["spec", "template", "metadata", "name"]), None),
    ("cert-manager.io", "Certificate", "Secret", Field(&["spec", "secretName"]), None),
    ("trust.cert-manager.io", "Bundle", "ConfigMap", Own, None),
    ("onepassword.com", "OnePasswordItem", "Secret", Own, None),
    ("isindir.github.com", "SopsSecret", "Secret", Each(&["spec", "secretTemplates"], &["name"]), None),
    ("secrets.hashicorp.com", "VaultStaticSecret", "Secret", Field(&["spec", "destination", "name"]), None),
    ("secrets.hashicorp.com", "VaultDynamicSecret", "Secret", Field(&["spec", "destination", "name"]), None),
    ("secrets.hashicorp.com", "VaultPKISecret", "Secret", Field(&["spec", "destination", "name"]), None),
    ("secrets.infisical.com", "InfisicalSecret", "Secret", Field(&["spec", "managedSecretReference", "secretName"]), Some(&["spec", "managedSecretReference", "secretNamespace"])),
    ("secrets.doppler.com", "DopplerSecret", "Secret", Field(&["spec", "managedSecret", "name"]), Some(&["spec", "managedSecret", "namespace"])),
    ("k8s.bitwarden.com", "BitwardenSecret", "Secret", Field(&["spec", "secretName"]), None),
    ("spv.no", "AzureKeyVaultSecret", "Secret", Field(&["spec", "output", "secret", "name"]), None),
    ("spv.no", "AzureKeyVaultSecret", "ConfigMap", Field(&["spec", "output", "configMap", "name"]), None),
    ("objectbucket.io", "ObjectBucketClaim", "Secret", Own, None),
    ("objectbucket.io", "ObjectBucketClaim", "ConfigMap", Own, None),
    ("postgresql.cnpg.io", "Cluster", "Secret", Ending("-app"), None),
    ("postgresql.cnpg.io", "Cluster", "Secret", Ending("-superuser"), None),
    ("postgresql.cnpg.io", "Cluster", "Secret", Ending("-ca"), None),
    ("postgresql.cnpg.io", "Cluster", "Secret", Ending("-server"), None),
    ("postgresql.cnpg.io", "Cluster", "Secret", Ending("-replication"), None),
    ("kafka.strimzi.io", "KafkaUser", "Secret", Own, None),
    ("kafka.strimzi.io", "Kafka", "Secret", Ending("-cluster-ca-cert"), None),
    ("kafka.strimzi.io", "Kafka", "Secret", Ending("-clients-ca-cert"), None),
    ("rabbitmq.com", "RabbitmqCluster", "Secret", Ending("-default-user"), None),
    ("secretgenerator.mittwald.de", "StringSecret", "Secret", Own, None),
    ("secretgenerator.mittwald.de", "BasicAuth", "Secret", Own, None),
    // Crossplane: any managed resource or claim.
    ("*", "*", "Secret", Field(&["spec", "writeConnectionSecretToRef", "name"]), Some(&["spec", "writeConnectionSecretToRef", "namespace"])),
];

/// Whether a controller makes something because of an object.
pub(crate) fn makes(object: &Object) -> bool {
    !object.identity.group.is_empty() && !made_by(object).is_empty()
}

/// What controllers make because of an object.
pub(crate) fn made_by(object: &Object) -> Vec<Made> {
    let identity = &object.identity;
    if identity.group.is_empty() {
        return copies(object, &object.node, &identity.kind, &identity.name);
    }
    let mut made: Vec<Made> = ROWS
        .iter()
        .filter(|(group, kind, ..)| {
            (*group == "*" || *group == identity.group) && (*kind == "*" || *kind == identity.kind)
        })
        .flat_map(|(_, _, kind, name, namespace)| from_row(object, kind, name, *namespace))
        .collect();
    if identity.group == "external-secrets.io" {
        made.extend(external_secret(object));
    }
    if identity.kind == "ArtifactGenerator" && identity.group == "source.extensions.fluxcd.io" {
        return artifacts(object);
    }
    let annotated: Vec<Made> = made
        .iter()
        .flat_map(|one| {
            templates(object)
                .into_iter()
                .flat_map(|template| copies(object, template, &one.kind, &one.name))
        })
        .collect();
    made.extend(annotated);
    made
}

fn from_row(object: &Object, kind: &str, name: &Name, namespace: Elsewhere) -> Vec<Made> {
    let node = &object.node;
    let own = &object.identity.name;
    let names: Vec<(EcoString, Span)> = match name {
        Name::Own => vec![(own.clone(), node.span)],
        Name::Ending(ending) => vec![(ecow::eco_format!("{own}{ending}"), node.span)],
        Name::Field(path) => text(node, path).into_iter().collect(),
        Name::FieldOrOwn(path) => {
            vec![text(node, path).unwrap_or_else(|| (own.clone(), node.span))]
        }
        Name::Each(list, field) => node
            .path(list)
            .map_or(&[][..], Node::items)
            .iter()
            .filter_map(|item| text(item, field))
            .collect(),
    };
    let namespace = namespace
        .and_then(|path| text(node, path))
        .map_or_else(|| object.identity.namespace.clone(), |(name, _)| name);
    // What a cluster-scoped object makes may be anywhere.
    let spread = match namespace.is_empty() {
        true => Spread::Matching(Vec::new()),
        false => Spread::One(namespace),
    };
    names
        .into_iter()
        .map(|(name, span)| Made {
            group: EcoString::new(),
            kind: kind.into(),
            name,
            spread: spread.clone(),
            by: object.identity.kind.clone(),
            span,
        })
        .collect()
}

/// ExternalSecret and ClusterExternalSecret: `target.name`, else the name of
/// the ExternalSecret. Nothing with a creation policy that only adds.
fn external_secret(object: &Object) -> Option<Made> {
    let node = &object.node;
    let own = &object.identity.name;
    let (spec, own, spread) = match object.identity.kind.as_str() {
        "ExternalSecret" => {
            let spread = Spread::One(object.identity.namespace.clone());
            (node.get("spec")?, own.clone(), spread)
        }
        "ClusterExternalSecret" => {
            let spec = node.get("spec")?;
            let name = text(spec, &["externalSecretName"]).map_or(own.clone(), |(name, _)| name);
            (
                spec.get("externalSecretSpec")?,
                name,
                Spread::Selected(selected(spec)),
            )
        }
        _ => return None,
    };
    let policy = spec.str_at(&["target", "creationPolicy"]);
    if matches!(policy, Some("Merge" | "None")) {
        return None;
    }
    let (name, span) = text(spec, &["target", "name"]).unwrap_or((own, node.span));
    Some(Made {
        group: EcoString::new(),
        kind: "Secret".into(),
        name,
        spread,
        by: object.identity.kind.clone(),
        span,
    })
}

/// What an ArtifactGenerator copies together.
fn artifacts(object: &Object) -> Vec<Made> {
    let listed = object.node.path(&["spec", "artifacts"]);
    listed
        .map_or(&[][..], Node::items)
        .iter()
        .filter_map(|artifact| {
            let (name, span) = text(artifact, &["name"])?;
            let namespace = text(artifact, &["namespace"]).map(|(name, _)| name);
            let own = object.identity.namespace.clone();
            Some(Made {
                group: SOURCE_GROUP.into(),
                kind: "ExternalArtifact".into(),
                name,
                spread: Spread::One(namespace.unwrap_or(own)),
                by: object.identity.kind.clone(),
                span,
            })
        })
        .collect()
}

fn selected(spec: &Node) -> Selected {
    let many = spec
        .get("namespaceSelectors")
        .map_or(&[][..], Node::items)
        .iter();
    let names = spec.get("namespaces").map_or(&[][..], Node::items).iter();
    Selected {
        selectors: spec
            .get("namespaceSelector")
            .into_iter()
            .chain(many)
            .cloned()
            .collect(),
        names: names.filter_map(|name| name.text().cloned()).collect(),
    }
}

/// Metadata that is copied onto what an object makes.
fn templates(object: &Object) -> Vec<&Node> {
    [
        &["spec", "secretTemplate"][..],
        &["spec", "target", "template"][..],
        &["spec", "externalSecretSpec", "target", "template"][..],
        &["spec", "template"][..],
    ]
    .iter()
    .filter_map(|path| object.node.path(path))
    .collect()
}

/// Copies that Reflector or Replicator make of a Secret or ConfigMap with these
/// annotations.
fn copies(object: &Object, template: &Node, kind: &str, name: &EcoString) -> Vec<Made> {
    if kind != "Secret" && kind != "ConfigMap" {
        return Vec::new();
    }
    let Some(annotations) = template
        .path(&["metadata", "annotations"])
        .or_else(|| template.get("annotations"))
    else {
        return Vec::new();
    };
    let value = |key: &str| annotations.get(key).and_then(Node::text);
    let reflected = value("reflector.v1.k8s.emberstack.com/reflection-auto-enabled")
        .is_some_and(|text| text == "true")
        .then(|| {
            value("reflector.v1.k8s.emberstack.com/reflection-auto-namespaces")
                .map_or("", EcoString::as_str)
        });
    let replicated = value("replicator.v1.mittwald.de/replicate-to").map(EcoString::as_str);
    reflected
        .into_iter()
        .chain(replicated)
        .map(|list| Made {
            group: EcoString::new(),
            kind: kind.into(),
            name: name.clone(),
            spread: Spread::Matching(
                list.split(',')
                    .map(|pattern| pattern.trim().into())
                    .filter(|pattern: &EcoString| !pattern.is_empty())
                    .collect(),
            ),
            by: object.identity.kind.clone(),
            span: annotations.span,
        })
        .collect()
}

fn text(node: &Node, path: &[&str]) -> Option<(EcoString, Span)> {
    let node = node.path(path).filter(|node| !node.is_null())?;
    let text = node.text().filter(|text| !text.is_empty())?;
    Some((text.clone(), node.span))
}

/// Labels of the rendered namespaces, by cluster.
pub(crate) struct Namespaces(FxHashMap<EcoString, Vec<(EcoString, Node)>>);

impl Namespaces {
    pub(crate) fn of(world: &World) -> Self {
        let mut found: FxHashMap<EcoString, Vec<(EcoString, Node)>> = FxHashMap::default();
        for component in &world.components {
            for object in component.objects() {
                if object.identity.group.is_empty() && object.identity.kind == "Namespace" {
                    let labels = object.node.path(&["metadata", "labels"]).cloned();
                    let labels = labels.unwrap_or_else(Node::null);
                    found
                        .entry(component.cluster.clone())
                        .or_default()
                        .push((object.identity.name.clone(), labels));
                }
            }
        }
        Namespaces(found)
    }

    /// The namespaces of a cluster that are listed or selected.
    pub(crate) fn selected(&self, cluster: &str, selected: &Selected) -> Vec<EcoString> {
        let rendered = self.0.get(cluster).into_iter().flatten();
        let mut names: Vec<EcoString> = rendered
            .filter(|(name, labels)| {
                selected
                    .selectors
                    .iter()
                    .any(|selector| matches(selector, name, labels))
            })
            .map(|(name, _)| name.clone())
            .chain(selected.names.iter().cloned())
            .collect();
        names.sort();
        names.dedup();
        names
    }
}

/// Whether a label selector accepts a namespace. An empty one accepts all.
fn matches(selector: &Node, name: &str, labels: &Node) -> bool {
    let label = |key: &str| match key {
        "kubernetes.io/metadata.name" => Some(name),
        _ => labels.get(key).and_then(Node::text).map(EcoString::as_str),
    };
    let equal = selector
        .get("matchLabels")
        .map_or(&[][..], Node::entries)
        .iter()
        .all(|entry| match (entry.key.text(), entry.value.text()) {
            (Some(key), Some(value)) => label(key) == Some(value.as_str()),
            _ => false,
        });
    let expressions = selector
        .get("matchExpressions")
        .map_or(&[][..], Node::items)
        .iter()
        .all(|expression| {
            let found = expression.str_at(&["key"]).and_then(label);
            let listed = expression
                .get("values")
                .map_or(&[][..], Node::items)
                .iter()
                .any(|value| value.text().map(EcoString::as_str) == found && found.is_some());
            match expression.str_at(&["operator"]) {
                Some("In") => listed,
                Some("NotIn") => !listed,
                Some("Exists") => found.is_some(),
                Some("DoesNotExist") => found.is_none(),
                _ => false,
            }
        });
    equal && expressions
}
