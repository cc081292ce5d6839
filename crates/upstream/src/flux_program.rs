//! `flux build kustomization` as a program that builds with kustomize.
//!
//! It merges a Kustomization's spec into the kustomization file, builds, and
//! substitutes variables. What it is given here is merged already, so its
//! Kustomization holds a path and nothing else: what it makes is what kustomize,
//! as Flux brings it, makes.

use std::ffi::OsStr;
use std::path::Path;

use ecow::EcoString;
use kustomize::Resource;
use model::ComponentKey;
use serde_json::json;
use yaml::Node;

use crate::objects;
use crate::program::{Failure, Program};

/// Labels by which Flux knows what it has applied.
const NAME: &str = "kustomize.toolkit.fluxcd.io/name";
const NAMESPACE: &str = "kustomize.toolkit.fluxcd.io/namespace";

/// Runs it on a directory of a checkout: what it prints.
pub(crate) fn run(
    program: &Program,
    component: &ComponentKey,
    dir: &Path,
) -> Result<String, Failure> {
    let not_run = |error: std::io::Error| Failure::NotRun(error.to_string().into());
    let (name, namespace) = owner(component);
    let kustomization = json!({
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": {"name": name.as_str(), "namespace": namespace.as_str()},
        "spec": {
            "interval": "10m",
            "path": ".",
            "prune": true,
            "sourceRef": {"kind": "GitRepository", "name": "flux-system"},
        },
    });
    let file = tempfile::NamedTempFile::new().map_err(not_run)?;
    std::fs::write(file.path(), kustomization.to_string()).map_err(not_run)?;
    let arguments = [
        OsStr::new(&*name),
        OsStr::new("--namespace"),
        OsStr::new(&*namespace),
        OsStr::new("--path"),
        dir.as_os_str(),
        OsStr::new("--kustomization-file"),
        file.path().as_os_str(),
        OsStr::new("--dry-run"),
    ];
    program.run(&arguments, dir)
}

/// What Flux masks when it prints: encrypted texts, and how they are encrypted.
const MASKED: [&str; 3] = ["data", "stringData", "sops"];

/// Gives Secrets the content back that they have here, so that it is not compared.
pub(crate) fn unmask(made: &mut [Node], native: &[Resource]) {
    let secrets = made
        .iter_mut()
        .filter(|object| object.str_at(&["kind"]) == Some("Secret"));
    for secret in secrets {
        let mut known = native.iter().map(Resource::node);
        let Some(known) = known.find(|known| objects::are_same(known, secret)) else {
            continue;
        };
        for field in MASKED {
            secret.remove(field);
        }
        for field in MASKED {
            if let Some(value) = known.get(field) {
                secret.insert(field, value.clone());
            }
        }
    }
}

/// Takes the labels off that it adds to each object.
pub(crate) fn without_labels(object: &mut Node, component: &ComponentKey) {
    let (name, namespace) = owner(component);
    let Some(metadata) = object.get_mut("metadata") else {
        return;
    };
    let Some(labels) = metadata.get_mut("labels") else {
        return;
    };
    for (key, value) in [(NAME, name), (NAMESPACE, namespace)] {
        if labels.str_at(&[key]) == Some(&*value) {
            labels.remove(key);
        }
    }
    if labels.entries().is_empty() {
        metadata.remove("labels");
    }
}

/// The Kustomization's name and namespace. The program insists on both.
fn owner(component: &ComponentKey) -> (EcoString, EcoString) {
    let or = |text: &EcoString, other: &str| match text.is_empty() {
        true => other.into(),
        false => text.clone(),
    };
    (
        or(&component.name, "flux-system"),
        or(&component.namespace, "flux-system"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_labels_go_and_others_stay() {
        let component = ComponentKey {
            kind: model::ComponentKind::Kustomization,
            namespace: "ns".into(),
            name: "apps".into(),
        };
        for (text, left) in [
            (
                "metadata: {labels: {kustomize.toolkit.fluxcd.io/name: apps, \
                 kustomize.toolkit.fluxcd.io/namespace: ns}}",
                "metadata: {}",
            ),
            (
                "metadata: {labels: {a: b, kustomize.toolkit.fluxcd.io/name: other}}",
                "metadata: {labels: {a: b, kustomize.toolkit.fluxcd.io/name: other}}",
            ),
            ("kind: List", "kind: List"),
        ] {
            let read = |text: &str| {
                let limits = yaml::Limits::default();
                yaml::parse(text, yaml::FileId::NONE, &limits)
                    .unwrap()
                    .remove(0)
            };
            let mut object = read(text);
            without_labels(&mut object, &component);
            assert_eq!(yaml::to_json(&object), yaml::to_json(&read(left)));
        }
    }
}
