//! What a cluster reported: `check --cluster-state`.

mod common;

use common::{fluxlint, tree};
use snapbox::str;

const ROOT: &str = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: flux-system
  namespace: flux-system
spec:
  interval: 10m
  retryInterval: 1m
  path: ./cluster
  prune: true
  sourceRef:
    kind: GitRepository
    name: flux-system
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata:
  name: flux-system
  namespace: flux-system
spec:
  interval: 1m
  url: https://git.example.org/fleet.git
  ref:
    branch: main
";

/// A repository with further files.
fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
    let mut all = vec![("cluster/flux-system/gotk-sync.yaml", ROOT)];
    all.extend(files);
    tree(&all)
}

fn check(dir: &tempfile::TempDir, args: &[&str]) -> snapbox::cmd::Command {
    fluxlint(&["check"]).args(args).current_dir(dir.path())
}

const STATE: &str = r#"{"apiVersion": "v1", "kind": "List", "items": [
  {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization",
   "metadata": {"name": "flux-system", "namespace": "flux-system"},
   "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "BuildFailed", "message": "no disk"}]}}
]}"#;

#[test]
fn a_failure_of_the_cluster_that_nothing_explains_ends_with_1() {
    let repository = repository(&[("state.json", STATE)]);
    let output = check(&repository, &["--cluster-state", "state.json"])
        .assert()
        .code(1);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.contains("FL-O001"), "{text}");
    assert!(text.contains("the cluster says: no disk"), "{text}");
    check(&repository, &["--cluster-state", "-"])
        .stdin(STATE)
        .assert()
        .code(1);
}

#[test]
fn a_state_that_is_none_ends_with_2() {
    let repository = repository(&[("state.json", "{\n")]);
    check(&repository, &["--cluster-state", "state.json"])
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: cannot read the cluster's state from state.json
  cause: state.json:2:1: [..]

"#]]);
    check(&repository, &["--cluster-state", "none.json"])
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: cannot read the cluster's state from none.json
  cause: No such file or directory (os error 2)

"#]]);
}
