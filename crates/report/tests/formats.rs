//! The forms that other programs read, each against its schema.

mod common;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use common::{finding, key, with_run, world};
use lint::{Fix, Severity};
use model::{ComponentKind, Identity, Repository};
use report::{Judged, Notice, Run};
use serde_json::Value;
use yaml::{Sources, Span};

/// Names that mean something in every language a report is written in.
const HOSTILE: &str =
    "<script>alert(1)</script>\u{1b}[31m\r\n::error::x%0A##[debug]`|`\"'&]]>@all\u{202e}\u{0}](x)";

/// Every form there is, by name.
fn forms(run: &Run<'_>) -> Vec<(&'static str, String)> {
    let options = report::TextOptions {
        verbose: true,
        ..report::TextOptions::default()
    };
    vec![
        ("text", report::text(run, options)),
        ("json", report::json(run)),
        ("sarif", report::sarif(run)),
        ("gitlab", report::gitlab(run)),
        ("github", report::github(run, true)),
        ("junit", report::junit(run, &fails)),
        ("markdown", report::markdown(run, true)),
        ("html", report::html(run)),
    ]
}

fn fails(finding: &lint::Finding) -> bool {
    finding.severity == Severity::Error
}

/// A run in which everything that a repository decides is hostile.
fn with_hostile_run<T>(test: impl FnOnce(&Run<'_>) -> T) -> T {
    let texts = Sources::new();
    let file = texts.add(format!("a {HOSTILE}.yaml"), format!("kind: {HOSTILE}\n"));
    let mut bad = finding(HOSTILE, Severity::Error, Span::new(file, 6, 20));
    bad.message = format!("`{HOSTILE}` needs {HOSTILE}").into();
    bad.help = Some(HOSTILE.into());
    bad.components = vec![key(ComponentKind::Kustomization, HOSTILE)];
    bad.object = Some(Identity {
        group: HOSTILE.into(),
        version: HOSTILE.into(),
        kind: HOSTILE.into(),
        namespace: HOSTILE.into(),
        name: HOSTILE.into(),
    });
    bad.details[0].message = HOSTILE.into();
    bad.details[0].component = Some(key(ComponentKind::HelmRelease, HOSTILE));
    bad.details.push(bad.details[0].clone());
    bad.fix = vec![Fix {
        span: Span::new(file, 0, 4),
        text: HOSTILE.into(),
    }];
    let mut lost = bad.clone();
    (lost.span, lost.severity) = (None, Severity::Warning);
    let mut world = world(HOSTILE);
    world.components[1].state = model::State::Opaque(HOSTILE.into());
    world.components[1].key.name = HOSTILE.into();
    let repository = Repository {
        texts: Arc::clone(&texts),
        worlds: vec![world],
    };
    test(&Run {
        version: "0.0.0",
        elapsed: Duration::ZERO,
        repository: &repository,
        judged: vec![Judged {
            findings: vec![bad, lost],
            ..Judged::default()
        }],
        notices: vec![Notice {
            message: HOSTILE.into(),
            span: Some(Span::new(file, 0, 4)),
        }],
    })
}

/// A run of many findings of one rule in a file of many lines; `shift` lines
/// come before all of them.
fn with_many<T>(number: usize, shift: usize, test: impl FnOnce(&Run<'_>) -> T) -> T {
    let texts = Sources::new();
    let mut text = "# a line\n".repeat(shift);
    let mut starts = Vec::new();
    for n in 0..number {
        starts.push(text.len());
        text.push_str(&format!("- name: app-{n}\n"));
    }
    let file = texts.add("apps.yaml", text.as_str());
    let findings = starts.iter().enumerate().map(|(n, start)| {
        let severity = match n % 3 {
            0 => Severity::Warning,
            _ => Severity::Error,
        };
        let mut finding = finding("a", severity, Span::new(file, start + 8, start + 13));
        // Two in five are the same but for their place.
        finding.message =
            format!("`flux-system/app-{}` lacks `x` ({n} times)", n - n % 5 / 4).into();
        finding
    });
    let repository = Repository {
        texts: Arc::clone(&texts),
        worlds: vec![world("a")],
    };
    test(&Run {
        version: "0.0.0",
        elapsed: Duration::ZERO,
        repository: &repository,
        judged: vec![Judged {
            findings: findings.collect(),
            ..Judged::default()
        }],
        notices: vec![],
    })
}

/// Fails with all the ways in which a document is not as its schema wants.
fn validate(schema: &str, document: &str) -> Value {
    let schema: Value = serde_json::from_str(schema).unwrap();
    let document: Value = serde_json::from_str(document).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    document
}

const SARIF: &str = include_str!("data/sarif-2.1.0.schema.json");
const GITLAB: &str = include_str!("data/gitlab-codequality.schema.json");

#[test]
fn the_schemas_refuse_what_is_wrong() {
    let refuses = |schema: &str, document: &str| {
        let schema: Value = serde_json::from_str(schema).unwrap();
        let document: Value = serde_json::from_str(document).unwrap();
        !jsonschema::is_valid(&schema, &document)
    };
    assert!(refuses(SARIF, r#"{"version": "2.1.0"}"#));
    assert!(refuses(
        SARIF,
        r#"{"version": "2.1.0", "runs": [{"results": []}]}"#
    ));
    assert!(refuses(GITLAB, r#"[{"description": "x"}]"#));
}

#[test]
fn json_is_as_its_published_schema_says() {
    let schema = report::json_schema().to_string();
    for text in [with_run(report::json), with_hostile_run(report::json)] {
        validate(&schema, &text);
    }
}

#[test]
fn sarif_is_valid_and_tells_each_finding_once() {
    validate(SARIF, &with_hostile_run(report::sarif));
    validate(SARIF, &with_many(50, 0, report::sarif));
    let log = validate(SARIF, &with_run(report::sarif));
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    let levels: Vec<_> = results
        .iter()
        .map(|r| r["level"].as_str().unwrap())
        .collect();
    assert_eq!(levels, ["error", "warning", "note"]);
    let first = &results[0];
    assert_eq!(
        first["properties"]["entrypoints"],
        serde_json::json!(["clusters/a", "clusters/b"])
    );
    let region = &first["locations"][0]["physicalLocation"]["region"];
    assert_eq!(
        (&region["startLine"], &region["startColumn"]),
        (&8.into(), &13.into())
    );
    assert_eq!(region["endColumn"], 18);
    assert_eq!(first["relatedLocations"][0]["id"], 1);
    // Every result leads to its rule.
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    for result in results {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    let notice = &run["invocations"][0]["toolConfigurationNotifications"][0];
    assert_eq!(
        notice["message"]["text"],
        "`images.verify` has no effect yet"
    );
}

#[test]
fn gitlab_is_valid_and_its_fingerprints_outlive_moved_lines() {
    validate(GITLAB, &with_run(report::gitlab));
    validate(GITLAB, &with_hostile_run(report::gitlab));
    let prints = |document: &Value| -> Vec<String> {
        let issues = document.as_array().unwrap().iter();
        issues
            .map(|i| i["fingerprint"].as_str().unwrap().to_owned())
            .collect()
    };
    let before = validate(GITLAB, &with_many(50, 0, report::gitlab));
    let after = validate(GITLAB, &with_many(50, 7, report::gitlab));
    assert_ne!(before, after, "lines moved");
    assert_eq!(prints(&before), prints(&after));
    let all: HashSet<String> = prints(&before).into_iter().collect();
    assert_eq!(all.len(), 50, "each finding has one of its own");
}

#[test]
fn github_annotates_errors_first_and_no_more_than_it_may() {
    let text = with_many(50, 0, |run| report::github(run, false));
    let starting = |with: &str| text.lines().filter(|line| line.starts_with(with)).count();
    assert_eq!(starting("::error "), 10, "{text}");
    assert_eq!(starting("::warning "), 10, "{text}");
    assert!(text.starts_with("::error file=apps.yaml,line="), "{text}");
    assert!(
        text.contains("::group::30 more findings without an annotation\n"),
        "{text}"
    );
    assert!(
        text.ends_with("::endgroup::\nfluxlint: 33 errors, 17 warnings\n"),
        "{text}"
    );
    let notes = |verbose| with_run(|run| report::github(run, verbose));
    assert!(!notes(false).contains("::notice "));
    assert!(notes(true).contains("::notice "));
}

/// A command of the runner is only where the report means one to be.
#[test]
fn github_commands_cannot_be_smuggled_in() {
    let text = with_hostile_run(|run| report::github(run, true));
    for line in text.lines() {
        let known = [
            "::error ",
            "::warning ",
            "::notice ",
            "::group::",
            "::endgroup::",
        ];
        let command = known.iter().any(|command| line.starts_with(command));
        assert!(command || !line.trim_start().starts_with("::"), "{line}");
        assert!(command || !line.contains("##["), "{line}");
    }
    assert_eq!(text.matches("\n::").count() + 1, 2, "{text}");
}

/// What the JUnit schemas of Jenkins and GitLab agree on.
fn check_junit(text: &str) -> Vec<(String, &'static str)> {
    let document = roxmltree::Document::parse(text).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let number = |node: roxmltree::Node<'_, '_>, name: &str| -> usize {
        node.attribute(name)
            .unwrap_or_else(|| panic!("no {name}"))
            .parse()
            .unwrap()
    };
    let elements = |node: roxmltree::Node<'_, '_>, name: &str| {
        node.descendants().filter(|n| n.has_tag_name(name)).count()
    };
    let mut cases = Vec::new();
    for node in std::iter::once(root).chain(root.children().filter(|n| n.is_element())) {
        assert_eq!(number(node, "tests"), elements(node, "testcase"));
        assert_eq!(number(node, "failures"), elements(node, "failure"));
        assert_eq!(number(node, "skipped"), elements(node, "skipped"));
        assert_eq!(number(node, "errors"), 0);
        assert!(node.attribute("name").is_some());
    }
    for suite in root.children().filter(|n| n.is_element()) {
        assert_eq!(suite.tag_name().name(), "testsuite");
        for case in suite.children().filter(|n| n.is_element()) {
            assert_eq!(case.tag_name().name(), "testcase");
            assert_eq!(case.attribute("classname"), suite.attribute("name"));
            let parts: Vec<_> = case.children().filter(|n| n.is_element()).collect();
            let names: Vec<_> = parts.iter().map(|n| n.tag_name().name()).collect();
            let outcome = match names.as_slice() {
                ["failure"] | ["failure", "system-out"] => "failure",
                ["skipped"] | ["skipped", "system-out"] => "skipped",
                [] | ["system-out"] => "success",
                other => panic!("{other:?}"),
            };
            if outcome == "failure" {
                assert!(parts[0].attribute("message").is_some());
                assert!(parts[0].attribute("type").unwrap().starts_with("FL-"));
            }
            cases.push((case.attribute("name").unwrap().to_owned(), outcome));
        }
    }
    cases
}

#[test]
fn junit_has_a_case_a_component() {
    let cases = check_junit(&with_run(|run| report::junit(run, &fails)));
    let expected = [
        ("flux-system/apps", "failure"),
        ("HelmRelease/flux-system/web", "skipped"),
        ("flux-system/apps", "failure"),
        ("HelmRelease/flux-system/web", "skipped"),
    ];
    let cases: Vec<_> = cases
        .iter()
        .map(|(name, outcome)| (name.as_str(), *outcome))
        .collect();
    assert_eq!(cases, expected);
    check_junit(&with_hostile_run(|run| report::junit(run, &fails)));
    let never = with_run(|run| report::junit(run, &|_| false));
    assert!(
        check_junit(&never)
            .iter()
            .all(|(_, outcome)| *outcome != "failure")
    );
}

#[test]
fn markdown_is_bounded_and_says_what_is_left_out() {
    let text = with_run(|run| report::markdown(run, false));
    assert!(
        text.starts_with("<!-- fluxlint -->\n### fluxlint: 1 error, 1 warning\n"),
        "{text}"
    );
    assert!(text.contains("1 note not shown"), "{text}");
    let known = with_run(|run| {
        let mut judged = run.judged.clone();
        judged[1].left_out = 3;
        let run = Run {
            judged,
            notices: vec![],
            ..*run
        };
        report::markdown(&run, false) + &report::html(&run)
    });
    assert_eq!(
        known.matches("3 findings left out by the baseline").count(),
        2
    );
    // None alike, so that each is told on its own.
    let long = with_distinct(2_000, |run| report::markdown(run, false));
    assert!(long.len() < 65_536, "{}", long.len());
    let told = long.matches("<details>").count();
    let rest = format!("**{} more findings not shown here**", 2_000 - told);
    assert!(long.contains(&rest), "{told} told");
    assert_eq!(
        long.matches("<details>").count(),
        long.matches("</details>").count()
    );
}

/// Many findings that no grouping brings together.
fn with_distinct<T>(number: usize, test: impl FnOnce(&Run<'_>) -> T) -> T {
    let texts = Sources::new();
    let file = texts.add("apps.yaml", "a: b\n".repeat(number));
    let findings = (0..number).map(|n| {
        let mut finding = finding("a", Severity::Error, Span::new(file, n * 5, n * 5 + 1));
        finding.message = format!("fault number {n}").into();
        finding
    });
    let repository = Repository {
        texts: Arc::clone(&texts),
        worlds: vec![world("a")],
    };
    test(&Run {
        version: "0.0.0",
        elapsed: Duration::ZERO,
        repository: &repository,
        judged: vec![Judged {
            findings: findings.collect(),
            ..Judged::default()
        }],
        notices: vec![],
    })
}

/// Elements that a page may have; a repository can add none.
#[test]
fn html_and_markdown_have_no_foreign_markup() {
    let known = [
        "!DOCTYPE", "html", "head", "meta", "title", "style", "body", "h1", "p", "table", "thead",
        "tbody", "tr", "th", "td", "details", "summary", "ul", "li", "pre", "code", "b", "sub",
        "footer", "!--",
    ];
    let check = |text: &str| {
        for part in text.split('<').skip(1) {
            let name: String = part
                .trim_start_matches('/')
                .chars()
                .take_while(|c| c.is_alphanumeric() || "!-".contains(*c))
                .collect();
            assert!(known.contains(&name.as_str()), "<{name}");
        }
    };
    let page = with_hostile_run(report::html);
    check(&page);
    for tag in ["details", "ul", "table", "code", "pre", "p"] {
        let open =
            page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(open, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
    let comment = with_hostile_run(|run| report::markdown(run, true));
    let outside: Vec<&str> = comment.split("```").step_by(2).collect();
    check(&outside.join(""));
    assert!(!outside.join("").contains("@all"), "{comment}");
}

#[test]
fn no_form_shows_a_secret_or_passes_control_characters_on() {
    for (name, text) in with_run(forms) {
        assert!(!text.contains("hunter2"), "{name}: {text}");
    }
    for (name, text) in with_hostile_run(forms) {
        // The direction of text is no concern of data.
        let is_data = ["json", "sarif", "gitlab"].contains(&name);
        let is_bad = |c: char| match c {
            '\n' => false,
            '\u{1b}' => name != "text",
            '\u{202e}' => !is_data,
            c => c.is_control(),
        };
        let bad: Vec<char> = text.chars().filter(|c| is_bad(*c)).collect();
        assert_eq!(bad, [], "{name}: {text:?}");
        // What text has of escapes is its own.
        assert!(!text.contains("</script>\u{1b}"), "{name}");
    }
}
