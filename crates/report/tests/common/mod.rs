//! A run of hand-made findings.

#![allow(dead_code)] // Each test file uses its part.

use std::sync::Arc;
use std::time::Duration;

use link::{Contribution, Timing, UnusedExternal};
use lint::{Detail, Evidence, Finding, Question, Severity};
use model::{
    Component, ComponentKey, ComponentKind, KustomizationSpec, Repository, Spec, State, World,
};
use report::{Judged, Notice, Run};
use yaml::{Sources, Span};

pub const APPS: &str = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: apps
  namespace: flux-system
spec:
  dependsOn:
    - name: infra
";

pub const SECRET: &str = "\
apiVersion: v1
kind: Secret
metadata:
  name: token
stringData:
  token: hunter2-${cluster}
";

pub fn key(kind: ComponentKind, name: &str) -> ComponentKey {
    ComponentKey {
        kind,
        namespace: "flux-system".into(),
        name: name.into(),
    }
}

pub fn component(key: ComponentKey, state: State, parents: Vec<usize>) -> Component {
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

pub fn world(entrypoint: &str) -> World {
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

pub fn finding(entrypoint: &str, severity: Severity, span: Span) -> Finding {
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
pub fn with_run<T>(test: impl FnOnce(&Run<'_>) -> T) -> T {
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
        critical: 750_000_000_000,
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
        lanes: vec![],
        never: 0,
        blocked: vec![],
        workers: vec![],
        pickup: None,
        measured: (0, 0),
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
