//! What the user makes of findings: levels, `ignore`, comments.

use config::{Config, Date};
use flux::Settings;
use lint::{Judgement, Severity};
use vfs::{Memory, Tree};
use yaml::Sources;

const MANIFEST: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: nowhere
";

fn judge(manifest: &str, config: &str, today: Option<Date>) -> Judgement {
    let texts = Sources::new();
    let config = Config::parse(config::FILE_NAME, config, &texts).expect("a configuration");
    let files = [("clusters/main/config.yaml", manifest.as_bytes())];
    let tree = Tree::new(Memory::new(files).expect("a tree"));
    let mut settings = Settings::from_config(&config);
    settings.entrypoints = vec!["clusters/main".into()];
    let repository = flux::render(tree, texts, &settings, &|_| {});
    lint::judge(&repository.worlds[0], &config, &repository.texts, today)
}

fn levels(judgement: &Judgement, rule: &str) -> Vec<Severity> {
    let findings = judgement.findings.iter();
    findings
        .filter(|finding| finding.rule == rule)
        .map(|finding| finding.severity)
        .collect()
}

#[test]
fn a_rule_counts_as_the_user_says() {
    let level = |config: &str| levels(&judge(MANIFEST, config, None), "FL-G004");
    assert_eq!(level("{}"), [Severity::Error]);
    assert_eq!(level("rules: {FL-G004: info}"), [Severity::Info]);
    assert_eq!(
        level("rules: {missing-namespace: warning}"),
        [Severity::Warning]
    );
    assert_eq!(level("rules: {FL-G004: off}"), []);
}

#[test]
fn an_entry_of_ignore_leaves_out_what_it_means_until_its_day() {
    let entry = "
ignore:
  - rule: missing-namespace
    object: ConfigMap/nowhere/*
    until: 2026-06-30
  - rule: FL-G004
    component: flux-system/other
";
    let day = |month| Date {
        year: 2026,
        month,
        day: 30,
    };
    let before = judge(MANIFEST, entry, Some(day(6)));
    assert_eq!(levels(&before, "FL-G004"), []);
    assert_eq!(before.used_ignores, [true, false]);
    let after = judge(MANIFEST, entry, Some(day(7)));
    assert_eq!(levels(&after, "FL-G004"), [Severity::Error]);
    assert_eq!(after.used_ignores, [false, false]);
}

#[test]
fn a_comment_on_or_above_the_line_accepts_a_finding() {
    let above = MANIFEST.replace(
        "  namespace:",
        "  # fluxlint: ignore FL-G004 made by hand\n  namespace:",
    );
    assert_eq!(levels(&judge(&above, "{}", None), "FL-G004"), []);
    let on = MANIFEST.replace(
        "nowhere",
        "nowhere # fluxlint: ignore FL-G001,missing-namespace",
    );
    assert_eq!(levels(&judge(&on, "{}", None), "FL-G004"), []);
    let other = MANIFEST.replace("nowhere", "nowhere # fluxlint: ignore FL-G001");
    assert_eq!(
        levels(&judge(&other, "{}", None), "FL-G004"),
        [Severity::Error]
    );
}

/// What is said about the comments of a manifest.
fn doubts(manifest: &str, only: &[&str]) -> Vec<String> {
    let texts = Sources::new();
    let files = [("clusters/main/config.yaml", manifest.as_bytes())];
    let tree = Tree::new(Memory::new(files).expect("a tree"));
    let settings = Settings {
        entrypoints: vec!["clusters/main".into()],
        ..Settings::default()
    };
    let repository = flux::render(tree, texts.clone(), &settings, &|_| {});
    let judged = lint::judge(&repository.worlds[0], &Config::default(), &texts, None);
    let used = judged.used_comments.into_iter().collect();
    let names: Vec<String> = only.iter().map(ToString::to_string).collect();
    let selection = lint::Selection::of(&names).expect("rules");
    let doubts = lint::doubts(&texts, &selection, Some(&used));
    doubts
        .into_iter()
        .map(|doubt| doubt.message.into())
        .collect()
}

#[test]
fn comments_that_accept_nothing_or_give_no_reason_are_told() {
    let on = |comment: &str| MANIFEST.replace("nowhere", &format!("nowhere # {comment}"));
    assert_eq!(
        doubts(&on("fluxlint: ignore FL-G004 made by hand"), &[]),
        [""; 0]
    );
    assert_eq!(
        doubts(&on("fluxlint: ignore missing-namespace"), &[]),
        ["this comment ignores missing-namespace without saying why; add a reason behind the rule"]
    );
    assert_eq!(
        doubts(&on("fluxlint: ignore FL-G003 shared"), &[]),
        ["this comment ignores FL-G003, and nothing of it is found here; remove it"]
    );
    // A run of other rules says nothing about it.
    assert_eq!(
        doubts(&on("fluxlint: ignore FL-G003 shared"), &["FL-G004"]),
        [""; 0]
    );
    assert_eq!(
        doubts(&on("fluxlint: ignore missing-namespce oops"), &[]),
        [
            "this comment ignores `missing-namespce`, which is no rule; did you mean `missing-namespace`?"
        ]
    );
    assert_eq!(
        doubts(&on("fluxlint: ignore"), &[]),
        ["this comment ignores nothing: it names no rule"]
    );
}
