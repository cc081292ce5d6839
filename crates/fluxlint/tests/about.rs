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

/// The names of all commands, from `--help`.
fn commands() -> Vec<String> {
    let help = printed(&["--help"]);
    let (_, list) = help.split_once("Commands:\n").expect("a list of commands");
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names
        .filter_map(|line| line.split_whitespace().next())
        .map(Into::into)
        .collect()
}

fn printed(args: &[&str]) -> String {
    let output = fluxlint(args)
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    String::from_utf8(output).unwrap()
}

#[test]
fn shells_get_completions_of_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = printed(&["completions", shell]);
        for command in commands() {
            assert!(text.contains(&command), "{shell}: {command}");
        }
        assert!(
            text.contains("--baseline") || text.contains("baseline"),
            "{shell}"
        );
    }
    // bash itself takes it for a script, where there is one.
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("completions.bash");
    std::fs::write(&file, printed(&["completions", "bash"])).unwrap();
    if let Ok(status) = std::process::Command::new("bash")
        .arg("-n")
        .arg(&file)
        .status()
    {
        assert!(status.success());
    }
}

#[test]
fn every_command_has_a_page_of_the_manual() {
    let root = printed(&["man"]);
    assert!(root.contains(".TH fluxlint 1"), "{root}");
    let dir = tempfile::tempdir().unwrap();
    let man = dir.path().join("man");
    printed(&["man", "--output", man.to_str().unwrap()]);
    for command in commands() {
        let page = printed(&["man", &command]);
        assert!(
            page.contains(&format!(".TH fluxlint-{command} 1")),
            "{page}"
        );
        assert!(
            man.join(format!("fluxlint-{command}.1")).is_file(),
            "{command}"
        );
    }
    fluxlint(&["man", "chek"])
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: no command is called `chek`
  help: did you mean `check`?

"#]]);
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
    let readme = std::fs::read_to_string(common::root().join("README.md")).unwrap();
    for command in commands() {
        let is_told = readme.contains(&format!("`fluxlint {command}"));
        assert!(is_told || command == "version", "{command}");
    }
}
