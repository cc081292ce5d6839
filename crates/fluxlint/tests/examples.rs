//! The examples of the repository, as the README has people run them.

mod common;

use common::{fluxlint, root};
use serde_json::Value;

/// The document of `check --format json` for an example.
fn check(example: &str, code: i32) -> Value {
    let repo = format!("examples/{example}");
    let output = fluxlint(&["check", "--format", "json", "--repo", &repo]);
    let output = output.assert().code(code);
    serde_json::from_slice(&output.get_output().stdout).unwrap()
}

/// Severity, rule, component and place of every finding at or above warning.
fn findings(document: &Value) -> Vec<String> {
    let entrypoints = document["entrypoints"].as_array().unwrap().iter();
    let findings = entrypoints.flat_map(|entrypoint| entrypoint["findings"].as_array().unwrap());
    let mut found: Vec<String> = findings
        .filter(|finding| finding["severity"] != "info")
        .map(|finding| {
            let text = |key: &str| finding[key].as_str().unwrap_or("-").to_owned();
            format!(
                "{} {} {} {}:{}",
                text("severity"),
                text("rule"),
                text("component"),
                text("file"),
                finding["line"]
            )
        })
        .collect();
    found.sort();
    found
}

#[test]
fn the_platform_is_clean() {
    let document = check("platform", 0);
    assert_eq!(findings(&document), Vec::<String>::new());
    assert_eq!(document["notices"], Value::Null);
    let entrypoints = document["entrypoints"].as_array().unwrap();
    let names: Vec<_> = entrypoints
        .iter()
        .map(|e| e["entrypoint"].clone())
        .collect();
    assert_eq!(names, ["clusters/production", "clusters/staging"]);
    for entrypoint in entrypoints {
        assert_eq!(entrypoint["externals"]["unused"], serde_json::json!([]));
        for component in entrypoint["components"].as_array().unwrap() {
            let name = component["component"].as_str().unwrap();
            let is_release = name.starts_with("HelmRelease/");
            assert_eq!(component["rendered"], !is_release, "{name}");
        }
    }
}

#[test]
fn the_broken_one_has_its_five_faults() {
    let document = check("broken", 1);
    let expected = [
        "error FL-G001 flux-system/shop clusters/main/apps.yaml:8",
        "error FL-G002 flux-system/infrastructure clusters/main/infrastructure.yaml:28",
        "error FL-G004 flux-system/shop apps/shop/kustomization.yaml:3",
        "error FL-G006 flux-system/backups apps/backups/nightly.yaml:1",
        "error FL-S001 flux-system/gateway apps/gateway/config.yaml:6",
    ];
    assert_eq!(findings(&document), expected);
}

/// Whoever reads only the text can act: every finding says what to do.
#[test]
fn every_fault_says_what_to_do() {
    let output = fluxlint(&["check", "--repo", "examples/broken"])
        .assert()
        .code(1);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let findings: Vec<_> = text
        .split("\n\n")
        .filter(|part| part.starts_with("error"))
        .collect();
    assert_eq!(findings.len(), 5, "{text}");
    for finding in findings {
        assert!(finding.contains(" --> "), "{finding}");
        assert!(finding.contains("= help: "), "{finding}");
    }
}

/// The finding that the README explains is the one people get.
#[test]
fn the_readme_shows_a_real_finding() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let start = readme.find("    error[").unwrap();
    let lines = readme[start..]
        .lines()
        .take_while(|line| line.starts_with("    "));
    let shown: Vec<_> = lines.map(|line| &line[4..]).collect();
    let output = fluxlint(&["check", "--repo", "examples/broken"])
        .assert()
        .code(1);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.contains(&shown.join("\n")), "{text}");
}

/// The same tree gives the same document.
#[test]
fn results_are_stable() {
    let run = || {
        let mut document = check("broken", 1);
        document["elapsedMs"] = Value::Null;
        document.to_string()
    };
    let first = run();
    for _ in 0..5 {
        assert_eq!(run(), first);
    }
}
