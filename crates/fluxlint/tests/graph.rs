//! `fluxlint graph`: what it draws of the broken example.

mod common;

use common::fluxlint;
use snapbox::str;

fn graph(args: &[&str]) -> snapbox::cmd::OutputAssert {
    let mut all = vec!["graph", "--repo", "examples/broken"];
    all.extend(args);
    fluxlint(&all).assert().stderr_eq("")
}

#[test]
fn dot() {
    graph(&[]).success().stdout_eq(str![[r##"
digraph fluxlint {
  rankdir=LR;
...
  subgraph cluster_0 {
    label="clusters/main";
...
      label="flux-system";
...
      n0_4 [label="infrastructure", tooltip="flux-system/infrastructure/n2 objects/npart of a circle of waits/nclusters/main/infrastructure.yaml:17", style="filled", fillcolor="#ffd7d5", color="#d1242f"];
...
  n0_0 -> n0_1 [style="dotted", tooltip="flux-system/backups exists only once flux-system/flux-system, which applies it, is applied as a whole/nclusters/main/apps.yaml:38", color="#afb8c1"];
...
  n0_2 -> n0_1 [style="solid", label="CRD Backup", tooltip="flux-system/backups starts only when flux-system/crds is ready: dependsOn/nclusters/main/apps.yaml:45", penwidth=3, color="#1f2328"];
  n0_4 -> n0_6 [style="solid", tooltip="flux-system/storage starts only when flux-system/infrastructure is ready: dependsOn/ninfrastructure/storage.yaml:8", penwidth=2.5, color="#d1242f", fontcolor="#d1242f"];
  n0_4 -> n0_6 [style="dotted", tooltip=[..], color="#afb8c1"];
  n0_6 -> n0_4 [style="dashed", label="wait", tooltip="flux-system/infrastructure is ready only when flux-system/storage is: wait: true/nclusters/main/infrastructure.yaml:28", constraint=false, penwidth=2.5, color="#d1242f", fontcolor="#d1242f"];
...
}

"##]]);
}

#[test]
fn mermaid() {
    graph(&[
        "--format", "mermaid", "--group", "none", "--focus", "storage",
    ])
    .success()
    .stdout_eq(str![[r##"
flowchart LR
    n0_0["infrastructure"]:::deadlock
    n0_1["storage"]:::deadlock
  n0_0 --> n0_1
  n0_0 --> n0_1
  n0_1 -->|"wait"| n0_0
  linkStyle 0 stroke:#d1242f,color:#d1242f
  linkStyle 1 stroke-dasharray:2 4
  linkStyle 2 stroke-dasharray:7 4,stroke:#d1242f,color:#d1242f
...
"##]]);
}

#[test]
fn json() {
    let output = graph(&["--format", "json"]).success();
    let document: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let entrypoint = &document["entrypoints"][0];
    let edges: Vec<String> = entrypoint["edges"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|edge| edge["kind"] != "creates")
        .map(|edge| {
            let text = |key: &str| edge[key].as_str().unwrap().to_owned();
            format!("{} {} -> {}", text("kind"), text("from"), text("to"))
        })
        .collect();
    let expected = [
        "dependsOn flux-system/crds -> flux-system/backups",
        "needs flux-system/crds -> flux-system/backups",
        "dependsOn flux-system/infrastructure -> flux-system/storage",
        "waits flux-system/storage -> flux-system/infrastructure",
        "dependsOn Kustomization flux-system/infrastucture -> flux-system/shop",
        "needs namespace shop -> flux-system/shop",
    ];
    for edge in expected {
        assert!(edges.contains(&edge.to_owned()), "{edge} of {edges:#?}");
    }
    assert_eq!(
        entrypoint["deadlocks"][0]["circle"],
        serde_json::json!(["flux-system/infrastructure", "flux-system/storage"])
    );
    let path = entrypoint["criticalPath"].as_array().unwrap();
    assert_eq!(path.last().unwrap(), "flux-system/backups");
}

#[test]
fn drawings() {
    let svg = graph(&["--format", "svg"]).success();
    let svg = String::from_utf8(svg.get_output().stdout.clone()).unwrap();
    assert!(svg.starts_with("<svg xmlns="), "{svg}");
    assert!(svg.contains("class=\"edge depends deadlock\""), "{svg}");
    assert!(svg.contains("class=\"edge waits deadlock\""), "{svg}");
    assert!(svg.contains("class=\"edge depends critical\""), "{svg}");
    let page = graph(&["--format", "html"]).success();
    let page = String::from_utf8(page.get_output().stdout.clone()).unwrap();
    assert!(page.contains(svg.trim_end()), "the page holds the drawing");
}

#[test]
fn a_focus_that_nobody_has() {
    fluxlint(&[
        "graph",
        "--repo",
        "examples/broken",
        "--focus",
        "default/storage",
    ])
    .assert()
    .code(2)
    .stdout_eq("")
    .stderr_eq(str![[r#"
error: no component is called default/storage
  help: did you mean flux-system/storage?

"#]]);
}

/// The same tree gives the same picture.
#[test]
fn pictures_are_stable() {
    for format in ["dot", "mermaid", "json", "svg"] {
        let run = || {
            let args = ["graph", "--repo", "examples/platform", "--format", format];
            let output = fluxlint(&args).assert().success();
            output.get_output().stdout.clone()
        };
        assert_eq!(run(), run(), "{format}");
    }
}
