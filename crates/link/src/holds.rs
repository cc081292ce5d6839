//! What is inside of what components make: the keys of Secrets and ConfigMaps,
//! the ports of Services.

use ecow::EcoString;
use model::Object;
use yaml::{Node, Span};

use crate::{Export, Linked};

/// The keys of a Secret or ConfigMap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keys {
    /// These and no others, sorted.
    Known(Vec<EcoString>),
    /// Any key may be there: what makes it does not say.
    Open,
}

impl Keys {
    /// Whether a key may be there.
    pub fn may_hold(&self, key: &str) -> bool {
        match self {
            Keys::Known(keys) => keys.iter().any(|known| known == key),
            Keys::Open => true,
        }
    }
}

/// One port of a Service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its name, if it has one.
    pub name: Option<EcoString>,
    /// Its number.
    pub number: i64,
    /// Where it is written.
    pub span: Span,
}

impl Linked<'_> {
    /// The keys of the Secret or ConfigMap that an export makes.
    pub fn keys(&self, export: &Export) -> Keys {
        self.exported(export).map_or(Keys::Open, keys)
    }

    /// The ports of the Service that an export is; empty for what is none.
    pub fn ports(&self, export: &Export) -> Vec<Port> {
        let Some(object) = self.exported(export) else {
            return Vec::new();
        };
        if !object.identity.group.is_empty() || object.identity.kind != "Service" {
            return Vec::new();
        }
        let listed = object.node.path(&["spec", "ports"]);
        listed
            .map_or(&[][..], Node::items)
            .iter()
            .filter_map(|port| {
                Some(Port {
                    name: port.str_at(&["name"]).map(EcoString::from),
                    number: port.get("port")?.as_i64()?,
                    span: port.span,
                })
            })
            .collect()
    }

    fn exported(&self, export: &Export) -> Option<&Object> {
        let component = self.component(export.component)?;
        component.objects().get(export.object?).map(AsRef::as_ref)
    }
}

fn keys(object: &Object) -> Keys {
    let node = &object.node;
    let identity = &object.identity;
    match (identity.group.as_str(), identity.kind.as_str()) {
        ("", "Secret" | "ConfigMap") => known(
            ["data", "stringData", "binaryData"]
                .iter()
                .flat_map(|field| names(node.get(field))),
        ),
        ("external-secrets.io", "ExternalSecret") => external(node.get("spec")),
        ("external-secrets.io", "ClusterExternalSecret") => {
            external(node.path(&["spec", "externalSecretSpec"]))
        }
        ("bitnami.com", "SealedSecret") => known(
            names(node.path(&["spec", "encryptedData"]))
                .chain(names(node.path(&["spec", "template", "data"]))),
        ),
        ("cert-manager.io", "Certificate") => certificate(node),
        _ => Keys::Open,
    }
}

fn known(keys: impl Iterator<Item = EcoString>) -> Keys {
    let mut keys: Vec<EcoString> = keys.collect();
    keys.sort();
    keys.dedup();
    Keys::Known(keys)
}

fn names(map: Option<&Node>) -> impl Iterator<Item = EcoString> + '_ {
    let entries = map.map_or(&[][..], Node::entries).iter();
    entries.filter_map(|entry| entry.key.text().cloned())
}

/// A template's own keys take the place of the fetched ones, unless it says
/// that they are merged.
fn external(spec: Option<&Node>) -> Keys {
    let Some(spec) = spec else { return Keys::Open };
    let items = |path: &[&str]| spec.path(path).map_or(&[][..], Node::items);
    let open = !items(&["dataFrom"]).is_empty()
        || !items(&["target", "template", "templateFrom"]).is_empty();
    let templated = spec.path(&["target", "template", "data"]);
    let merged = spec.str_at(&["target", "template", "mergePolicy"]) == Some("Merge");
    let fetched = items(&["data"])
        .iter()
        .filter_map(|entry| entry.str_at(&["secretKey"]).map(EcoString::from));
    match templated {
        Some(_) if !merged && items(&["target", "template", "templateFrom"]).is_empty() => {
            known(names(templated))
        }
        _ if open => Keys::Open,
        _ => known(fetched.chain(names(templated))),
    }
}

fn certificate(node: &Node) -> Keys {
    let mut keys = vec!["tls.crt", "tls.key", "ca.crt"];
    for (store, files) in [
        ("jks", ["keystore.jks", "truststore.jks"]),
        ("pkcs12", ["keystore.p12", "truststore.p12"]),
    ] {
        let create = node.path(&["spec", "keystores", store, "create"]);
        if create.and_then(Node::as_bool) == Some(true) {
            keys.extend(files);
        }
    }
    let formats = node.path(&["spec", "additionalOutputFormats"]);
    for format in formats.map_or(&[][..], Node::items) {
        match format.str_at(&["type"]) {
            Some("CombinedPEM") => keys.push("tls-combined.pem"),
            Some("DER") => keys.push("key.der"),
            _ => {}
        }
    }
    known(keys.into_iter().map(EcoString::from))
}
