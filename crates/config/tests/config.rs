//! Configurations as people write them, and what they are told.

use config::{Config, Level};
use yaml::Sources;

/// The error of a text: place, message, help.
fn refused(text: &str) -> String {
    let sources = Sources::new();
    let error = Config::parse(".fluxlint.yaml", text, &sources).unwrap_err();
    let place = error.location(&sources).map_or_else(
        || "nowhere".into(),
        |at| format!("{}:{}:{}", at.file, at.line, at.column),
    );
    let help = error.help.as_deref().unwrap_or("-");
    let help = help.split(" (known").next().unwrap_or(help);
    format!("{place}: {error} | {help}")
}

fn read(text: &str) -> Config {
    match Config::parse(".fluxlint.yaml", text, &Sources::new()) {
        Ok(config) => config,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn nothing_is_a_configuration() {
    assert_eq!(read(""), Config::default());
    assert_eq!(read("# only a comment\n"), Config::default());
    assert_eq!(read("externals:\nrules:\n"), Config::default());
}

#[test]
fn unknown_keys_come_with_place_and_nearest_name() {
    assert_eq!(
        refused("kubeVersion: 1.33\nentrypoint: [a]\n"),
        ".fluxlint.yaml:2:1: unknown key `entrypoint` | did you mean `entrypoints`?"
    );
    assert_eq!(
        refused("externals:\n  runtimeCRDs:\n    - group: a\n      provided-by: b\n"),
        ".fluxlint.yaml:4:7: externals.runtimeCRDs[0]: unknown key `provided-by` | did you mean `providedBy`?"
    );
    assert_eq!(
        refused("entrypoints:\n- path: a\n  kubeversion: 1.30\n"),
        ".fluxlint.yaml:3:3: entrypoints[0]: unknown key `kubeversion` | did you mean `kubeVersion`?"
    );
    // A key without a value is still a key.
    assert!(refused("external:\n").starts_with(".fluxlint.yaml:1:1: unknown key"));
}

#[test]
fn wrong_types_say_what_was_found_and_where() {
    assert_eq!(
        refused("externals:\n  namespaces: legacy\n"),
        ".fluxlint.yaml:2:15: externals.namespaces: expected a list, found the text `legacy` | -"
    );
    assert_eq!(
        refused("externals:\n  secrets:\n  - namespace: 7\n    name: a\n"),
        ".fluxlint.yaml:3:16: externals.secrets[0].namespace: expected text, found the number `7` | \
         put it in quotes if it is meant as text: \"7\""
    );
    assert_eq!(
        refused("externals:\n  secrets:\n  - namespace: a\n"),
        ".fluxlint.yaml:3:5: externals.secrets[0]: the key `name` is missing | -"
    );
    assert_eq!(
        refused("controllers: {strictSubstitution: \"true\"}\n"),
        ".fluxlint.yaml:1:35: controllers.strictSubstitution: expected true or false, found the text `true` | -"
    );
    assert_eq!(
        refused("[]"),
        ".fluxlint.yaml:1:1: expected a mapping, found a list | -"
    );
}

#[test]
fn wrong_values_are_refused() {
    assert_eq!(
        refused("rules:\n  FL-G001: warn\n"),
        ".fluxlint.yaml:2:12: rules.FL-G001: unknown value `warn` | did you mean `warning`?"
    );
    assert_eq!(
        refused("timing:\n  maxBootstrapBound: 10\n"),
        ".fluxlint.yaml:2:22: timing.maxBootstrapBound: `10` is no duration; write it as 90s, 5m or 1h30m | -"
    );
    assert_eq!(
        refused("timing:\n  dominantShare: 40\n"),
        ".fluxlint.yaml:2:18: timing.dominantShare: 40 is not between 0 and 1 | -"
    );
    assert_eq!(
        refused("ignore:\n- rule: FL-G001\n  until: soon\n"),
        ".fluxlint.yaml:3:10: ignore[0].until: `soon` is no date; write it as 2026-12-31 | -"
    );
    assert_eq!(
        refused("repoSource: a/b/c/d\n"),
        ".fluxlint.yaml:1:13: repoSource: `a/b/c/d` names no source; write a name, namespace/name, \
         kind/namespace/name or its URL | -"
    );
}

#[test]
fn text_that_is_no_configuration_is_refused() {
    assert!(refused("a: [").starts_with(".fluxlint.yaml:1:"));
    assert_eq!(
        refused("rules:\n  FL-G001: off\n  FL-G001: info\n"),
        ".fluxlint.yaml:3:3: the key `FL-G001` appears twice | keep one of them"
    );
    assert!(refused("rules: {}\n---\nrules: {}\n").contains("more than one document"));
}

#[test]
fn versions_levels_and_dates_keep_what_was_written() {
    let config = read(
        "kubeVersion: 1.30\nrules: {FL-G001: off}\nignore: [{rule: FL-G002, until: 2027-01-31}]\n",
    );
    assert_eq!(config.kube_version.unwrap().to_string(), "1.30");
    assert_eq!(config.rules.level("FL-G001", "x"), Some(Level::Off));
    assert_eq!(config.ignore[0].until.unwrap().to_string(), "2027-01-31");
}

#[test]
fn one_source_needs_no_list() {
    let matches = |text: &str, url| {
        let config = read(text);
        config.repo_source[0].matches("GitRepository", "flux-system", "home", url)
    };
    assert!(matches("repoSource: flux-system/home", None));
    assert!(matches(
        "repoSource: [GitRepository/flux-system/home]",
        None
    ));
    assert!(!matches("repoSource: Bucket/flux-system/home", None));
    let url = Some("https://example.org/a");
    assert!(matches("repoSource: https://example.org/a.git", url));
}

#[test]
fn variables_may_have_values() {
    let config = read(
        "externals: {substitutions: [{kind: Secret, name: a, variables: {port: 8080, token: }}]}",
    );
    let variables = &config.externals.substitutions[0].variables;
    assert_eq!(variables.get("port"), Some(Some("8080")));
    assert_eq!(variables.get("token"), Some(None));
    assert_eq!(variables.get("other"), None);
}

#[test]
fn a_rule_that_does_not_exist_is_refused() {
    let known = [
        ("FL-G001", "dangling-reference"),
        ("FL-G004", "missing-namespace"),
    ];
    let check = |text: &str| read(text).check_rules(&known).map_err(|e| e.to_string());
    assert_eq!(
        check("rules: {FL-G001: off, missing-namespace: info}"),
        Ok(())
    );
    assert_eq!(
        check("ignore: [{rule: dangling-referense}]"),
        Err("ignore[0].rule: no rule is called `dangling-referense`".into())
    );
}

#[test]
fn keys_without_effect_are_known() {
    let config = read("images: {verify: [a]}\nkubeVersion: 1.33\ncontracts: {images: [a]}\n");
    let inert: Vec<_> = config.inert().iter().map(|inert| inert.key).collect();
    assert_eq!(inert, ["images.verify", "contracts.images"]);
}

#[test]
fn ignores_match_rule_component_and_object() {
    let config = read("ignore: [{rule: FL-G004, component: flux-system/*, object: Secret/*}]");
    let ignore = &config.ignore[0];
    let matches = |id, component: &str, object| ignore.matches(id, "n", &[component], object);
    assert!(matches("FL-G004", "flux-system/apps", Some("Secret/a/b")));
    assert!(!matches("FL-G004", "flux-system/apps", None));
    assert!(!matches("FL-G004", "other/apps", Some("Secret/a/b")));
    assert!(!matches("FL-G001", "flux-system/apps", Some("Secret/a/b")));
}

/// Every example of a configuration in the documentation is read.
#[test]
fn the_examples_of_the_documentation_are_valid() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    for page in ["README.md", "docs/configuration.md"] {
        let text = std::fs::read_to_string(format!("{root}/{page}")).unwrap();
        let blocks = text.split("```yaml\n").skip(1);
        let blocks = blocks.filter_map(|block| block.split("```").next());
        // The others are for continuous integration.
        let is_configuration =
            |block: &&str| block.contains("ignore:") || block.contains("externals:");
        let examples: Vec<_> = blocks.filter(is_configuration).collect();
        assert!(!examples.is_empty(), "{page}");
        examples.into_iter().for_each(|example| drop(read(example)));
    }
}
