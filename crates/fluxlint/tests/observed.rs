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

#[test]
fn measured_durations_are_read_in_any_form() {
    let list = "flux-system/flux-system: 90s\nflux-system/flux-sistem: 5s\n";
    let metrics = "gotk_reconcile_duration_seconds_sum{kind=\"Kustomization\",name=\"flux-system\",namespace=\"flux-system\"} 8\n\
                   gotk_reconcile_duration_seconds_count{kind=\"Kustomization\",name=\"flux-system\",namespace=\"flux-system\"} 4\n";
    let repository = repository(&[
        ("list.yaml", list),
        ("metrics.txt", metrics),
        ("state.json", STATE),
    ]);
    let files = [
        "--observed",
        "list.yaml",
        "--observed",
        "metrics.txt",
        "--observed",
        "state.json",
    ];
    let output = check(&repository, &files).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(
        text.contains("did you mean `flux-system/flux-system`?"),
        "{text}"
    );
    assert!(text.contains("state.json holds no durations"), "{text}");
}

#[test]
fn durations_that_are_none_end_with_2() {
    let repository = repository(&[("list.yaml", "flux-system/flux-system: long\n")]);
    check(&repository, &["--observed", "list.yaml"])
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: cannot read durations from list.yaml
  cause: list.yaml:1:26: `long`, for `flux-system/flux-system`, is no duration
  help: write it as 90s, 5m or 1h30m

"#]]);
}

#[test]
fn one_state_is_no_state_of_two_clusters() {
    let repository = repository(&[
        ("state.json", STATE),
        (
            "other/config.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n",
        ),
    ]);
    check(&repository, &["cluster", "other", "--cluster-state", "state.json"])
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: a cluster's state can be compared with one entrypoint only
  cause: there are 2 here
  help: name the entrypoint of that cluster, as in: fluxlint check cluster --cluster-state state.json

"#]]);
}
