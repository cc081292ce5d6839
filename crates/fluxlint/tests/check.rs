//! `fluxlint check`: flags, configuration, exit status.

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

/// An object in a namespace nothing creates.
const LOST: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: lost
data:
  a: b
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

#[test]
fn a_clean_repository_ends_with_0() {
    check(&repository(&[]), &[])
        .assert()
        .success()
        .stderr_eq("")
        .stdout_eq(str![[r#"
no errors, no warnings
[..]
1 Kustomization: 1 rendered (2 objects)
[..]
checked 1 entrypoint in [..] s

"#]]);
}

#[test]
fn findings_end_with_1() {
    let dir = repository(&[("cluster/settings.yaml", LOST)]);
    check(&dir, &[]).assert().code(1).stderr_eq("").stdout_eq(str![[r#"
error[FL-G004] missing-namespace: nothing creates namespace `lost`, which `flux-system/flux-system` needs
 --> cluster/settings.yaml:5:14
  |
3 | metadata:
4 |   name: settings
5 |   namespace: lost
  |              ^^^^
...
"#]]);
    // The same from outside, by the entrypoint, and in a file.
    let repo = dir.path().to_str().unwrap();
    fluxlint(&["check", "--repo", repo, "./cluster/"])
        .assert()
        .code(1);
    check(&dir, &["cluster", "-o", "out.txt"])
        .assert()
        .code(1)
        .stdout_eq("");
    let text = std::fs::read_to_string(dir.path().join("out.txt")).unwrap();
    assert!(text.starts_with("error[FL-G004]"), "{text}");
}

#[test]
fn an_entrypoint_may_be_named_from_below() {
    let dir = repository(&[("cluster/settings.yaml", LOST)]);
    std::fs::write(dir.path().join(".fluxlint.yaml"), "").unwrap();
    let below = dir.path().join("cluster");
    fluxlint(&["check", "."])
        .current_dir(below)
        .assert()
        .code(1);
}

#[test]
fn colours_only_when_asked_or_on_terminals() {
    let dir = repository(&[("cluster/settings.yaml", LOST)]);
    let text = |args: &[&str]| {
        let output = check(&dir, args).assert().code(1);
        output.get_output().stdout.clone()
    };
    assert!(!text(&[]).contains(&0x1b));
    assert!(text(&["--color", "always"]).contains(&0x1b));
}

#[test]
fn rules_have_the_severity_they_are_given() {
    let with =
        |config: &str| repository(&[("cluster/settings.yaml", LOST), (".fluxlint.yaml", config)]);
    let off = with("rules: {FL-G004: off}\n");
    check(&off, &["--fail-on", "warning"]).assert().success();
    let warning = with("rules: {missing-namespace: warning}\n");
    check(&warning, &[]).assert().success();
    check(&warning, &["--fail-on", "warning"]).assert().code(1);
    let declared = with("externals: {namespaces: [lo*]}\n");
    check(&declared, &["--fail-on", "warning"])
        .assert()
        .success();
}

#[test]
fn accepted_findings_are_left_out() {
    let accepted = "ignore:\n- rule: FL-G004\n  component: flux-system/*\n  reason: known\n";
    let dir = repository(&[
        ("cluster/settings.yaml", LOST),
        (".fluxlint.yaml", accepted),
    ]);
    check(&dir, &["--fail-on", "warning"]).assert().success();
    let comment = LOST.replace("lost\n", "lost # fluxlint: ignore FL-G004 known\n");
    let dir = repository(&[("cluster/settings.yaml", &comment)]);
    check(&dir, &["--fail-on", "warning"]).assert().success();
}

#[test]
fn settings_without_effect_are_pointed_out() {
    let config = "images:\n  verify: [a/*]\nignore:\n- rule: FL-G001\n  until: 2020-01-31\n";
    let dir = repository(&[(".fluxlint.yaml", config)]);
    check(&dir, &[]).assert().success().stdout_eq(str![[r#"
warning: `images.verify` has no effect: registries are not asked yet
  --> .fluxlint.yaml:2:12

warning: this `ignore` entry for FL-G001 ended on 2020-01-31; remove it
  --> .fluxlint.yaml:4:3

...
"#]]);
}

#[test]
fn a_wrong_configuration_ends_with_2() {
    let wrong = |config: &str, expected: snapbox::data::Inline| {
        let dir = repository(&[(".fluxlint.yaml", config)]);
        check(&dir, &[])
            .assert()
            .code(2)
            .stdout_eq("")
            .stderr_eq(expected);
    };
    wrong(
        "kubeVersion: 1.33\nexternal: {}\n",
        str![[r#"
error: .fluxlint.yaml:2:1: unknown key `external`
  help: did you mean `externals`? (known keys: entrypoints, kubeVersion, repoSource, externals, sources, fluxVersion, controllers, rules, assertions, contracts, images, timing, ignore)

"#]],
    );
    wrong(
        "rules: {FL-G040: off}\n",
        str![[r#"
error: .fluxlint.yaml:1:9: rules: no rule is called `FL-G040`
  help: did you mean `FL-G004`? `fluxlint rules` lists them all

"#]],
    );
    wrong(
        "entrypoints: [clusters/prod]\n",
        str![[r#"
error: no directory `clusters/prod` in the repository [..]
  cause: named at .fluxlint.yaml:1:15
  help: an entrypoint is the directory that `flux bootstrap` was given as --path

"#]],
    );
}

#[test]
fn what_cannot_be_read_ends_with_2() {
    let dir = repository(&[]);
    check(&dir, &["nowhere"])
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: no directory `nowhere` in the repository [..]
  help: an entrypoint is the directory that `flux bootstrap` was given as --path

"#]]);
    check(&dir, &["--repo", "nowhere"])
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: cannot read the repository nowhere
  cause: [..]
  help: name the root of a repository with --repo

"#]]);
    check(&dir, &["--config", "nowhere.yaml"])
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: cannot read the configuration nowhere.yaml
  cause: No such file or directory (os error 2)

"#]]);
    let empty = tree(&[("README.md", "nothing here")]);
    check(&empty, &[]).assert().code(2).stderr_eq(str![[r#"
error: no entrypoint found in [..]
  cause: there is no gotk-sync.yaml, no FluxInstance and no Kustomization that nothing else applies
  help: name the directory that `flux bootstrap` was given as --path: fluxlint check DIR

"#]]);
}

/// Whatever a repository holds, the program ends with a status of its own.
#[test]
fn nothing_in_a_repository_makes_it_panic() {
    let deep = format!("a: {}1{}", "[".repeat(20_000), "]".repeat(20_000));
    let wide = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n\
                c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\n\
                e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n\
                g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nh: [*g,*g,*g,*g,*g,*g,*g,*g,*g]\n";
    let own = ROOT.replace("./cluster", "./cluster/../cluster");
    let cases = [
        "",
        "null\n",
        "[]\n",
        "- a\n",
        "kind: 1\n",
        "\u{0}",
        "a: *b\n",
        "metadata: []\nkind: X\n",
        "apiVersion: v1\nkind: List\nitems: {}\n",
        "apiVersion: v1\nkind: ConfigMap\n",
        &deep,
        wide,
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\n",
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: a}\nspec: 1\n",
        "resources: [.]\n",
        "resources: [../..]\n",
        &own,
    ];
    for case in cases {
        for name in ["cluster/a.yaml", "cluster/kustomization.yaml"] {
            let dir = repository(&[(name, case)]);
            let output = check(&dir, &["-v"]).output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            let start: String = case.chars().take(60).collect();
            assert!(
                matches!(output.status.code(), Some(0 | 1)),
                "{name}: {start}: {:?} {stderr}",
                output.status
            );
        }
    }
}

#[test]
fn one_rule_alone() {
    let dir = repository(&[("cluster/settings.yaml", LOST)]);
    let config = "rules: {FL-G004: off}\nignore: [{rule: FL-G001}]\n";
    std::fs::write(dir.path().join(".fluxlint.yaml"), config).unwrap();
    // The other entry of the configuration says nothing about this run.
    check(&dir, &["--only", "missing-namespace", "--only", "FL-G003"])
        .assert()
        .code(1)
        .stdout_eq(str![[r#"
error[FL-G004] missing-namespace: [..]
...
1 error
...
"#]]);
    check(&dir, &["--only", "FL-G003"]).assert().success();
    check(&dir, &["--only", "missing-namspace"])
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: no rule is called `missing-namspace`
  help: did you mean `missing-namespace`? `fluxlint rules` lists them all

"#]]);
}

#[test]
fn quiet_leaves_findings_only() {
    let dir = repository(&[]);
    check(&dir, &["-q"]).assert().success().stdout_eq("");
    let dir = repository(&[("cluster/settings.yaml", LOST)]);
    let output = check(&dir, &["--quiet"]).assert().code(1);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(
        text.starts_with("error[FL-G004]") && !text.contains("checked"),
        "{text}"
    );
}

#[test]
fn a_baseline_leaves_out_what_was_there() {
    let dir = repository(&[("cluster/settings.yaml", LOST)]);
    let with = |more: &[&str]| {
        let mut args = vec!["--baseline", "baseline.json"];
        args.extend(more);
        check(&dir, &args).assert()
    };
    with(&[]).code(2).stderr_eq(str![[r#"
error: cannot read the baseline baseline.json
  cause: [..]
  help: record what is found now: fluxlint check --baseline baseline.json --write-baseline

"#]]);
    with(&["--write-baseline"])
        .success()
        .stdout_eq("recorded 1 finding in baseline.json\n");
    with(&[]).success().stdout_eq(str![[r#"
no errors, no warnings
...
left out by the baseline: 1
checked 1 entrypoint in [..] s

"#]]);
    // Something new is told, what is mended is pointed out and taken out.
    let other = LOST.replace("lost", "elsewhere");
    std::fs::write(dir.path().join("cluster/settings.yaml"), other).unwrap();
    let gone = str![[r#"
warning: 1 finding is recorded in baseline.json and no longer found (FL-G004 flux-system/flux-system); --update-baseline takes it out

error[FL-G004] missing-namespace: nothing creates namespace `elsewhere`, [..]
...
"#]];
    with(&[]).code(1).stdout_eq(gone);
    with(&["--update-baseline", "-q"]).code(1);
    let text = std::fs::read_to_string(dir.path().join("baseline.json")).unwrap();
    assert_eq!(text, "{\n  \"version\": 1,\n  \"findings\": []\n}\n");
    check(&dir, &["--write-baseline"]).assert().code(2);
}
