//! `--rev`: commits in place of the working tree.

mod common;

use std::path::Path;
use std::process::Command;

use common::{fluxlint, tree};
use snapbox::str;

fn git(dir: &Path, args: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=x", "-c", "user.email=x@example.org", "-C"])
        .arg(dir)
        .args(args)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "")
        .status()
        .unwrap();
    assert!(done.success(), "git {args:?}");
}

const APP: &str = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: app
  namespace: flux-system
spec:
  interval: 10m
  path: ./app
  prune: true
  sourceRef:
    kind: GitRepository
    name: flux-system
";

/// A commit `v1` in which a path is missing, and one on `main` in which it is
/// there; the working tree is empty.
fn repository() -> tempfile::TempDir {
    let dir = tree(&[("cluster/app.yaml", APP)]);
    git(dir.path(), &["init", "-q", "-b", "main"]);
    git(dir.path(), &["add", "-A"]);
    git(dir.path(), &["commit", "-q", "-m", "x"]);
    git(dir.path(), &["tag", "v1"]);
    std::fs::create_dir(dir.path().join("app")).unwrap();
    let config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n";
    std::fs::write(dir.path().join("app/config.yaml"), config).unwrap();
    git(dir.path(), &["add", "-A"]);
    git(dir.path(), &["commit", "-q", "-m", "x"]);
    std::fs::remove_dir_all(dir.path().join("cluster")).unwrap();
    dir
}

#[test]
fn a_commit_is_judged_whatever_the_working_tree_holds() {
    let dir = repository();
    let check = |args: &[&str]| fluxlint(&["check"]).args(args).current_dir(dir.path());
    check(&[]).assert().code(2);
    check(&["--rev", "main"]).assert().code(0);
    check(&["--rev", "v1"]).assert().code(1).stdout_eq(str![[r#"
error[FL-G008] build-failed: path `./app` of `flux-system/app` does not exist in its source
 --> cluster/app.yaml:8:9
...
"#]]);
    fluxlint(&["render", "--rev", "HEAD", "flux-system/app"])
        .current_dir(dir.path())
        .assert()
        .code(0)
        .stdout_eq(str![[r#"
# component: flux-system/app
apiVersion: v1
kind: ConfigMap
...
"#]]);
}

#[test]
fn the_configuration_is_the_commits() {
    let dir = repository();
    let file = dir.path().join(".fluxlint.yaml");
    std::fs::write(&file, "rules:\n  FL-G008: warning\n").unwrap();
    // Not committed yet, so it does not count.
    let check = |args: &[&str]| fluxlint(&["check"]).args(args).current_dir(dir.path());
    check(&["--rev", "v1"]).assert().code(1);
    check(&["--rev", "v1", "--config", ".fluxlint.yaml"])
        .assert()
        .code(0);
}

#[test]
fn what_cannot_be_read_says_why() {
    let dir = repository();
    let check = |args: &[&str]| fluxlint(&["check"]).args(args).current_dir(dir.path());
    check(&["--rev", "v9"])
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: no commit is called `v9` in [..]
...
  help: write a branch, a tag, a hash or the like of HEAD~2; `git rev-parse` tells whether git knows it

"#]]);
    let none = tree(&[("cluster/app.yaml", APP)]);
    fluxlint(&["check", "--rev", "HEAD"])
        .current_dir(none.path())
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: cannot read `HEAD`: no git repository in [..]
...
"#]]);
}
