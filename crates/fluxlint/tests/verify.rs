//! `fluxlint verify` and `check --engine upstream`, with a program that stands in
//! for kustomize.

#![cfg(unix)]

mod common;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use common::{fluxlint, tree};
use snapbox::cmd::Command;
use snapbox::str;
use tempfile::TempDir;

const SYNC: &str = "apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata:
  name: flux-system
  namespace: flux-system
spec:
  interval: 1m
  ref:
    branch: main
  url: https://git.example.com/fleet.git
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: flux-system
  namespace: flux-system
spec:
  interval: 10m
  path: ./cluster
  prune: true
  sourceRef:
    kind: GitRepository
    name: flux-system
";

/// A repository of one component that brings one object.
fn fleet() -> TempDir {
    tree(&[
        ("cluster/flux-system/gotk-sync.yaml", SYNC),
        (
            "cluster/shop.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop\n  namespace: flux-system\nstringData:\n  token: one\n",
        ),
    ])
}

/// Programs of which `kustomize` prints what the directory holds, after `sed`.
fn programs(sed: &str) -> TempDir {
    let script = format!(
        "#!/bin/sh\nPATH=/usr/bin:/bin\nif [ \"$1\" = version ]; then echo v0.0.0; exit; fi\n\
         for file in flux-system/gotk-sync.yaml shop.yaml; do echo ---; cat $file; done | sed '{sed}'\n"
    );
    let dir = tree(&[("kustomize", &script)]);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(dir.path().join("kustomize"), mode).unwrap();
    dir
}

fn run(args: &[&str], repo: &TempDir, programs: &Path) -> Command {
    fluxlint(args)
        .arg("--repo")
        .arg(repo.path())
        .arg("cluster")
        .env("PATH", programs)
}

#[test]
fn what_is_equal_is_counted() {
    run(&["verify"], &fleet(), programs("").path())
        .assert()
        .success()
        .stdout_eq(str![[r#"
1 components equal (3 objects), 0 differ; rendered by kustomize v0.0.0
helm is not on PATH: HelmReleases are not compared

"#]]);
}

#[test]
fn what_differs_is_told_without_what_is_secret() {
    let made = programs("s/token: one/token: hunter2/; s/10m/11m/");
    run(&["verify"], &fleet(), made.path())
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
flux-system/flux-system: differs from kustomize v0.0.0
  kustomize.toolkit.fluxcd.io/v1 Kustomization flux-system/flux-system
    spec.interval
      fluxlint: "10m"
      program:  "11m"
  v1 Secret flux-system/shop
    stringData.token
      fluxlint: (not shown)
      program:  (not shown)

0 components equal (0 objects), 1 differ; rendered by kustomize v0.0.0
helm is not on PATH: HelmReleases are not compared

"#]]);
}

#[test]
fn flux_builds_where_there_is_no_kustomize() {
    // As the real one does, it adds its labels and masks Secrets.
    let script = "#!/bin/sh\nPATH=/usr/bin:/bin\n\
        if [ \"$1\" = --version ]; then echo flux version 0.0.0; exit; fi\n\
        labels='labels: {kustomize.toolkit.fluxcd.io/name: flux-system, kustomize.toolkit.fluxcd.io/namespace: flux-system}'\n\
        for file in flux-system/gotk-sync.yaml shop.yaml; do echo ---; \
        sed \"s|^  namespace: flux-system|&\\n  $labels|; s/token: one/token: masked/\" $file; done\n";
    let made = tree(&[("flux", script)]);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(made.path().join("flux"), mode).unwrap();
    run(&["verify"], &fleet(), made.path())
        .assert()
        .success()
        .stdout_eq(str![[r#"
1 components equal (3 objects), 0 differ; rendered by flux build kustomization 0.0.0
helm is not on PATH: HelmReleases are not compared

"#]]);
}

#[test]
fn without_a_program_there_is_nothing_to_verify_with() {
    let none = tree(&[]);
    fluxlint(&["verify", "--repo"])
        .arg(fleet().path())
        .env("PATH", none.path())
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: there is no upstream program to render with
  cause: none of kustomize, flux, kubectl and helm is on PATH
  help: install kustomize and helm: both are single files

"#]]);
}

#[test]
fn the_upstream_engine_judges_what_the_program_makes() {
    // The program has the component depend on one that nobody defines.
    let made = programs("s/prune: true/dependsOn: [{name: nobody}]/");
    let repo = fleet();
    let native = ["check", "--only", "FL-G001", "--quiet"];
    run(&native, &repo, made.path()).assert().success();
    let upstream = [&native[..], &["--engine", "upstream"]].concat();
    let found = run(&upstream, &repo, made.path());
    let output = found.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("nobody"), "{text}");
}

#[test]
fn releases_are_rendered_by_helm() {
    let repo = fleet();
    let files = [
        (
            "cluster/release.yaml",
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata:\n  name: web\n  namespace: flux-system\nspec:\n  interval: 1h\n  chart:\n    spec:\n      chart: ./charts/web\n      sourceRef:\n        kind: GitRepository\n        name: flux-system\n  values:\n    size: 2\n",
        ),
        (
            "charts/web/Chart.yaml",
            "apiVersion: v2\nname: web\nversion: 0.1.0\n",
        ),
        (
            "charts/web/templates/web.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\ndata:\n  size: '{{ .Values.size }}'\n",
        ),
    ];
    for (path, text) in files {
        let path = repo.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    // A program that prints the template as if it knew no values.
    let script = "#!/bin/sh\nPATH=/usr/bin:/bin\nif [ \"$1\" = version ]; then printf v0.0.0; exit; fi\necho ---\necho '# Source: web/templates/web.yaml'\nsed 's/{{ .Release.Name }}/web/; s/{{ .Values.size }}/1/' \"$3\"/templates/web.yaml\n";
    let made = tree(&[("helm", script)]);
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(made.path().join("helm"), mode).unwrap();
    run(&["verify"], &repo, made.path())
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
HelmRelease/flux-system/web: differs from helm v0.0.0
  v1 ConfigMap web
    data.size
      fluxlint: "2"
      program:  "1"

0 components equal (0 objects), 1 differ; rendered by helm v0.0.0
kustomize is not on PATH: Kustomizations are not compared

"#]]);
}
