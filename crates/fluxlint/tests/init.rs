//! `fluxlint init`: where it writes, and what it never overwrites.

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
";

const LOST: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: legacy
";

fn repository() -> tempfile::TempDir {
    tree(&[
        ("cluster/flux-system/gotk-sync.yaml", ROOT),
        ("cluster/settings.yaml", LOST),
    ])
}

fn run(dir: &tempfile::TempDir, args: &[&str]) -> snapbox::cmd::OutputAssert {
    fluxlint(args).current_dir(dir.path()).assert()
}

#[test]
fn a_first_configuration_silences_what_it_declares() {
    let dir = repository();
    run(&dir, &["check"]).code(1);
    run(&dir, &["init"]).success().stdout_eq(str![[r#"
wrote [..]/.fluxlint.yaml: 1 entrypoint, 1 entry of externals
next: look through `externals`, which is taken on trust; then fluxlint check

"#]]);
    let text = std::fs::read_to_string(dir.path().join(".fluxlint.yaml")).unwrap();
    snapbox::assert_data_eq!(
        text,
        str![[r#"
# What fluxlint cannot read from the files of this repository.
# Every key is optional; an unknown one is an error. `fluxlint config schema`
# prints a JSON Schema for editors.

# The directories clusters start from: what `flux bootstrap` was given as --path.
entrypoints:
  - cluster

# What is there before Flux applies anything although no file here makes it.
# fluxlint takes every entry on trust. Keep what a person, a script or a provider
# makes; remove what Git should make, and the finding comes back.
externals:
  namespaces:
    # flux-system/flux-system (cluster/settings.yaml:5) lives there
    - legacy

"#]]
    );
    run(&dir, &["check"]).success();
}

#[test]
fn a_configuration_is_replaced_only_by_force() {
    let dir = repository();
    let path = dir.path().join(".fluxlint.yaml");
    std::fs::write(&path, "no: configuration\n").unwrap();
    run(&dir, &["init"])
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: [..]/.fluxlint.yaml is there already
  help: print what init would write with `fluxlint init --stdout`, or replace the file with --force

"#]]);
    let printed = run(&dir, &["init", "--dry-run"]).success();
    let printed = printed.get_output().stdout.clone();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "no: configuration\n"
    );
    run(&dir, &["init", "--force", "-q"])
        .success()
        .stdout_eq("")
        .stderr_eq("");
    assert_eq!(std::fs::read(&path).unwrap(), printed);
}

#[test]
fn nothing_is_written_where_nothing_starts() {
    let dir = tree(&[("README.md", "nothing\n")]);
    run(&dir, &["init"]).code(2).stderr_eq(str![[r#"
error: no entrypoint found in [..]
  cause: there is no gotk-sync.yaml, no FluxInstance and no Kustomization that nothing else applies
  help: name the directory that `flux bootstrap` was given as --path: fluxlint init DIR

"#]]);
    assert!(!dir.path().join(".fluxlint.yaml").exists());
    run(&dir, &["init", "missing"]).code(2);
}
