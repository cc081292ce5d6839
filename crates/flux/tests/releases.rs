//! HelmReleases: their charts, values and objects.

mod support;

use std::sync::Arc;

use flux::{AddressMirror, ExternalSecret, Settings, SourceOverride};
use model::{SourceKey, State, World};
use support::*;

/// A HelmRelease `apps/web` of a chart in `charts/` of this repository.
fn release(chart: &str, more: &str) -> String {
    named("web", chart, more)
}

fn named(name: &str, chart: &str, more: &str) -> String {
    let mut text = format!(
        "---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: {name}, namespace: apps}}\n\
         spec:\n  interval: 10m\n  chart:\n    spec:\n      chart: ./charts/{chart}\n      sourceRef: {{kind: GitRepository, name: flux-system, namespace: flux-system}}\n"
    );
    for line in more.lines() {
        text.push_str(&format!("  {line}\n"));
    }
    text
}

/// The files of a chart with one template.
fn chart(name: &str, template: &str, values: &str) -> Vec<(String, String)> {
    let file = |path: &str, text: &str| (format!("charts/{name}/{path}"), text.to_owned());
    vec![
        file(
            "Chart.yaml",
            &format!("apiVersion: v2\nname: {name}\nversion: 1.2.3\n"),
        ),
        file("values.yaml", values),
        file("templates/all.yaml", template),
    ]
}

/// A chart whose template shows its values in a ConfigMap.
fn show(expressions: &[(&str, &str)], values: &str) -> Vec<(String, String)> {
    let mut template =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shown}\ndata:\n".to_owned();
    for (key, expression) in expressions {
        template.push_str(&format!("  {key}: {{{{ {expression} | quote }}}}\n"));
    }
    chart("show", &template, values)
}

fn world(files: &[(&str, &str)], charts: &[(String, String)]) -> World {
    world_with(files, charts, &at("cluster"))
}

fn world_with(files: &[(&str, &str)], charts: &[(String, String)], settings: &Settings) -> World {
    let charts = charts
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()));
    let all: Vec<(&str, &str)> = files.iter().copied().chain(charts).collect();
    render_with(&all, settings)
}

fn shown(world: &World, key: &str) -> Option<String> {
    let web = component(world, WEB);
    assert!(
        !web.objects().is_empty(),
        "{:?} {:?}",
        web.state,
        web.problems
    );
    value(
        world,
        "HelmRelease/apps/web",
        "ConfigMap/apps/shown",
        &["data", key],
    )
}

const WEB: &str = "HelmRelease/apps/web";

fn data(kind: &str, name: &str, field: &str, key: &str, text: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: apps}}\n{field}:\n  {key}: {text:?}\n"
    )
}

#[test]
fn a_chart_of_this_repository() {
    let chart = chart(
        "app",
        "apiVersion: v1\nkind: Service\nmetadata: {name: {{ .Release.Name }}}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: other}\n\
         ---\napiVersion: v1\nkind: Pod\nmetadata: {name: probe, annotations: {helm.sh/hook: test}}\n\
         ---\napiVersion: v1\nkind: Pod\nmetadata: {name: before, annotations: {helm.sh/hook: pre-install}}\n",
        "",
    );
    let text = release(
        "app",
        "targetNamespace: shop\ncommonMetadata: {labels: {team: a}}",
    );
    let world = world(&[("cluster/app.yaml", &text)], &chart);
    assert_eq!(
        objects(&world, WEB),
        [
            "Namespace/other",
            "Service/shop/shop-web",
            "Pod/shop/before"
        ]
    );
    let service = &component(&world, WEB).objects()[1];
    assert_eq!(service.label("team"), Some("a"));
    assert_eq!(service.label("helm.toolkit.fluxcd.io/name"), Some("web"));
    assert_eq!(
        service.label("helm.toolkit.fluxcd.io/namespace"),
        Some("apps")
    );
    let template = service.template.as_ref().unwrap();
    assert_eq!(template.chart, "app-1.2.3");
    assert_eq!(template.path, "app/templates/all.yaml");
    assert_eq!(service.hook(), None);
    assert_eq!(
        component(&world, WEB).objects()[2].hook(),
        Some("pre-install")
    );
}

#[test]
fn objects_stand_where_the_release_names_its_chart() {
    let chart = chart(
        "app",
        "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n",
        "",
    );
    let text = release("app", "");
    let files: Vec<(&str, &str)> = [("cluster/app.yaml", text.as_str())]
        .into_iter()
        .chain(chart.iter().map(|(p, t)| (p.as_str(), t.as_str())))
        .collect();
    let repository = render_all(&files, &at("cluster"));
    let object = &component(&repository.worlds[0], WEB).objects()[0];
    let place = repository.texts.location(object.node.span).unwrap();
    assert_eq!((place.file.as_str(), place.line), ("cluster/app.yaml", 9));
}

#[test]
fn values_are_laid_over_each_other_in_order() {
    let chart = show(
        &[
            ("a", ".Values.a"),
            ("b", ".Values.b"),
            ("c", ".Values.c"),
            ("big", ".Values.big"),
        ],
        "{a: chart, b: chart, c: chart, big: 0}",
    );
    let text = release(
        "show",
        "valuesFrom:\n- {kind: ConfigMap, name: one}\n- {kind: Secret, name: two, valuesKey: more}\nvalues: {a: own, big: 1000000}",
    );
    let one = data(
        "ConfigMap",
        "one",
        "data",
        "values.yaml",
        "a: one\nb: one\nc: one\n",
    );
    let two = data("Secret", "two", "data", "more", "YjogdHdvCg==");
    let world = world(
        &[
            ("cluster/app.yaml", &text),
            ("cluster/v.yaml", &format!("{one}{two}")),
        ],
        &chart,
    );
    assert_eq!(shown(&world, "a").as_deref(), Some("own"));
    assert_eq!(shown(&world, "b").as_deref(), Some("two"));
    assert_eq!(shown(&world, "c").as_deref(), Some("one"));
    assert_eq!(shown(&world, "big").as_deref(), Some("1e+06"));
}

/// That a value set at a path stays is due to maps that the controller shares.
#[test]
fn a_path_wins_over_own_values_only_where_maps_are_shared() {
    let chart = show(
        &[
            ("deep", ".Values.m.x"),
            ("top", ".Values.top"),
            ("flat", ".Values.flat"),
            ("both", ".Values.n.x"),
        ],
        "",
    );
    let values = "values: {m: {x: own}, flat: own, n: {x: own}}";
    let entries = |list: &[(&str, &str)]| {
        let mut text = "valuesFrom:\n".to_owned();
        for (key, path) in list {
            text.push_str(&format!(
                "- {{kind: ConfigMap, name: one, valuesKey: {key}, targetPath: {path}}}\n"
            ));
        }
        text
    };
    let one = data("ConfigMap", "one", "data", "k", "set");
    let of = |list: &[(&str, &str)]| {
        let text = release("show", &format!("{}{values}", entries(list)));
        world(
            &[("cluster/app.yaml", &text), ("cluster/v.yaml", &one)],
            &chart,
        )
    };
    let first = of(&[("k", "m.x")]);
    assert_eq!(shown(&first, "deep").as_deref(), Some("set"));
    let first = of(&[("k", "top")]);
    assert_eq!(shown(&first, "top").as_deref(), Some("set"));
    let first = of(&[("k", "flat")]);
    assert_eq!(shown(&first, "flat").as_deref(), Some("own"));
    // The second one finds maps of its own.
    let both = of(&[("k", "m.x"), ("k", "n.x")]);
    assert_eq!(shown(&both, "deep").as_deref(), Some("set"));
    assert_eq!(shown(&both, "both").as_deref(), Some("own"));
}

#[test]
fn what_a_path_is_set_to_has_the_type_it_looks_like() {
    let chart = show(
        &[
            ("a", "kindOf .Values.a"),
            ("b", "kindOf .Values.b"),
            ("c", ".Values.c"),
            ("d", "len .Values.d"),
        ],
        "",
    );
    let text = release(
        "show",
        "valuesFrom:\n- {kind: ConfigMap, name: one, valuesKey: a, targetPath: a}\n- {kind: ConfigMap, name: one, valuesKey: b, targetPath: b}\n\
         - {kind: ConfigMap, name: one, valuesKey: c, targetPath: c, literal: true}\n- {kind: ConfigMap, name: one, valuesKey: c, targetPath: d}\n",
    );
    let one = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: one, namespace: apps}\ndata: {a: '1', b: '\"1\"', c: '{x,y}'}\n";
    let world = world(
        &[("cluster/app.yaml", &text), ("cluster/v.yaml", one)],
        &chart,
    );
    assert_eq!(shown(&world, "a").as_deref(), Some("int64"));
    assert_eq!(shown(&world, "b").as_deref(), Some("string"));
    assert_eq!(shown(&world, "c").as_deref(), Some("{x,y}"));
    assert_eq!(shown(&world, "d").as_deref(), Some("2"));
}

#[test]
fn references_that_name_nothing() {
    let chart = show(&[("a", ".Values.a")], "a: chart");
    let of = |entry: &str, values: &str| {
        let text = release("show", &format!("valuesFrom: [{entry}]"));
        world(
            &[("cluster/app.yaml", &text), ("cluster/v.yaml", values)],
            &chart,
        )
    };
    let one = data("ConfigMap", "one", "data", "other.yaml", "a: b");
    let missing = of("{kind: ConfigMap, name: none}", &one);
    assert!(matches!(component(&missing, WEB).state, State::Failed(_)));
    assert_eq!(
        problems(&missing, WEB),
        ["missing source: ConfigMap apps/none"]
    );
    let optional = of("{kind: ConfigMap, name: none, optional: true}", &one);
    assert_eq!(shown(&optional, "a").as_deref(), Some("chart"));
    let key = of("{kind: ConfigMap, name: one}", &one);
    assert_eq!(
        problems(&key, WEB),
        [
            "build: could not resolve ConfigMap chart values reference 'apps/one' with key 'values.yaml': key not found (it has other.yaml)"
        ]
    );
    let optional = of("{kind: ConfigMap, name: one, optional: true}", &one);
    assert_eq!(shown(&optional, "a").as_deref(), Some("chart"));
}

#[test]
fn values_that_nobody_can_read_stay_unknown() {
    let chart = show(
        &[
            ("a", ".Values.a"),
            ("code", ".Values.a | b64enc"),
            ("plain", ".Values.plain"),
        ],
        "{plain: known, a: chart}",
    );
    let settings = Settings {
        secrets: vec![ExternalSecret {
            namespace: "apps".into(),
            name: "outside".into(),
            keys: None,
        }],
        ..at("cluster")
    };
    let of = |entry: &str, chart: &[(String, String)]| {
        let text = release("show", &format!("valuesFrom: [{entry}]"));
        world_with(&[("cluster/app.yaml", &text)], chart, &settings)
    };
    let at_path = of(
        "{kind: Secret, name: outside, valuesKey: k, targetPath: a}",
        &chart,
    );
    let object = &component(&at_path, WEB).objects()[0];
    let unknown = |key: &str| object.node.path(&["data", key]).unwrap().unknown;
    assert!(unknown("a") && unknown("code") && !unknown("plain"));
    // A schema that asks for a number says nothing of a value that nobody knows.
    let mut judged = chart.clone();
    let schema = r#"{"properties":{"a":{"type":"integer"}}}"#;
    judged.push((
        "charts/show/values.schema.json".to_owned(),
        schema.to_owned(),
    ));
    let entry = "{kind: Secret, name: outside, valuesKey: k, targetPath: a}";
    assert!(
        component(&of(entry, &judged), WEB).objects()[0]
            .node
            .path(&["data", "a"])
            .unwrap()
            .unknown
    );
    let whole = of("{kind: Secret, name: outside}", &chart);
    let State::Partial(_, reason) = &component(&whole, WEB).state else {
        panic!("{:?}", component(&whole, WEB).state);
    };
    assert_eq!(
        reason,
        "values of Secret apps/outside are not readable here"
    );
    // What fails only for the text that stands for a value does not fail.
    let undecided = of(
        "{kind: Secret, name: outside, valuesKey: k, targetPath: a}",
        &show(
            &[(
                "b",
                "if ne .Values.a \"1\" }}{{ fail \"only 1\" }}{{ end }}{{ \"x\"",
            )],
            "",
        ),
    );
    assert!(
        opaque(&undecided, WEB).contains("only 1"),
        "{}",
        opaque(&undecided, WEB)
    );
    let fails = of(
        "{kind: Secret, name: outside, valuesKey: k, targetPath: a}",
        &show(&[("b", "required \"b is needed\" .Values.b")], ""),
    );
    let found = problems(&fails, WEB);
    assert!(
        found[0].starts_with("build: Helm install failed for release apps/web with chart show@1.2.3: execution error at (show/templates/all.yaml:")
            && found[0].ends_with("b is needed"),
        "{found:?}"
    );
}

const CRD: &str = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\n\
    spec:\n  group: example.com\n  names: {kind: Thing, plural: things}\n  scope: Namespaced\n  versions: [{name: v1, served: true, storage: true}]\n";

#[test]
fn definitions_come_before_the_rest_unless_skipped() {
    let mut files = chart(
        "app",
        "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n",
        "",
    );
    files.push((
        "charts/app/crds/things.yaml".into(),
        format!("{CRD}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: no}}\n"),
    ));
    let of = |more: &str| {
        let text = release("app", more);
        let world = world(&[("cluster/app.yaml", &text)], &files);
        objects(&world, WEB)
    };
    let all = [
        "CustomResourceDefinition/things.example.com",
        "Service/apps/a",
    ];
    assert_eq!(of(""), all);
    assert_eq!(of("install: {crds: CreateReplace}"), all);
    assert_eq!(of("install: {crds: Skip}"), ["Service/apps/a"]);
}

/// Whatever brings the definition, and whenever.
#[test]
fn charts_ask_for_apis_that_others_bring() {
    let asks = chart(
        "asks",
        "{{ if .Capabilities.APIVersions.Has \"example.com/v1/Thing\" }}\napiVersion: example.com/v1\nkind: Thing\nmetadata: {name: made}\n{{ end }}\n\
         {{ if semverCompare \"<1.30-0\" .Capabilities.KubeVersion.Version }}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: old}\n{{ end }}\n",
        "",
    );
    let brings = chart("brings", CRD, "");
    let charts: Vec<_> = asks.into_iter().chain(brings).collect();
    let alone = world(&[("cluster/a.yaml", &release("asks", ""))], &charts);
    assert!(objects(&alone, WEB).is_empty());
    let both = world(
        &[
            ("cluster/a.yaml", &release("asks", "")),
            ("cluster/b.yaml", &named("zzz", "brings", "")),
        ],
        &charts,
    );
    assert_eq!(objects(&both, WEB), ["Thing/apps/made"]);
    // A group is declared without versions or kinds: it has what is asked for.
    let declared = Settings {
        crd_groups: vec!["example.*".parse().unwrap()],
        ..at("cluster")
    };
    let declared = world_with(
        &[("cluster/a.yaml", &release("asks", ""))],
        &charts,
        &declared,
    );
    assert_eq!(objects(&declared, WEB), ["Thing/apps/made"]);
    let old = Settings {
        kube_versions: vec![("".into(), "1.29".into())],
        ..at("cluster")
    };
    let old = world_with(&[("cluster/a.yaml", &release("asks", ""))], &charts, &old);
    assert_eq!(objects(&old, WEB), ["Service/apps/old"]);
}

/// With Helm 3's ways hooks are sorted out first, and the documents of a file put
/// together again in another order: what is no longer the last loses its end.
#[test]
fn documents_that_are_put_together_again_lose_their_end() {
    let template = "# Alone, this is a document without a kind, which comes last.\n---\n\
        apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shown}\ndata:\n  text: |\n    one\n    two\n";
    let text = |strategy: &str| {
        let files = chart("app", template, "");
        let more = format!("postRenderStrategy: {strategy}");
        let world = world(&[("cluster/app.yaml", &release("app", &more))], &files);
        shown(&world, "text")
    };
    assert_eq!(text("combined").as_deref(), Some("one\ntwo\n"));
    assert_eq!(text("nohooks").as_deref(), Some("one\ntwo"));
    assert_eq!(text("separate").as_deref(), Some("one\ntwo"));
}

/// Whoever publishes a chart has what it lists: that an archive at hand lacks it says
/// nothing of the release.
#[test]
fn a_refusal_for_lack_of_a_dependency_is_no_fault() {
    let text = "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {name: shop, namespace: apps}\nspec: {url: 'https://charts.example.com/stable'}\n\
        ---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web, namespace: apps}\n\
        spec:\n  chart:\n    spec: {chart: app, sourceRef: {kind: HelmRepository, name: shop}}\n";
    let template =
        "apiVersion: v1\nkind: Service\nmetadata: {name: {{ .Values.sub.service.port }}}\n";
    let of = |switch: &str| {
        let mut files = chart("app", template, &format!("sub: {{enabled: {switch}}}\n"));
        files[0].1 += "dependencies: [{name: sub, version: 1.0.0, condition: sub.enabled}]\n";
        let held: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (path.strip_prefix("charts/").unwrap(), text.as_str()))
            .collect();
        let settings = Settings {
            mirrors: vec![Arc::new(AddressMirror::new(
                "https://charts.example.com/stable",
                tree(&held),
            ))],
            ..at("cluster")
        };
        let world = render_with(&[("cluster/app.yaml", text)], &settings);
        component(&world, WEB).state.clone()
    };
    match of("true") {
        State::Opaque(reason) => assert!(
            reason.contains("is not complete here, it lacks sub; without: "),
            "{reason}"
        ),
        other => panic!("{other:?}"),
    }
    assert!(matches!(of("false"), State::Failed(_)));
}

/// Components, sources and values out of charts are like any others.
#[test]
fn a_refusal_of_a_chart_that_looks_into_the_cluster_is_no_fault() {
    let refuses = r#"{{ fail "no controller here" }}"#;
    let looks = r#"{{ if not (lookup "apps/v1" "Deployment" "" "") }}"#;
    let files = [
        ("cluster/looks.yaml", named("looks", "looks", "")),
        ("cluster/before.yaml", named("before", "before", "")),
    ];
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    let mut charts = chart("looks", &format!("{looks}{refuses}{{{{ end }}}}"), "");
    // What another template has looked up does not matter.
    charts.extend(chart("before", refuses, ""));
    charts.push((
        "charts/before/templates/z.yaml".into(),
        format!("{looks}{{{{ end }}}}"),
    ));
    let world = world(&files, &charts);
    let reason = opaque(&world, "HelmRelease/apps/looks");
    assert!(reason.contains("finds in the cluster"), "{reason}");
    let told = problems(&world, "HelmRelease/apps/before");
    assert!(
        told.iter()
            .any(|problem| problem.contains("no controller here")),
        "{told:?}"
    );
}

#[test]
fn objects_of_flux_in_charts_take_part() {
    let inner = chart(
        "outer",
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: inner}\n\
         spec: {path: ./inner, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}, postBuild: {substituteFrom: [{kind: Secret, name: made}]}}\n\
         ---\napiVersion: v1\nkind: Secret\nmetadata: {name: made}\nstringData: {COLOUR: red}\n",
        "",
    );
    let world = world(
        &[
            ("cluster/a.yaml", &release("outer", "")),
            (
                "inner/cm.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: apps}\ndata: {is: '${COLOUR}'}\n",
            ),
        ],
        &inner,
    );
    assert_eq!(parents(&world, "apps/inner"), [WEB]);
    assert_eq!(
        value(&world, "apps/inner", "ConfigMap/apps/c", &["data", "is"]).as_deref(),
        Some("red")
    );
}

#[test]
fn post_renderers_change_what_the_chart_gives() {
    let chart = chart(
        "app",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: nginx}]}\n",
        "",
    );
    let text = release(
        "app",
        "postRenderers:\n- kustomize:\n    patches:\n    - target: {kind: Pod}\n      patch: |\n        - {op: add, path: /spec/hostNetwork, value: true}\n    images: [{name: nginx, newTag: '2'}]\n",
    );
    let world = world(&[("cluster/app.yaml", &text)], &chart);
    assert_eq!(objects(&world, WEB), ["Pod/apps/p"]);
    let at = |path: &[&str]| value(&world, WEB, "Pod/apps/p", path);
    assert_eq!(at(&["spec", "hostNetwork"]).as_deref(), Some("true"));
    let pod = &component(&world, WEB).objects()[0];
    let image = pod.node.path(&["spec", "containers"]).unwrap().items()[0].str_at(&["image"]);
    assert_eq!(image, Some("nginx:2"));
    assert_eq!(
        pod.template.as_ref().unwrap().path,
        "app/templates/all.yaml"
    );
}

/// Helm takes both; the post-renderer that is always there does not.
#[test]
fn what_the_post_renderer_refuses() {
    let of = |template: &str| {
        let chart = chart("app", template, "");
        let world = world(&[("cluster/app.yaml", &release("app", ""))], &chart);
        problems(&world, WEB).join("\n")
    };
    let twice = of(
        "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: a}\n",
    );
    assert!(twice.contains("error while running post render on files: may not add resource with an already registered id"), "{twice}");
    let key = of("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  k: a\n  k: b\n");
    assert!(key.contains("already defined"), "{key}");
}

#[test]
fn charts_of_repositories_and_overrides() {
    let charts = chart(
        "app",
        "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n",
        "",
    );
    let held: Vec<(&str, &str)> = charts
        .iter()
        .map(|(path, text)| (path.strip_prefix("charts/").unwrap(), text.as_str()))
        .collect();
    let text = |version: &str| {
        format!(
            "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: HelmRepository\nmetadata: {{name: shop, namespace: apps}}\nspec: {{url: 'https://charts.example.com/stable/'}}\n\
             ---\napiVersion: helm.toolkit.fluxcd.io/v2beta1\nkind: HelmRelease\nmetadata: {{name: web, namespace: apps}}\n\
             spec: {{chart: {{spec: {{chart: app, version: '{version}', sourceRef: {{kind: HelmRepository, name: shop}}}}}}}}\n"
        )
    };
    let with = |version: &str, settings: Settings| {
        render_with(&[("cluster/app.yaml", &text(version))], &settings)
    };
    let mirrored = || Settings {
        mirrors: vec![Arc::new(AddressMirror::new(
            "https://charts.example.com/stable",
            tree(&held),
        ))],
        ..at("cluster")
    };
    assert_eq!(objects(&with("1.x", mirrored()), WEB), ["Service/apps/a"]);
    assert_eq!(
        opaque(&with("2.x", mirrored()), WEB),
        "chart app 2.x of https://charts.example.com/stable/ is not available offline: name a directory that holds it in `sources.mirrors`"
    );
    let stands = Settings {
        overrides: vec![SourceOverride {
            source: SourceKey {
                kind: "HelmRepository".into(),
                namespace: "apps".into(),
                name: "shop".into(),
            },
            tree: tree(&held),
        }],
        ..at("cluster")
    };
    assert_eq!(objects(&with("", stands), WEB), ["Service/apps/a"]);
}

#[test]
fn a_chart_from_an_artifact_gets_digits_of_its_digest() {
    let charts = show(&[("version", ".Chart.Version")], "");
    let held: Vec<(&str, &str)> = charts
        .iter()
        .map(|(path, text)| (path.strip_prefix("charts/").unwrap(), text.as_str()))
        .collect();
    let of = |reference: &str| {
        let text = format!(
            "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: OCIRepository\nmetadata: {{name: show, namespace: apps}}\nspec: {{url: 'oci://registry.example.com/show', ref: {reference}}}\n\
             ---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: web, namespace: apps}}\nspec: {{chartRef: {{kind: OCIRepository, name: show}}}}\n"
        );
        let settings = Settings {
            mirrors: vec![Arc::new(AddressMirror::new(
                "oci://registry.example.com",
                tree(&held),
            ))],
            ..at("cluster")
        };
        render_with(&[("cluster/app.yaml", &text)], &settings)
    };
    let tag = of("{tag: 1.2.3}");
    assert_eq!(
        shown(&tag, "version").as_deref(),
        Some("1.2.3+unknown-hash")
    );
    let digest = of("{tag: 1.2.3, digest: 'sha256:0123456789abcdef'}");
    assert_eq!(
        shown(&digest, "version").as_deref(),
        Some("1.2.3+0123456789ab")
    );
}

#[test]
fn values_files_and_charts_beside_the_chart() {
    let mut files = show(
        &[("a", ".Values.a"), ("version", ".Chart.Version")],
        "a: chart",
    );
    files.push(("charts/show/values-prod.yaml".into(), "a: prod\n".into()));
    files.push((
        "charts/show/Chart.yaml".into(),
        "apiVersion: v2\nname: show\nversion: v1.2.3\ndependencies: [{name: common, version: 1.x, repository: 'file://../common'}]\n".into(),
    ));
    files.remove(0);
    files.extend(chart(
        "common",
        "apiVersion: v1\nkind: Service\nmetadata: {name: common}\n",
        "",
    ));
    let text = release("show", "").replace(
        "      sourceRef",
        "      valuesFiles: [./charts/show/values-prod.yaml]\n      sourceRef",
    );
    let world = world(&[("cluster/app.yaml", &text)], &files);
    assert_eq!(
        objects(&world, WEB),
        ["ConfigMap/apps/shown", "Service/apps/common"]
    );
    assert_eq!(shown(&world, "a").as_deref(), Some("prod"));
    assert_eq!(shown(&world, "version").as_deref(), Some("1.2.3+1"));
}
