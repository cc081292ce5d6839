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
