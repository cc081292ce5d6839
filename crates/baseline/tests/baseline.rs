//! What is known again and what is not.

use baseline::{Baseline, Matching};
use config::Config;
use flux::Settings;
use lint::{Finding, Severity};
use vfs::{Memory, Tree};
use yaml::Sources;

const LOST: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: lost
";

/// The errors and warnings of a repository with one entrypoint.
fn judge(files: &[(&str, &str)]) -> (Vec<Finding>, std::sync::Arc<Sources>) {
    let texts = Sources::new();
    let files = files.iter().map(|(path, text)| (*path, text.as_bytes()));
    let tree = Tree::new(Memory::new(files).unwrap());
    let settings = Settings {
        entrypoints: vec!["clusters/main".into()],
        ..Settings::default()
    };
    let repository = flux::render(tree, texts.clone(), &settings, &|_| {});
    let world = repository.worlds.first().unwrap();
    let judged = lint::judge(world, &Config::default(), &texts, None);
    let mut findings = judged.findings;
    findings.retain(|finding| finding.severity > Severity::Info);
    (findings, texts)
}

fn record(files: &[(&str, &str)]) -> Baseline {
    let (findings, texts) = judge(files);
    let baseline = Baseline::record(&findings, &texts);
    // What is written is what is read.
    assert_eq!(Baseline::parse(&baseline.text()).unwrap(), baseline);
    baseline
}

/// How many findings are new, left out, and gone.
fn compare(baseline: &Baseline, files: &[(&str, &str)]) -> (usize, usize, usize) {
    let (mut findings, texts) = judge(files);
    let mut matching = Matching::new(baseline);
    matching.leave_out(&mut findings, &texts);
    let stale = matching.stale(|_| true, |_| true);
    assert_eq!(stale.rest.len(), matching.left_out());
    (findings.len(), matching.left_out(), stale.gone)
}

#[test]
fn a_finding_outlives_moved_lines_and_files() {
    let baseline = record(&[("clusters/main/settings.yaml", LOST)]);
    assert_eq!(baseline.len(), 1);
    let moved = format!("# A comment.\n\n{LOST}data:\n  a: b\n");
    assert_eq!(
        compare(&baseline, &[("clusters/main/moved.yaml", &moved)]),
        (0, 1, 0)
    );
}

#[test]
fn another_finding_is_new_and_one_that_is_mended_is_gone() {
    let baseline = record(&[("clusters/main/settings.yaml", LOST)]);
    let other = LOST.replace("lost", "gone");
    assert_eq!(
        compare(&baseline, &[("clusters/main/settings.yaml", &other)]),
        (1, 0, 1)
    );
    let both = [
        ("clusters/main/settings.yaml", LOST),
        ("clusters/main/other.yaml", other.as_str()),
    ];
    assert_eq!(compare(&baseline, &both), (1, 1, 0));
}

#[test]
fn a_finding_that_got_worse_is_new() {
    let baseline = record(&[("clusters/main/settings.yaml", LOST)]);
    let milder = baseline.text().replace("\"error\"", "\"warning\"");
    let milder = Baseline::parse(&milder).unwrap();
    assert_eq!(
        compare(&milder, &[("clusters/main/settings.yaml", LOST)]),
        (1, 0, 1)
    );
}

#[test]
fn what_a_run_did_not_look_at_is_not_gone() {
    let baseline = record(&[("clusters/main/settings.yaml", LOST)]);
    let matching = Matching::new(&baseline);
    assert_eq!(
        matching
            .stale(|name| name != "clusters/main", |_| true)
            .gone,
        0
    );
    assert_eq!(matching.stale(|_| true, |rule| rule != "FL-G004").gone, 0);
    assert_eq!(
        matching.stale(|_| true, |_| true).names,
        ["FL-G004 flux-system/flux-system"]
    );
    let mut new = Baseline::default();
    new.keep_unseen(&baseline, |name| name == "clusters/other");
    assert_eq!(new, baseline);
}

#[test]
fn other_texts_are_refused() {
    for text in [
        "",
        "[]",
        "{\"version\": 1}",
        "{\"version\": 2, \"findings\": []}",
    ] {
        assert!(Baseline::parse(text).is_err(), "{text}");
    }
    assert!(
        Baseline::parse("{\"version\": 1, \"findings\": []}")
            .unwrap()
            .is_empty()
    );
}
