//! `fluxlint rules` and `fluxlint explain`.

mod common;

use common::fluxlint;
use snapbox::str;

#[test]
fn every_rule_is_listed_and_explained() {
    let output = fluxlint(&["rules", "--format", "json"]).assert().success();
    let rules: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let text = fluxlint(&["rules"]).assert().success();
    let text = String::from_utf8(text.get_output().stdout.clone()).unwrap();
    let rules = rules.as_array().unwrap();
    assert!(rules.len() >= 18);
    assert_eq!(text.lines().count(), rules.len());
    for rule in rules {
        let (id, name) = (
            rule["rule"].as_str().unwrap(),
            rule["name"].as_str().unwrap(),
        );
        assert!(text.contains(&format!("{id}  {name}")), "{id}");
        let explain = |rule: &str| {
            let page = fluxlint(&["explain", rule]).assert().success();
            String::from_utf8(page.get_output().stdout.clone()).unwrap()
        };
        let page = explain(id);
        assert!(page.contains(name), "{id}");
        assert_eq!(page, explain(name));
    }
}

#[test]
fn an_unknown_rule_comes_with_the_nearest() {
    fluxlint(&["explain", "dangling-references"])
        .assert()
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: no rule is called `dangling-references`
  help: did you mean `dangling-reference`? `fluxlint rules` lists them all

"#]]);
}
