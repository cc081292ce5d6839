//! Tells mirrors how a source is asked: what its object and the Secrets it names
//! say.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ecow::{EcoString, eco_format};
use model::Reference;
use yaml::Node;

use crate::mirror::Mirror;
use crate::mirror::introduction::{HeldSecret, Introduction};
use crate::source::definition::Definition;
use crate::spec::text;
use crate::values::Provided;

/// Tells mirrors of a source.
pub(crate) fn introduce(
    mirrors: &[Arc<dyn Mirror>],
    definition: &Definition,
    look_up: impl Fn(&Reference) -> Provided,
) {
    let Some(url) = &definition.url else { return };
    let at = |path: &[&str]| definition.object.node.get("spec")?.path(path);
    let is = |field: &str| at(&[field]).and_then(Node::as_bool) == Some(true);
    let secret = |field: &str| {
        let node = at(&[field, "name"])?;
        let reference = Reference {
            api_version: None,
            kind: "Secret".into(),
            namespace: definition.key.namespace.clone(),
            name: text(Some(node))?,
            span: node.span,
        };
        match look_up(&reference) {
            Provided::Object(object) => Some(HeldSecret {
                name: eco_format!("{}/{}", reference.namespace, reference.name),
                data: data(&object.node),
            }),
            _ => None,
        }
    };
    let secrets: Vec<HeldSecret> = ["secretRef", "certSecretRef"]
        .into_iter()
        .filter_map(secret)
        .collect();
    let proxy = secret("proxySecretRef");
    let provider = text(at(&["provider"])).unwrap_or_default();
    for mirror in mirrors {
        mirror.introduce(&Introduction {
            kind: &definition.key.kind,
            url,
            insecure: is("insecure"),
            pass_credentials: is("passCredentials"),
            provider: &provider,
            secrets: &secrets,
            proxy: proxy.as_ref(),
        });
    }
}

/// The readable values of a Secret: `stringData` wins over `data`.
fn data(secret: &Node) -> Vec<(EcoString, Vec<u8>)> {
    let readable = |field: &str| {
        let entries = secret.get(field).map(Node::entries).unwrap_or_default();
        let readable = entries.iter().filter_map(|entry| {
            let value = entry.value.text()?;
            let unknown = entry.value.unknown || yaml::unknown::contains(value);
            (!unknown).then(|| (entry.key.text().cloned(), value.clone()))
        });
        readable.collect::<Vec<_>>()
    };
    let plain = readable("stringData").into_iter();
    let plain = plain.filter_map(|(key, value)| Some((key?, value.as_bytes().to_vec())));
    let encoded = readable("data").into_iter().filter_map(|(key, value)| {
        let value: String = value.chars().filter(|c| !c.is_whitespace()).collect();
        Some((key?, STANDARD.decode(value).ok()?))
    });
    plain.chain(encoded).collect()
}
