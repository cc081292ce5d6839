//! `fluxlint kustomize`, a drop-in for `kustomize build`.

mod common;

use common::{fluxlint, tree};
use snapbox::str;

fn shop() -> tempfile::TempDir {
    tree(&[
        (
            "base/kustomization.yaml",
            "resources: [deployment.yaml, namespace.yaml]\n",
        ),
        (
            "base/deployment.yaml",
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\n  namespace: shop\n",
        ),
        (
            "base/namespace.yaml",
            "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n",
        ),
        (
            "prod/kustomization.yaml",
            "resources: [../base]\nnamePrefix: prod-\n",
        ),
        (
            "outside/kustomization.yaml",
            "resources: [../base/namespace.yaml]\n",
        ),
        ("broken/kustomization.yaml", "resources:\n- missing.yaml\n"),
    ])
}

fn build(args: &[&str]) -> snapbox::cmd::Command {
    fluxlint(&["kustomize"]).args(args)
}

#[test]
fn the_current_directory_is_the_default() {
    let dir = shop();
    build(&[])
        .current_dir(dir.path().join("prod"))
        .assert()
        .success()
        .stderr_eq("")
        .stdout_eq(str![[r#"
apiVersion: v1
kind: Namespace
metadata:
  name: shop
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: prod-shop
  namespace: shop

"#]]);
}

#[test]
fn objects_are_ordered_as_asked() {
    let dir = shop();
    build(&["base", "--reorder", "none"])
        .current_dir(dir.path())
        .assert()
        .success()
        .stdout_eq(str![[r#"
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  namespace: shop
---
apiVersion: v1
kind: Namespace
metadata:
  name: shop

"#]]);
}

#[test]
fn files_outside_need_a_flag() {
    let dir = shop();
    build(&["outside"]).current_dir(dir.path()).assert().code(1);
    build(&["outside", "--load-restrictor", "LoadRestrictionsNone"])
        .current_dir(dir.path())
        .assert()
        .success();
}

#[cfg(unix)]
#[test]
fn a_link_does_not_lead_around_the_restriction() {
    let dir = shop();
    std::os::unix::fs::symlink(
        dir.path().join("base/namespace.yaml"),
        dir.path().join("broken/missing.yaml"),
    )
    .unwrap();
    build(&["broken"])
        .current_dir(dir.path())
        .assert()
        .code(1)
        .stderr_eq(str![
            "error: [..]security; file [..] is not in or below [..]\n..."
        ]);
    build(&["--load-restrictor", "LoadRestrictionsNone", "broken"])
        .current_dir(dir.path())
        .assert()
        .success();
}

#[test]
fn output_goes_to_a_file_or_to_a_file_an_object() {
    let dir = shop();
    build(&["prod", "-o", "all.yaml"])
        .current_dir(dir.path())
        .assert()
        .success()
        .stdout_eq("");
    assert!(dir.path().join("all.yaml").is_file());
    std::fs::create_dir(dir.path().join("out")).unwrap();
    build(&["prod", "-o", "out"])
        .current_dir(dir.path())
        .assert()
        .success();
    let mut names: Vec<_> = std::fs::read_dir(dir.path().join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "apps_v1_deployment_prod-shop.yaml",
            "v1_namespace_shop.yaml"
        ]
    );
}

#[test]
fn failures_say_what_and_where_and_end_with_1() {
    let dir = shop();
    build(&["broken"])
        .current_dir(dir.path())
        .assert()
        .code(1)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: accumulating resources: accumulation err='accumulating resources from 'missing.yaml': [..]
  cause: at [..]/broken/kustomization.yaml:2:3

"#]]);
    build(&["nowhere"])
        .current_dir(dir.path())
        .assert()
        .code(1)
        .stderr_eq(str![[r#"
error: cannot read the directory nowhere
  cause: No such file or directory (os error 2)
  help: name a directory that holds a kustomization.yaml

"#]]);
}

#[test]
fn flags_that_run_programs_are_refused() {
    let dir = shop();
    for flag in ["--enable-alpha-plugins", "--enable-helm", "--enable-exec"] {
        let path = dir.path().join("prod");
        let run = build(&[flag]).arg(path).assert().code(1);
        let told = String::from_utf8_lossy(&run.get_output().stderr).into_owned();
        assert!(told.contains(&format!("{flag} is refused")), "{told}");
    }
}
