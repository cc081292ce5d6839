//! The action, the hook and the templates do what the documentation says.

mod common;

use std::path::Path;
use std::process::{Command, Output};

use common::root;
use snapbox::cmd::cargo_bin;

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

fn parse(path: &str) -> yaml::Node {
    let text = read(path);
    let file = yaml::Sources::new().add(path, text.as_str());
    let parsed = yaml::parse(&text, file, &yaml::Limits::default()).unwrap();
    parsed.into_iter().next().unwrap()
}

/// Runs a script of the repository with the built program on the PATH.
fn script(path: &str, dir: &Path, env: &[(&str, &str)], args: &[&str]) -> Option<Output> {
    let program = cargo_bin!("fluxlint");
    let bin = program.parent().unwrap().to_str().unwrap().to_owned();
    let script = root().join(path).canonicalize().unwrap();
    let mut command = Command::new("bash");
    command.arg(script).args(args).current_dir(dir);
    command.env(
        "PATH",
        format!("{bin}:{}", std::env::var("PATH").unwrap_or_default()),
    );
    command.env("FLUXLINT_OFFLINE", "1");
    command.envs(env.iter().copied());
    // A machine without bash has no use for the scripts.
    command.output().ok()
}

#[test]
fn scripts_are_well_formed_and_executable() {
    for path in [
        "packaging/github/install.sh",
        "packaging/github/check.sh",
        "packaging/pre-commit.sh",
    ] {
        let full = root().join(path);
        if let Ok(status) = Command::new("bash").arg("-n").arg(&full).status() {
            assert!(status.success(), "{path}");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&full).unwrap().permissions().mode();
            assert!(mode & 0o111 != 0, "{path} is not executable");
        }
    }
}

/// Every input of the action reaches a script through the environment, and is
/// documented.
#[test]
fn the_action_hands_on_its_inputs() {
    let action = parse("action.yml");
    let text = read("action.yml");
    let page = read("docs/ci.md");
    for entry in action.get("inputs").unwrap().entries() {
        let name = entry.key.text().unwrap();
        assert!(text.contains(&format!("${{{{ inputs.{name} ")), "{name}");
        assert!(
            page.contains(&format!("| `{name}` |")),
            "{name} is not in docs/ci.md"
        );
    }
    for step in action.path(&["runs", "steps"]).unwrap().items() {
        let run = step.str_at(&["run"]).unwrap();
        assert!(
            !run.contains("${{"),
            "an input in a script can be a command: {run}"
        );
    }
}

#[test]
fn the_action_annotates_reports_and_fails() {
    let out = tempfile::tempdir().unwrap();
    let file = |name: &str| out.path().join(name).to_str().unwrap().to_owned();
    let (outputs, summary, sarif) = (file("outputs"), file("summary"), file("out.sarif"));
    let examples = root().join("examples").canonicalize().unwrap();
    let run = |repo: &str, args: &str| {
        let env = [
            ("INPUT_REPO", repo),
            ("INPUT_ARGS", args),
            ("INPUT_SARIF", sarif.as_str()),
            ("GITHUB_OUTPUT", outputs.as_str()),
            ("GITHUB_STEP_SUMMARY", summary.as_str()),
        ];
        script("packaging/github/check.sh", &examples, &env, &[])
    };
    let Some(broken) = run("broken", "") else {
        return;
    };
    assert_eq!(broken.status.code(), Some(1), "{broken:?}");
    let log = String::from_utf8(broken.stdout).unwrap();
    assert!(log.contains("::error ") && log.contains("FL-G001"), "{log}");
    let report = std::fs::read_to_string(&sarif).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["version"], "2.1.0");
    assert_eq!(
        std::fs::read_to_string(&outputs).unwrap(),
        format!("sarif={sarif}\n")
    );
    assert!(
        std::fs::read_to_string(&summary)
            .unwrap()
            .contains("FL-G001")
    );
    assert_eq!(run("platform", "--verbose").unwrap().status.code(), Some(0));
    assert_eq!(
        run("platform", "--no-such-flag").unwrap().status.code(),
        Some(2)
    );
}

#[test]
fn the_hook_checks_the_tree_it_stands_in() {
    let hooks = parse(".pre-commit-hooks.yaml");
    let hook = &hooks.items()[0];
    let entry = hook.str_at(&["entry"]).unwrap();
    let broken = root().join("examples/broken");
    if let Some(output) = script(entry, &broken, &[], &["clusters/main"]) {
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
}

#[test]
fn the_template_writes_the_reports_it_names() {
    let job = parse("docs/ci/gitlab-ci.yml");
    let reports = job.path(&["fluxlint", "artifacts", "reports"]).unwrap();
    let script = job.path(&["fluxlint", "script"]).unwrap();
    let script: Vec<_> = script
        .items()
        .iter()
        .filter_map(yaml::Node::as_str)
        .collect();
    for (report, format) in [("codequality", "gitlab"), ("junit", "junit")] {
        let file = reports.str_at(&[report]).unwrap();
        let line = format!("--report {format}={file}");
        assert!(script.iter().any(|step| step.contains(&line)), "{line}");
    }
}
