//! A rule's page is its test.

mod page;

use std::collections::BTreeSet;

use config::Config;
use flux::Settings;
use link::Linked;
use lint::{Finding, Question, Severity};
use page::{Example, Expected, examples};
use vfs::{Memory, Tree};
use yaml::Sources;

#[test]
fn every_page_has_a_failing_and_a_passing_example() {
    for rule in lint::RULES {
        let page = lint::explain(rule.id).expect("a page");
        let examples = examples(page).unwrap_or_else(|why| panic!("{}: {why}", rule.id));
        let fails = |example: &&Example| example.expected.iter().any(|e| e.rule == rule.id);
        assert!(
            examples.iter().any(|e| fails(&e)),
            "{} never fires on its page",
            rule.id
        );
        assert!(
            !examples.iter().all(|e| fails(&e)),
            "{} always fires on its page",
            rule.id
        );
    }
}

#[test]
fn every_example_gives_what_its_page_says() {
    let mut failures = Vec::new();
    for rule in lint::RULES {
        let page = lint::explain(rule.id).expect("a page");
        for example in examples(page).expect("examples") {
            if let Err(why) = run(rule.id, &example) {
                failures.push(format!("{} \"{}\":\n{why}", rule.id, example.title));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// The entrypoint of every example.
const ENTRYPOINT: &str = "clusters/main";

/// What the cluster of an example reported. No file of its repository.
const STATE: &str = "cluster-state.json";

/// Judges an example. What counts are warnings and errors that are not about time, and
/// all findings of the page's own rule.
fn run(rule: &str, example: &Example) -> Result<(), String> {
    let texts = Sources::new();
    let written = example.files.iter();
    let config = match written.clone().find(|(path, _)| path == config::FILE_NAME) {
        Some((path, text)) => Config::parse(path, text, &texts).map_err(|e| e.to_string())?,
        None => Config::default(),
    };
    let state = written.clone().find(|(path, _)| path == STATE);
    let state = state.map(|(path, text)| observed::read_state(path, text.as_bytes(), &texts));
    let state = state.transpose().map_err(|e| e.to_string())?;
    let files = written
        .filter(|(path, _)| path != STATE)
        .map(|(path, text)| (path, text.as_bytes()));
    let tree = Tree::new(Memory::new(files).map_err(|e| e.to_string())?);
    let mut settings = Settings::from_config(&config);
    settings.entrypoints = vec![ENTRYPOINT.into()];
    let repository = flux::render(tree, texts, &settings, &|_| {});
    let mut findings: Vec<Finding> = Vec::new();
    for world in &repository.worlds {
        let linked = Linked::new(world, &config);
        let judged = lint::judge_against(&linked, state.as_ref(), &repository.texts, None);
        findings.extend(judged.findings);
    }
    let is_judgement = |f: &Finding| f.severity > Severity::Info && f.source != Question::Timing;
    findings.retain(|f| is_judgement(f) || f.rule == rule);
    compare(&example.expected, &findings, &repository.texts)
}

fn compare(expected: &[Expected], findings: &[Finding], texts: &Sources) -> Result<(), String> {
    let mut open: BTreeSet<usize> = (0..findings.len()).collect();
    let mut wrong = Vec::new();
    for wanted in expected {
        let found = open
            .iter()
            .copied()
            .find(|at| is_meant(wanted, &findings[*at], texts));
        match found {
            None => wrong.push(format!("  missing: {wanted:?}")),
            Some(at) => {
                open.remove(&at);
                let text = full_text(&findings[at], texts);
                for part in wanted.texts.iter().filter(|part| !text.contains(*part)) {
                    wrong.push(format!("  not said: {part}\n  in:\n{text}"));
                }
            }
        }
    }
    for at in open {
        let finding = &findings[at];
        wrong.push(format!(
            "  unexpected: {} {}",
            line(finding, texts),
            full_text(finding, texts)
        ));
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(wrong.join("\n"))
}

fn is_meant(wanted: &Expected, finding: &Finding, texts: &Sources) -> bool {
    let line = line(finding, texts);
    line.starts_with(&format!(
        "{} {} {} {} {}",
        wanted.severity, wanted.rule, wanted.component, wanted.place, wanted.message
    ))
}

fn line(finding: &Finding, texts: &Sources) -> String {
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    };
    let component = finding.components.first().map(ToString::to_string);
    let place = finding.span.and_then(|span| texts.location(span));
    let place = place.map(|place| format!("{}:{}", place.file, place.line));
    format!(
        "{severity} {} {} {} {}",
        finding.rule,
        component.unwrap_or_default(),
        place.unwrap_or_else(|| "-".into()),
        finding.message
    )
}

/// Details, each with its place, and help, one a line.
fn full_text(finding: &Finding, texts: &Sources) -> String {
    let details = finding.details.iter().map(|detail| {
        let place = detail.span.and_then(|span| texts.location(span));
        let place = place.map(|place| format!(" [{}:{}]", place.file, place.line));
        format!("{}{}", detail.message, place.unwrap_or_default())
    });
    let lines = details.chain(finding.help.as_deref().map(str::to_string));
    lines.map(|line| format!("\n    {line}")).collect()
}
