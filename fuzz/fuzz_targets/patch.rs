//! Patches of every kind and replacements on one resource: the text up to `---` is
//! the patch, the rest the resource.
#![no_main]

use kustomize::{Documents, Options, build};
use libfuzzer_sys::fuzz_target;
use vfs::{Memory, Tree};
use yaml::Sources;

fuzz_target!(|text: &str| {
    let (patch, resource) = text.split_once("\n---\n").unwrap_or((text, RESOURCE));
    let files = |kustomization: &str| {
        Memory::new([
            ("kustomization.yaml", kustomization.as_bytes().to_vec()),
            ("patch.yaml", patch.as_bytes().to_vec()),
            ("resource.yaml", resource.as_bytes().to_vec()),
        ])
    };
    for kustomization in FILES {
        if let Ok(files) = files(kustomization) {
            let documents = Documents::new(Tree::new(files), Sources::new());
            let _ = build(&documents, "", &Options::default());
        }
    }
});

const FILES: [&str; 4] = [
    "resources: [resource.yaml]\npatches: [{path: patch.yaml}]\n",
    "resources: [resource.yaml]\npatches: [{path: patch.yaml, target: {kind: Deployment}}]\n",
    "resources: [resource.yaml]\npatches: [{path: patch.yaml, target: {}}]\n",
    "resources: [resource.yaml]\nreplacements: [{path: patch.yaml}]\n",
];

const RESOURCE: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\n  labels: {a: b}\nspec:\n  template:\n    spec:\n      containers:\n      - name: c\n        image: i:1\n        env: [{name: A, value: b}]\n        ports: [{containerPort: 80}]\n";
