//! A rule's page is its test.

mod page;

use page::examples;

#[test]
fn every_page_has_a_failing_and_a_passing_example() {
    for rule in lint::RULES {
        let page = lint::explain(rule.id).expect("a page");
        let examples = examples(page).unwrap_or_else(|why| panic!("{}: {why}", rule.id));
        let fails = |example: &&page::Example| example.expected.iter().any(|e| e.rule == rule.id);
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
fn expectations_name_rules_severities_and_places() {
    for rule in lint::RULES {
        let page = lint::explain(rule.id).expect("a page");
        for example in examples(page).expect("examples") {
            for expected in &example.expected {
                let what = format!("{} `{}`", rule.id, example.title);
                assert!(
                    lint::find(&expected.rule).is_some(),
                    "{what}: {}",
                    expected.rule
                );
                let known = ["error", "warning", "info"].contains(&expected.severity.as_str());
                assert!(known, "{what}: {}", expected.severity);
                assert!(expected.component.contains('/'), "{what}");
                let file = expected.place.split(':').next().unwrap_or_default();
                let is_file = example.files.iter().any(|(path, _)| path == file);
                assert!(
                    is_file || expected.place == "-",
                    "{what}: {}",
                    expected.place
                );
                assert!(!expected.message.is_empty(), "{what}");
            }
        }
    }
}
