//! What the program says about itself, and about wrong flags.

mod common;

use common::fluxlint;
use snapbox::str;

#[test]
fn version_names_what_it_equals() {
    fluxlint(&["version"])
        .assert()
        .success()
        .stdout_eq(str![[r#"
fluxlint [..]
kustomize v5.8.1

"#]]);
    fluxlint(&["--version"])
        .assert()
        .success()
        .stdout_eq(str![[r#"
fluxlint [..]

"#]]);
}

#[test]
fn the_schema_is_json() {
    let output = fluxlint(&["config", "schema"]).assert().success();
    let schema: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!(schema["title"], ".fluxlint.yaml");
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(
        schema["properties"]["externals"]["$ref"],
        "#/$defs/Externals"
    );
}

#[test]
fn shells_get_completions_and_a_manual() {
    for shell in ["bash", "zsh", "fish"] {
        let output = fluxlint(&["completions", shell]).assert().success();
        assert!(!output.get_output().stdout.is_empty());
    }
    let output = fluxlint(&["man"]).assert().success();
    assert!(
        output
            .get_output()
            .stdout
            .windows(3)
            .any(|part| part == b".TH")
    );
}

#[test]
fn wrong_flags_end_with_2() {
    fluxlint(&[]).assert().code(2);
    fluxlint(&["kustomise"])
        .assert()
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: unrecognized subcommand 'kustomise'

  tip: a similar subcommand exists: 'kustomize'

Usage: fluxlint [OPTIONS] <COMMAND>

For more information, try '--help'.

"#]]);
    fluxlint(&["kustomize", "--reorder", "random"])
        .assert()
        .code(2);
}

#[test]
fn the_commands_are_documented() {
    fluxlint(&["--help"]).assert().success();
    let readme = std::fs::read_to_string(common::root().join("README.md")).unwrap();
    for command in ["render", "kustomize", "explain", "rules", "config schema"] {
        assert!(
            readme.contains(&format!("`fluxlint {command}")),
            "{command}"
        );
    }
}
