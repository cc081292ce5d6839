//! `fluxlint timing`: tables, questions, forms.

mod common;

use common::{fluxlint, tree};
use serde_json::Value;
use snapbox::str;

const FILES: &[(&str, &str)] = &[
    (
        "cluster/kustomizations.yaml",
        "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: database
  namespace: flux-system
spec:
  interval: 10m
  timeout: 5m
  path: ./database
  prune: true
  wait: true
  sourceRef:
    kind: GitRepository
    name: flux-system
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: shop
  namespace: flux-system
spec:
  dependsOn:
    - name: database
  interval: 10m
  timeout: 3m
  path: ./shop
  prune: true
  wait: true
  sourceRef:
    kind: GitRepository
    name: flux-system
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: notes
  namespace: flux-system
spec:
  interval: 10m
  path: ./notes
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
  interval: 2m
  url: https://git.example.org/fleet.git
  ref:
    branch: main
",
    ),
    ("database/config.yaml", CONFIG),
    ("shop/config.yaml", CONFIG),
    ("notes/config.yaml", CONFIG),
];

const CONFIG: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: config
  namespace: default
";

fn timing(args: &[&str]) -> snapbox::cmd::OutputAssert {
    timing_of(FILES, args)
}

fn timing_of(files: &[(&str, &str)], args: &[&str]) -> snapbox::cmd::OutputAssert {
    let dir = tree(files);
    let mut all = vec!["timing", "cluster"];
    all.extend(args);
    fluxlint(&all).current_dir(dir.path()).assert()
}

fn document(args: &[&str]) -> Value {
    let mut all = vec!["--format", "json"];
    all.extend(args);
    let output = timing(&all).success();
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

#[test]
fn a_table_says_when_and_why() {
    timing(&[]).success().stdout_eq(str![[r#"
cluster: from an empty cluster
at most 8m40s

critical path
   5m05s   +5m05s  `flux-system/database` becomes healthy [cluster/kustomizations.yaml:8]
   5m35s     +30s  `flux-system/shop` starts only when `flux-system/database` is ready: `dependsOn` [cluster/kustomizations.yaml:23]
   8m40s   +3m05s  `flux-system/shop` becomes healthy [cluster/kustomizations.yaml:25]

component                earliest    latest     slack  critical
flux-system/flux-system        0s        0s     8m40s  yes
flux-system/notes              0s        0s     8m40s
flux-system/database           0s     5m05s        0s  yes
flux-system/shop               0s     8m40s        0s  yes

"#]]);
}

#[test]
fn what_if_shows_the_difference() {
    timing(&[
        "--without",
        "shop:database",
        "--timeout",
        "flux-system/database=1m",
    ])
    .success()
    .stdout_eq(str![[r#"
cluster: from an empty cluster
  if flux-system/shop did not depend on flux-system/database
  if flux-system/database had a timeout of 1m
at most 3m05s
as it is: at most 8m40s (5m35s less)

critical path
   3m05s   +3m05s  `flux-system/shop` becomes healthy [cluster/kustomizations.yaml:25]

component                earliest    latest     slack  critical
flux-system/flux-system        0s        0s     3m05s  yes
flux-system/notes              0s        0s     3m05s
flux-system/database           0s     1m05s        2m
flux-system/shop               0s     3m05s        0s  yes

"#]]);
}

#[test]
fn a_failure_blocks_what_depends_on_it() {
    timing(&["--scenario", "failure=database"])
        .success()
        .stdout_eq(str![[r#"
cluster: from an empty cluster, while flux-system/database never becomes ready
at most 0s
  never ready because of it: flux-system/database, flux-system/shop

component                earliest    latest     slack  critical
flux-system/flux-system        0s        0s        0s  yes
flux-system/notes              0s        0s        0s

"#]]);
}

#[test]
fn a_commit_concerns_what_comes_after_it() {
    timing(&["--scenario", "commit=flux-system/database"])
        .success()
        .stdout_eq(str![[r#"
cluster: after a commit that changes flux-system/database
at most 10m40s
  GitRepository/flux-system/flux-system is fetched at its interval: up to 2m

critical path
      2m      +2m  GitRepository/flux-system/flux-system is fetched at its interval
   7m05s   +5m05s  `flux-system/database` becomes healthy [cluster/kustomizations.yaml:8]
   7m35s     +30s  `flux-system/shop` starts only when `flux-system/database` is ready: `dependsOn` [cluster/kustomizations.yaml:23]
  10m40s   +3m05s  `flux-system/shop` becomes healthy [cluster/kustomizations.yaml:25]

component             earliest    latest     slack  critical
flux-system/database        0s     7m05s        0s  yes
flux-system/shop            0s    10m40s        0s  yes

"#]]);
    let receiver = "\
apiVersion: notification.toolkit.fluxcd.io/v1
kind: Receiver
metadata:
  name: commits
  namespace: flux-system
spec:
  type: generic
  resources:
    - kind: GitRepository
      name: flux-system
  secretRef:
    name: token
";
    let files = [FILES, &[("cluster/receiver.yaml", receiver)]].concat();
    let told = timing_of(&files, &["--scenario", "commit=shop"]).success();
    let text = String::from_utf8(told.get_output().stdout.clone()).unwrap();
    assert!(text.contains("at most 3m05s\n"), "{text}");
    assert!(text.contains("a Receiver tells of commits"), "{text}");
}

#[test]
fn after_a_restart_nothing_waits_for_its_dependencies() {
    let document = document(&["--scenario", "restart"]);
    let entry = &document["entrypoints"][0];
    assert_eq!(entry["scenario"], "restart");
    assert_eq!(entry["timing"]["bound"], 305_000_000_000_u64);
    assert_eq!(entry["timing"]["complete"], true);
}

#[test]
fn measured_times_are_the_best_case() {
    let measured = "flux-system/database: 40s\nflux-system/shop: 20s\n";
    let files = [FILES, &[("measured.yaml", measured)]].concat();
    let output = timing_of(&files, &["--observed", "measured.yaml"]).success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.contains("at most 8m40s, at best 1m\n"), "{text}");
    assert!(text.contains("measured: 2 components\n"), "{text}");
}

#[test]
fn programs_get_every_event() {
    let document = document(&[]);
    let entry = &document["entrypoints"][0];
    let timing = &entry["timing"];
    assert_eq!(timing["bound"], 520_000_000_000_u64);
    assert_eq!(timing["criticalPath"].as_array().unwrap().len(), 8);
    assert_eq!(timing["events"].as_array().unwrap().len(), 12);
    assert_eq!(entry["components"][3]["component"], "flux-system/shop");
    assert_eq!(
        entry["components"][3]["ready"],
        serde_json::json!([0, 520_000_000_000_u64])
    );
    assert_eq!(entry["workers"][1]["controller"], "kustomize-controller");
    assert_eq!(entry["workers"][1]["wait"], 0);
}

#[test]
fn a_chart_stands_alone() {
    let output = timing(&["--format", "svg"]).success();
    let svg = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    assert!(svg.ends_with("</svg>\n"));
    assert!(svg.contains("prefers-color-scheme: dark"));
    assert!(!svg.contains("href"), "nothing is fetched");
    for name in ["database", "shop", "notes", "flux-system"] {
        assert!(
            svg.contains(&format!(">flux-system/{name}</text>")),
            "{svg}"
        );
    }
    assert_eq!(svg.matches("<rect class=\"critical\"").count(), 3);
}

#[test]
fn a_wrong_question_is_explained() {
    timing(&["--scenario", "comit=shop"])
        .code(2)
        .stderr_eq(str![[r#"
error: no scenario is called `comit=shop`
  help: there are `empty`, `commit=COMPONENT`, `failure=COMPONENT` and `restart`

"#]]);
    timing(&["--without", "database:shop"])
        .code(2)
        .stderr_eq(str![[r#"
error: flux-system/database does not depend on flux-system/shop
  help: `--without A:B` takes an entry out of `dependsOn` of A

"#]]);
    timing(&["--timeout", "default/shop=1m"])
        .code(2)
        .stderr_eq(str![[r#"
error: no component is called default/shop
  help: did you mean flux-system/shop?

"#]]);
    timing(&["--timeout", "shop=1"]).code(2).stderr_eq(str![[r#"
error: `--timeout shop=1`
  cause: `1` is no duration; write it as 90s, 5m or 1h30m

"#]]);
}
