//! A report of hand-made findings, as text and as JSON.

mod common;

use std::sync::Arc;
use std::time::Duration;

use common::{finding, key, with_run, world};
use lint::Severity;
use model::{ComponentKind, Repository};
use report::{Judged, Run, TextOptions};
use yaml::{Sources, Span};

/// Text without its colours.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("\u{1b}[") {
        plain.push_str(&rest[..start]);
        let tail = &rest[start..];
        rest = &tail[tail.find('m').map_or(tail.len(), |end| end + 1)..];
    }
    plain + rest
}

#[test]
fn text_groups_masks_and_sums_up() {
    let text = with_run(|run| plain(&report::text(run, TextOptions::default())));
    let expected = "\
warning: `images.verify` has no effect yet

error[FL-G001] dangling-reference: it depends on flux-system/infra, which nothing defines
 --> base/apps.yaml:8:13
  |
6 | spec:
7 |   dependsOn:
8 |     - name: infra
  |             ^^^^^
  = component: flux-system/apps
  = entrypoints: clusters/a, clusters/b
  = note: flux-system/infrastructure is near [base/apps.yaml:1:13]
  = help: write `name: infrastructure`

warning[FL-S001] undefined-variable: `cluster` has no value
 --> base/secret.yaml:6:10
  |
5 | stringData:
6 |   token: ********
  |          ^^^^^^^^
  = component: flux-system/apps
  = entrypoint: clusters/a
  = help: write `name: infrastructure`

1 error, 1 warning
1 note not shown (-v shows them): 1 FL-G001 dangling-reference
clusters/a:
  1 Kustomization, 1 HelmRelease: 1 rendered (0 objects)
    not rendered: 1 × charts are not rendered
  bootstrap: worst case at least 12m30s
clusters/b:
  1 Kustomization, 1 HelmRelease: 1 rendered (0 objects)
    not rendered: 1 × charts are not rendered
externals: 2 entries taken on trust, not needed: namespace legacy
checked 2 entrypoints in 0.12 s
";
    assert_eq!(text, expected, "\n{text}");
}

#[test]
fn verbose_text_shows_notes_and_lists_all() {
    let options = TextOptions {
        verbose: true,
        ..TextOptions::default()
    };
    let text = with_run(|run| plain(&report::text(run, options)));
    assert!(text.contains("info[FL-G001]"), "{text}");
    assert!(!text.contains("not shown"), "{text}");
}

/// Nine findings that differ only in their component and place.
#[test]
fn findings_alike_are_told_together() {
    let texts = Sources::new();
    let manifest: String = (0..9).map(|n| format!("- name: app-{n}\n")).collect();
    let file = texts.add("apps.yaml", manifest.as_str());
    let findings = (0..9).map(|n| {
        let mut finding = finding(
            "a",
            Severity::Error,
            Span::new(file, n * 14 + 8, n * 14 + 13),
        );
        let name = format!("app-{n}");
        finding.message = format!("`flux-system/{name}` depends on `x`").into();
        finding.components = vec![key(ComponentKind::Kustomization, &name)];
        finding
    });
    let repository = Repository {
        texts: Arc::clone(&texts),
        worlds: vec![world("a")],
    };
    let run = Run {
        version: "0.0.0",
        elapsed: Duration::ZERO,
        repository: &repository,
        judged: vec![Judged {
            findings: findings.collect(),
            ..Judged::default()
        }],
        notices: vec![],
    };
    let text = plain(&report::text(&run, TextOptions::default()));
    assert_eq!(text.matches("error[FL-G001]").count(), 1, "{text}");
    assert!(
        text.contains("= also: flux-system/app-1 [apps.yaml:2:9]\n"),
        "{text}"
    );
    assert!(
        text.contains("= also: 3 more like it (-v lists them)\n"),
        "{text}"
    );
    assert!(text.contains("9 errors\n"), "{text}");
}

#[test]
fn json_has_the_documented_keys_in_order() {
    let text = with_run(report::json);
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    let keys = |value: &serde_json::Value| -> Vec<String> {
        value.as_object().unwrap().keys().cloned().collect()
    };
    let mut order = Vec::new();
    for key in [
        "version",
        "schemaVersion",
        "elapsedMs",
        "entrypoints",
        "notices",
    ] {
        order.push(text.find(&format!("\n  \"{key}\"")).expect(key));
    }
    assert!(order.is_sorted(), "{order:?}");
    let first = &document["entrypoints"][0];
    assert_eq!(first["entrypoint"], "clusters/a");
    assert_eq!(first["externals"]["entries"], 2);
    assert_eq!(first["timing"]["bound"], 750_000_000_000_u64);
    assert_eq!(
        document["entrypoints"][1]["timing"],
        serde_json::Value::Null
    );
    let finding = &first["findings"][0];
    assert_eq!(finding["rule"], "FL-G001");
    assert_eq!(finding["file"], "base/apps.yaml");
    assert_eq!(
        (&finding["line"], &finding["column"]),
        (&8.into(), &13.into())
    );
    assert_eq!(finding["component"], "flux-system/apps");
    assert_eq!(finding["source"], "graph");
    let mut found = keys(finding);
    found.sort();
    let expected = [
        "column",
        "component",
        "components",
        "detail",
        "entrypoint",
        "evidence",
        "file",
        "help",
        "line",
        "message",
        "name",
        "rule",
        "severity",
        "source",
    ];
    assert_eq!(found, expected);
    let release = &first["components"][1];
    assert_eq!(release["component"], "HelmRelease/flux-system/web");
    assert_eq!(release["parent"], "flux-system/apps");
    assert_eq!(release["notRendered"], "charts are not rendered");
}

#[test]
fn the_published_schema_is_the_one_of_the_types() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/check.schema.json");
    let mut expected = serde_json::to_string_pretty(&report::json_schema()).unwrap();
    expected.push('\n');
    if std::env::var_os("FLUXLINT_BLESS").is_some() {
        std::fs::write(path, &expected).unwrap();
    }
    let published = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        published == expected,
        "docs/check.schema.json is out of date: run the tests with FLUXLINT_BLESS=1"
    );
}
