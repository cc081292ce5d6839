//! What substitution reads, wherever it is rendered.

mod support;

use flux::{ExternalSubstitution, Settings};
use support::*;
use yaml::Span;

const FROM: &str = "postBuild:\n  substituteFrom:\n  - {kind: ConfigMap, name: vars}";

fn settings(external: &str, variables: &[(&str, Option<&str>)]) -> Settings {
    Settings {
        substitutions: vec![ExternalSubstitution {
            kind: "ConfigMap".into(),
            name: external.into(),
            namespace: "flux-system".into(),
            variables: variables
                .iter()
                .map(|(k, v)| ((*k).into(), v.map(Into::into)))
                .collect(),
            span: Span::NONE,
        }],
        ..at("cluster")
    }
}

/// The value of `data.v` of the ConfigMap `x` that component `app` applies.
fn v(world: &model::World) -> Option<String> {
    value(
        world,
        "flux-system/app",
        "ConfigMap/flux-system/x",
        &["data", "v"],
    )
}

fn with(more: &[(&str, &str)]) -> model::World {
    let app = kustomization("app", "./app", FROM);
    let x = config_map("x", &[("v", "is ${V:=default}")]);
    let mut files = vec![
        ("cluster/app.yaml", app.as_str()),
        ("app/cm.yaml", x.as_str()),
    ];
    files.extend(more);
    render(&files)
}

#[test]
fn from_a_component_that_is_found_later() {
    let world = with(&[
        ("cluster/z.yaml", &kustomization("z", "./z", "")),
        ("z/deeper.yaml", &kustomization("deeper", "./deeper", "")),
        ("deeper/vars.yaml", &config_map("vars", &[("V", "found")])),
    ]);
    assert_eq!(v(&world).as_deref(), Some("is found"));
    let read: Vec<_> = component(&world, "flux-system/app")
        .substitutes_from
        .iter()
        .map(|r| r.name.to_string())
        .collect();
    assert_eq!(read, ["vars"]);
}

#[test]
fn from_a_component_that_waits_itself() {
    // vars comes from b, whose own values come from a, whose own come from vars.
    let from = |name: &str| {
        format!("postBuild:\n  substituteFrom:\n  - {{kind: ConfigMap, name: {name}}}")
    };
    let world = with(&[
        ("cluster/a.yaml", &kustomization("a", "./a", &from("vars"))),
        ("cluster/b.yaml", &kustomization("b", "./b", &from("more"))),
        ("a/more.yaml", &config_map("more", &[("M", "m")])),
        ("b/vars.yaml", &config_map("vars", &[("V", "${M}")])),
    ]);
    assert_eq!(v(&world).as_deref(), Some("is m"));
    for key in ["flux-system/a", "flux-system/b", "flux-system/app"] {
        assert!(
            problems(&world, key).is_empty(),
            "{key} {:?}",
            problems(&world, key)
        );
    }
}

#[test]
fn from_its_own_objects() {
    let world = with(&[("app/vars.yaml", &config_map("vars", &[("V", "own")]))]);
    assert_eq!(v(&world).as_deref(), Some("is own"));
}

#[test]
fn secrets_are_decoded() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: flux-system}\ndata: {V: Zm91bmQ=, W: Zmlyc3Q=}\nstringData: {W: last}\n";
    let world = render(&[
        (
            "cluster/app.yaml",
            &kustomization(
                "app",
                "./app",
                "postBuild:\n  substituteFrom:\n  - {kind: Secret, name: s}",
            ),
        ),
        ("cluster/secret.yaml", secret),
        ("app/cm.yaml", &config_map("x", &[("v", "${V} ${W}")])),
    ]);
    assert_eq!(v(&world).as_deref(), Some("found last"));
}

#[test]
fn later_sources_and_inline_values_win() {
    let more = "postBuild:\n  substitute: {C: inline}\n  substituteFrom:\n  - {kind: ConfigMap, name: one}\n  - {kind: ConfigMap, name: two}";
    let world = render(&[
        ("cluster/app.yaml", &kustomization("app", "./app", more)),
        (
            "cluster/one.yaml",
            &config_map("one", &[("A", "1"), ("B", "1"), ("C", "1")]),
        ),
        (
            "cluster/two.yaml",
            &config_map("two", &[("B", "2"), ("C", "2")]),
        ),
        ("app/cm.yaml", &config_map("x", &[("v", "a${A}b${B}c${C}")])),
    ]);
    assert_eq!(v(&world).as_deref(), Some("a1b2cinline"));
}

#[test]
fn a_missing_source_is_said_unless_it_is_optional() {
    let world = with(&[]);
    assert_eq!(
        problems(&world, "flux-system/app"),
        ["missing source: ConfigMap flux-system/vars"]
    );
    assert_eq!(v(&world).as_deref(), Some("is default"));
    let optional =
        "postBuild:\n  substituteFrom:\n  - {kind: ConfigMap, name: vars, optional: true}";
    let world = render(&[
        ("cluster/app.yaml", &kustomization("app", "./app", optional)),
        (
            "app/cm.yaml",
            &config_map("x", &[("v", "is ${V:=default}")]),
        ),
    ]);
    // Nothing is missing, and nothing is substituted.
    let left = problems(&world, "flux-system/app");
    assert!(
        matches!(left.as_slice(), [only] if only.starts_with("NoVariables")),
        "{left:?}"
    );
    assert!(
        component(&world, "flux-system/app")
            .substitutes_from
            .is_empty()
    );
}

#[test]
fn the_lookup_is_in_the_own_namespace() {
    let elsewhere = config_map("vars", &[("V", "found")])
        .replace("namespace: flux-system", "namespace: network");
    let world = with(&[("cluster/vars.yaml", &elsewhere)]);
    assert_eq!(
        problems(&world, "flux-system/app"),
        ["missing source: ConfigMap flux-system/vars"]
    );
}

#[test]
fn declared_outside_the_repository() {
    let app = kustomization("app", "./app", FROM);
    let x = config_map("x", &[("v", "is ${V}")]);
    let files = [
        ("cluster/app.yaml", app.as_str()),
        ("app/cm.yaml", x.as_str()),
    ];
    let world = render_with(&files, &settings("vars", &[("V", Some("told"))]));
    assert_eq!(v(&world).as_deref(), Some("is told"));
    assert!(problems(&world, "flux-system/app").is_empty());
    let world = render_with(&files, &settings("vars", &[("V", None)]));
    assert!(yaml::unknown::contains(&v(&world).unwrap()));
    assert!(problems(&world, "flux-system/app").is_empty());
    // An entry that lists nothing may bring anything.
    let world = render_with(&files, &settings("vars", &[]));
    assert!(yaml::unknown::contains(&v(&world).unwrap()));
    let world = render_with(&files, &settings("vars", &[("W", None)]));
    assert_eq!(
        problems(&world, "flux-system/app"),
        ["undefined: V strict=true"]
    );
}

#[test]
fn made_at_run_time_it_is_unknown() {
    let external = |from: &str| {
        format!(
            "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {{name: s, namespace: flux-system}}\nspec:\n  target: {{name: made}}\n  {from}\n"
        )
    };
    let world = |from: &str| {
        render(&[
            (
                "cluster/app.yaml",
                &kustomization(
                    "app",
                    "./app",
                    "postBuild:\n  substituteFrom:\n  - {kind: Secret, name: made}",
                ),
            ),
            ("cluster/es.yaml", &external(from)),
            ("app/cm.yaml", &config_map("x", &[("v", "${V}")])),
        ])
    };
    let listed = world("data: [{secretKey: V}]");
    assert!(yaml::unknown::contains(&v(&listed).unwrap()));
    assert!(problems(&listed, "flux-system/app").is_empty());
    let open = world("dataFrom: [{extract: {key: all}}]");
    assert!(yaml::unknown::contains(&v(&open).unwrap()));
    assert!(problems(&open, "flux-system/app").is_empty());
    let other = world("data: [{secretKey: W}]");
    assert_eq!(
        problems(&other, "flux-system/app"),
        ["undefined: V strict=true"]
    );
}

#[test]
fn values_that_feed_themselves_end() {
    let world = with(&[("app/vars.yaml", &config_map("vars", &[("V", "${V:=a}x")]))]);
    assert!(opaque(&world, "flux-system/app").contains("never settles"));
    assert!(problems(&world, "flux-system/app")[0].starts_with("gap: substitution values"));
}

#[test]
fn strictness_follows_the_release() {
    let files = |version: &str| {
        let namespace = format!(
            "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: flux-system\n  labels: {{app.kubernetes.io/part-of: flux, app.kubernetes.io/version: {version}}}\n"
        );
        let app = kustomization("app", "./app", "postBuild:\n  substitute: {A: a}");
        render(&[
            ("cluster/flux.yaml", &namespace),
            ("cluster/app.yaml", &app),
            ("app/cm.yaml", &config_map("x", &[("v", "<${V}>")])),
        ])
    };
    let world = files("v2.8.1");
    assert_eq!(
        problems(&world, "flux-system/app"),
        ["undefined: V strict=false"]
    );
    assert_eq!(v(&world).as_deref(), Some("<>"));
    assert_eq!(world.flux_version, "2.8.1");
    let world = files("v2.9.0");
    assert_eq!(
        problems(&world, "flux-system/app"),
        ["undefined: V strict=true"]
    );
    assert!(matches!(
        component(&world, "flux-system/app").state,
        model::State::Failed(_)
    ));
}

#[test]
fn the_tag_of_a_source_of_flux_itself_tells_the_release() {
    let source = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: install, namespace: flux-system}\n\
                  spec: {url: 'https://github.com/fluxcd/flux2.git', ref: {tag: v0.31.4}, interval: 1h}\n";
    let world = render(&[("cluster/flux.yaml", source)]);
    assert_eq!(world.flux_version, "0.31.4");
    assert!(!world.strict_substitution);
}

/// One place in a file stands for a text in each cluster.
#[test]
fn patches_of_several_clusters_are_told_apart() {
    let root = |cluster: &str| {
        let variables = format!("postBuild:\n  substitute: {{CLUSTER: {cluster}}}");
        kustomization("apps", "./apps", &variables)
    };
    let patch = "patches:\n  - target: {kind: ConfigMap}\n    patch: |\n      apiVersion: v1\n      kind: ConfigMap\n      metadata: {name: any}\n      data: {v: of ${CLUSTER}}\n  - target: {kind: ConfigMap}\n    patch: |\n      - {op: add, path: /data/w, value: in ${CLUSTER}}";
    let (a, b) = (root("a"), root("b"));
    let web = kustomization("web", "./web", patch);
    let cm = config_map("x", &[]);
    let repository = render_all(
        &[
            ("clusters/a/apps.yaml", &a),
            ("clusters/b/apps.yaml", &b),
            ("apps/web.yaml", &web),
            ("web/cm.yaml", &cm),
        ],
        &Settings::default(),
    );
    assert_eq!(repository.worlds.len(), 2);
    for (world, cluster) in repository.worlds.iter().zip(["a", "b"]) {
        let of = |key: &str| {
            value(
                world,
                "flux-system/web",
                "ConfigMap/flux-system/x",
                &["data", key],
            )
        };
        assert_eq!(of("v"), Some(format!("of {cluster}")));
        assert_eq!(of("w"), Some(format!("in {cluster}")));
    }
}
