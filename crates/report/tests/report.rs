//! A report of hand-made findings, as text and as JSON.

use std::sync::Arc;
use std::time::Duration;

use link::{Contribution, Timing, UnusedExternal};
use lint::{Detail, Evidence, Finding, Question, Severity};
use model::{
    Component, ComponentKey, ComponentKind, KustomizationSpec, Repository, Spec, State, World,
};
use report::{Judged, Notice, Run, TextOptions};
use yaml::{Sources, Span};

const APPS: &str = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: apps
  namespace: flux-system
spec:
  dependsOn:
    - name: infra
";

const SECRET: &str = "\
apiVersion: v1
kind: Secret
metadata:
  name: token
stringData:
  token: hunter2-${cluster}
";

fn key(kind: ComponentKind, name: &str) -> ComponentKey {
    ComponentKey {
        kind,
        namespace: "flux-system".into(),
        name: name.into(),
    }
}

fn component(key: ComponentKey, state: State, parents: Vec<usize>) -> Component {
    let spec = KustomizationSpec {
        path: "./apps".into(),
        ..KustomizationSpec::default()
    };
    Component {
        key,
        home: "".into(),
        cluster: "".into(),
        parents,
        object: None,
        spec: Spec::Kustomization(Box::new(spec)),
        source: None,
        suspended: false,
        state,
        problems: Vec::new(),
        substitutes_from: Vec::new(),
    }
}

fn world(entrypoint: &str) -> World {
    let rendered = || State::Rendered(model::Rendered::default());
    let opaque = State::Opaque("charts are not rendered".into());
    World {
        entrypoint: entrypoint.into(),
        components: vec![
            component(
                key(ComponentKind::Kustomization, "apps"),
                rendered(),
                vec![],
            ),
            component(key(ComponentKind::HelmRelease, "web"), opaque, vec![0]),
        ],
        ..World::default()
    }
}

fn finding(entrypoint: &str, severity: Severity, span: Span) -> Finding {
    Finding {
        rule: "FL-G001",
        name: "dangling-reference",
        severity,
        evidence: Evidence::Authoritative,
        source: Question::Graph,
        entrypoint: entrypoint.into(),
        components: vec![key(ComponentKind::Kustomization, "apps")],
        object: None,
        span: Some(span),
        message: "it depends on flux-system/infra, which nothing defines".into(),
        details: vec![Detail {
            message: "flux-system/infrastructure is near".into(),
            span: Some(Span {
                start: 12,
                end: 20,
                ..span
            }),
            component: None,
        }],
        help: Some("write `name: infrastructure`".into()),
        fix: vec![],
        external: None,
    }
}

/// Two entrypoints that share a fault, a fault within a Secret, and a note.
fn with_run<T>(test: impl FnOnce(&Run<'_>) -> T) -> T {
    let texts = Sources::new();
    let apps = texts.add("base/apps.yaml", APPS);
    let secret = texts.add("base/secret.yaml", SECRET);
    let at = |file, text: &str, part: &str| {
        let start = text.find(part).unwrap_or_default();
        Span::new(file, start, start + part.len())
    };
    let dangling = |entrypoint| finding(entrypoint, Severity::Error, at(apps, APPS, "infra"));
    let mut undefined = finding(
        "clusters/a",
        Severity::Warning,
        at(secret, SECRET, "${cluster}"),
    );
    (undefined.rule, undefined.name) = ("FL-S001", "undefined-variable");
    undefined.message = "`cluster` has no value".into();
    undefined.details.clear();
    let mut note = finding("clusters/a", Severity::Info, Span::NONE);
    note.span = None;
    let repository = Repository {
        texts: Arc::clone(&texts),
        worlds: vec![world("clusters/a"), world("clusters/b")],
    };
    let legacy = UnusedExternal {
        what: "namespace legacy".into(),
        span: Span::NONE,
    };
    let timing = Timing {
        complete: false,
        bound: Some(750_000_000_000),
        one_try: 750_000_000_000,
        best: 0,
        unlimited: vec![],
        chain: vec![Contribution {
            event: "ready(flux-system/apps)".into(),
            at: 750_000_000_000,
            added: 750_000_000_000,
            reason: "its timeout".into(),
            span: None,
            component: None,
        }],
        events: vec![],
        never: 0,
    };
    test(&Run {
        version: "0.0.0",
        elapsed: Duration::from_millis(120),
        repository: &repository,
        judged: vec![
            Judged {
                findings: vec![note, undefined, dangling("clusters/a")],
                timing: Some(timing),
                externals: 2,
                unused_externals: vec![legacy.clone()],
                ..Judged::default()
            },
            Judged {
                findings: vec![dangling("clusters/b")],
                externals: 2,
                unused_externals: vec![legacy],
                ..Judged::default()
            },
        ],
        notices: vec![Notice {
            message: "`images.verify` has no effect yet".into(),
            span: None,
        }],
    })
}

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
