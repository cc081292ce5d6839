use kustomize::Documents;
use vfs::{Memory, Tree};
use yaml::{FileId, Sources};

use super::*;

fn documents(files: &[(&str, &str)]) -> Documents {
    let files = files.iter().map(|(p, t)| (*p, t.as_bytes().to_vec()));
    Documents::new(Tree::new(Memory::new(files).unwrap()), Sources::new())
}

fn flux(spec: &str) -> Node {
    let text =
        format!("apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nspec:\n{spec}");
    yaml::sigs_to_json(&text, FileId::NONE, false).unwrap()
}

/// The kustomization for directory `dir`, as YAML without its type, or the
/// error.
fn made(files: &[(&str, &str)], dir: &str, spec: &str) -> String {
    match generate(&documents(files), dir, &flux(spec)) {
        Ok((_, faults)) if !faults.is_empty() => format!("error: {}", faults[0].message),
        Ok((mut node, _)) => {
            node.remove("apiVersion");
            node.remove("kind");
            yaml::emit_v2(&node)
        }
        Err(error) => format!("error: {}", error.message),
    }
}

const OBJECT: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n";

#[test]
fn a_missing_file_is_made_from_what_is_there() {
    let files = [
        ("apps/b.yaml", OBJECT),
        ("apps/a/x.yml", OBJECT),
        ("apps/a/x.json", "{}"),
        ("apps/k/kustomization.yml", "resources: []\n"),
        ("apps/k/no-object.yaml", "a: 1\n"),
        ("apps/k/deep/x.yaml", "not: read\n"),
        ("apps/README.md", ""),
        ("other.yaml", "a: 1\n"),
    ];
    assert_eq!(
        made(&files, "apps", "  path: apps\n"),
        "resources:\n- ./a/x.yml\n- ./b.yaml\n- ./k\n"
    );
    assert_eq!(
        made(&[("empty/README.md", "")], "empty", "  prune: true\n"),
        "namespace: _placeholder\n"
    );
    let error = made(&files, "", "  path: ''\n");
    assert!(error.starts_with(
        "error: failed to decode Kubernetes YAML from other.yaml: missing Resource metadata"
    ));
}

#[test]
fn unknown_fields_are_lost_and_numbers_become_text() {
    let file = "\
Resources: [a.yaml]
unknown: {a: 1}
namePrefix: 12
namespace: ''
commonLabels: {app: 1, on: yes}
images:
- name: nginx
  newTag: 1.10
  foo: bar
patches:
- path: p.yaml
  patch: ''
  target: {kind: Deployment, other: x}
replicas:
- {name: x, count: 0}
configMapGenerator: []
openapi:
";
    assert_eq!(
        made(&[("kustomization.yaml", file)], "", "  path: ./\n"),
        "\
commonLabels:
  app: \"1\"
  \"true\": \"true\"
images:
- name: nginx
  newTag: \"1.1\"
namePrefix: \"12\"
patches:
- path: p.yaml
  target:
    kind: Deployment
replicas:
- count: 0
  name: x
resources:
- a.yaml
"
    );
}

#[test]
fn without_resources_origins_are_asked_for() {
    let file = "components: [c]\nbuildMetadata: [managedByLabel]\n";
    assert_eq!(
        made(&[("kustomization.yaml", file)], "", "  path: ./\n"),
        "buildMetadata:\n- originAnnotations\ncomponents:\n- c\n"
    );
    assert_eq!(
        made(
            &[("Kustomization", "")],
            "",
            "  buildMetadata: [transformerAnnotations]\n"
        ),
        "buildMetadata:\n- transformerAnnotations\n"
    );
}

#[test]
fn the_spec_is_merged_in() {
    let file = "\
resources: [a.yaml]
namespace: file
patches: [{path: own.yaml}]
images:
- {name: one, newTag: v1, digest: sha256:a}
- {name: two, newName: other, newTag: v1}
components: [own]
";
    let spec = "
  targetNamespace: flux
  namePrefix: pre-
  nameSuffix: -post
  patches:
  - patch: |
      - op: remove
        path: /x
    target: {kind: Deployment, name: x}
  components: [../c, missing]
  ignoreMissingComponents: true
  images:
  - {name: one, newTag: v2}
  - {name: two, newName: mine}
  - {name: three, digest: sha256:b}
";
    let files = [("k/kustomization.yaml", file), ("c/kustomization.yaml", "")];
    assert_eq!(
        made(&files, "k", spec),
        "\
components:
- own
- ../c
images:
- name: one
  newTag: v2
- name: two
  newName: mine
  newTag: v1
- digest: sha256:b
  name: three
namePrefix: pre-
nameSuffix: -post
namespace: flux
patches:
- path: own.yaml
- patch: |
    - op: remove
      path: /x
  target:
    kind: Deployment
    name: x
resources:
- a.yaml
"
    );
}

#[test]
fn components_are_local_and_relative() {
    for (path, local) in [
        ("foobar.yaml", true),
        ("./foobar.yaml", true),
        ("file://foobar.yaml", true),
        ("file:///foobar.yaml", false),
        ("/foobar.yaml", false),
        ("https://github.com/owner/repo", false),
        ("git@github.com:owner/repo", false),
        ("GitHub.com/owner/repo", false),
        ("git::", true),
    ] {
        assert_eq!(merge::is_local_relative(path), local, "{path}");
    }
    assert_eq!(
        made(&[("kustomization.yaml", "")], "", "  components: [/abs]\n"),
        "error: component path '/abs' must be local and relative"
    );
}

#[test]
fn old_patch_fields_count_in_old_versions_only() {
    let spec = "
  patchesStrategicMerge: [{kind: Deployment, metadata: {name: x}}]
  patchesJson6902:
  - patch: [{op: remove, path: /a}]
    target: {kind: Service, name: s}
";
    let files = [("kustomization.yaml", "resources: [a]\n")];
    assert_eq!(made(&files, "", spec), "resources:\n- a\n");
    let mut object = flux(spec);
    object.insert(
        "apiVersion",
        Node::string("kustomize.toolkit.fluxcd.io/v1beta2"),
    );
    let (node, _) = generate(&documents(&files), "", &object).unwrap();
    let merge = node.get("patchesStrategicMerge").unwrap().items()[0].as_str();
    assert_eq!(
        merge.unwrap(),
        r#"{"kind":"Deployment","metadata":{"name":"x"}}"#
    );
    let json = &node.get("patchesJson6902").unwrap().items()[0];
    assert_eq!(
        json.str_at(&["patch"]).unwrap(),
        r#"[{"op":"remove","path":"/a"}]"#
    );
    assert_eq!(json.str_at(&["target", "name"]), Some("s"));
}

#[test]
fn two_files_and_broken_files_are_errors() {
    let two = [("kustomization.yaml", ""), ("Kustomization", "")];
    assert!(made(&two, "", "  path: ./\n").contains("multiple kustomization files"));
    let broken = [("kustomization.yaml", "a: [\n")];
    assert!(made(&broken, "", "  path: ./\n").starts_with("error: error converting YAML to JSON"));
}
