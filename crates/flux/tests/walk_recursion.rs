//! From the root to every component below it.

mod support;

use support::*;

const OTHER_VERSIONS: &str = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1beta1
kind: Kustomization
metadata: {name: old, namespace: flux-system}
spec: {path: ./old, prune: true, interval: 1h, sourceRef: {kind: GitRepository, name: flux-system}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1beta2
kind: Kustomization
metadata: {name: older, namespace: flux-system}
spec: {path: ./older, prune: true, interval: 1h, sourceRef: {kind: GitRepository, name: flux-system}}
---
apiVersion: helm.toolkit.fluxcd.io/v2beta1
kind: HelmRelease
metadata: {name: web, namespace: apps}
spec:
  interval: 1h
  dependsOn: [{name: db}, {name: cache, namespace: data}]
  chart: {spec: {chart: web, version: 1.x, sourceRef: {kind: HelmRepository, name: charts}}}
";

#[test]
fn every_api_version_makes_a_component() {
    let world = render(&[
        ("cluster/all.yaml", OTHER_VERSIONS),
        ("old/cm.yaml", &config_map("a", &[])),
        ("older/cm.yaml", &config_map("b", &[])),
    ]);
    assert_eq!(
        keys(&world),
        [
            "flux-system/flux-system",
            "flux-system/old",
            "flux-system/older",
            "HelmRelease/apps/web"
        ]
    );
    assert_eq!(
        objects(&world, "flux-system/old"),
        ["ConfigMap/flux-system/a"]
    );
    assert_eq!(
        parents(&world, "flux-system/older"),
        ["flux-system/flux-system"]
    );
    let release = component(&world, "HelmRelease/apps/web");
    let wanted: Vec<_> = release
        .spec
        .depends_on()
        .iter()
        .map(|d| format!("{}/{}", d.namespace, d.name))
        .collect();
    assert_eq!(wanted, ["apps/db", "data/cache"]);
    let source = release.spec.source().unwrap();
    assert_eq!(
        (source.kind.as_str(), source.namespace.as_str()),
        ("HelmRepository", "apps")
    );
    assert_eq!(
        opaque(&world, "HelmRelease/apps/web"),
        "nothing defines its source"
    );
}

#[test]
fn a_path_is_filled_in_by_the_parents_variables_only() {
    let world = render(&[
        (
            "cluster/parent.yaml",
            &kustomization(
                "parent",
                "./parent",
                "postBuild:\n  substitute:\n    ENV: prod",
            ),
        ),
        (
            "parent/child.yaml",
            &kustomization(
                "child",
                "./apps/${ENV}",
                "postBuild:\n  substitute:\n    ENV: other",
            ),
        ),
        ("apps/prod/cm.yaml", &config_map("a", &[])),
        (
            "cluster/own.yaml",
            &kustomization(
                "own",
                "./apps/${ENV}",
                "postBuild:\n  substitute:\n    ENV: prod",
            ),
        ),
    ]);
    assert_eq!(
        objects(&world, "flux-system/child"),
        ["ConfigMap/flux-system/a"]
    );
    assert_eq!(
        problems(&world, "flux-system/own"),
        ["path missing: ./apps/${ENV}"]
    );
}

#[test]
fn a_missing_path_names_the_folders_of_that_name() {
    let world = render(&[
        ("cluster/a.yaml", &kustomization("a", "./apps/web", "")),
        ("apps/frontend/web/cm.yaml", &config_map("a", &[])),
    ]);
    let component = component(&world, "flux-system/a");
    assert!(matches!(component.state, model::State::Failed(_)));
    let [
        model::Problem::PathMissing {
            candidates, span, ..
        },
    ] = component.problems.as_slice()
    else {
        panic!("{:?}", component.problems);
    };
    assert_eq!(candidates.as_slice(), ["apps/frontend/web"]);
    assert!(!span.is_none());
}

#[test]
fn suspended_and_disabled_components_are_opaque() {
    let disabled = "---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: b\n  namespace: flux-system\n  annotations:\n    kustomize.toolkit.fluxcd.io/reconcile: disabled\nspec: {path: ./b, sourceRef: {kind: GitRepository, name: flux-system}}\n";
    let world = render(&[
        (
            "cluster/a.yaml",
            &kustomization("a", "./a", "suspend: true"),
        ),
        ("cluster/b.yaml", disabled),
        ("a/cm.yaml", &config_map("a", &[])),
        ("b/cm.yaml", &config_map("b", &[])),
    ]);
    assert!(component(&world, "flux-system/a").suspended);
    assert!(opaque(&world, "flux-system/a").contains("suspended"));
    assert!(opaque(&world, "flux-system/b").contains("annotation"));
}

#[test]
fn one_component_a_key_with_all_its_parents() {
    let shared = kustomization("shared", "./shared", "");
    let world = render(&[
        ("cluster/a.yaml", &kustomization("a", "./a", "")),
        ("cluster/b.yaml", &kustomization("b", "./b", "")),
        ("a/ks.yaml", &shared),
        ("b/ks.yaml", &shared.replace("./shared", "./elsewhere")),
        ("shared/cm.yaml", &config_map("s", &[])),
    ]);
    assert_eq!(
        parents(&world, "flux-system/shared"),
        ["flux-system/a", "flux-system/b"]
    );
    // The first definition counts; the other is there to be compared.
    assert_eq!(
        objects(&world, "flux-system/shared"),
        ["ConfigMap/flux-system/s"]
    );
    assert_eq!(
        objects(&world, "flux-system/b"),
        ["Kustomization/flux-system/shared"]
    );
}

#[test]
fn the_root_may_apply_itself_with_patches() {
    let world = render(&[
        (
            "cluster/flux-system/gotk-sync.yaml",
            &kustomization("flux-system", "./cluster", ""),
        ),
        (
            "cluster/flux-system/kustomization.yaml",
            "resources: [gotk-sync.yaml]\npatches:\n- target: {kind: Kustomization}\n  patch: |\n    - {op: add, path: /spec/postBuild, value: {substitute: {ENV: prod}}}\n",
        ),
        ("cluster/cm.yaml", &config_map("a", &[("env", "${ENV}")])),
    ]);
    assert_eq!(keys(&world), ["flux-system/flux-system"]);
    assert!(parents(&world, "flux-system/flux-system").is_empty());
    let env = value(
        &world,
        "flux-system/flux-system",
        "ConfigMap/flux-system/a",
        &["data", "env"],
    );
    assert_eq!(env.as_deref(), Some("prod"));
}

#[test]
fn kube_config_leads_into_another_cluster() {
    let remote = "kubeConfig:\n  secretRef:\n    name: edge-kubeconfig";
    let world = render(&[
        (
            "cluster/edge.yaml",
            &kustomization("edge", "./edge", remote),
        ),
        (
            "cluster/here.yaml",
            &kustomization(
                "here",
                "./here",
                "postBuild:\n  substituteFrom:\n  - {kind: ConfigMap, name: vars}",
            ),
        ),
        // Applied to the other cluster: the Flux there has no such source, and
        // its ConfigMap is of no use here.
        ("edge/ks.yaml", &kustomization("here", "./here", "")),
        ("edge/cm.yaml", &config_map("vars", &[("A", "b")])),
        ("here/cm.yaml", &config_map("x", &[])),
    ]);
    let edge = component(&world, "flux-system/edge");
    assert_eq!(
        (edge.home.as_str(), edge.cluster.as_str()),
        ("", "flux-system/edge-kubeconfig")
    );
    let here: Vec<_> = world
        .components
        .iter()
        .filter(|c| c.key.name == "here")
        .collect();
    assert_eq!(here.len(), 2);
    assert_eq!(
        (here[0].home.as_str(), here[1].home.as_str()),
        ("", "flux-system/edge-kubeconfig")
    );
    assert_eq!(
        problems(&world, "flux-system/here"),
        ["missing source: ConfigMap flux-system/vars"]
    );
    let model::State::Opaque(reason) = &here[1].state else {
        panic!("{:?}", here[1].state);
    };
    assert_eq!(reason, "nothing defines its source");
}

#[test]
fn kustomizations_that_make_ever_new_ones_end() {
    let child = kustomization("x${N}", "./loop", "postBuild:\n  substitute:\n    N: x${N}");
    let world = render(&[
        (
            "cluster/loop.yaml",
            &kustomization("loop", "./loop", "postBuild:\n  substitute:\n    N: x"),
        ),
        ("loop/ks.yaml", &child),
    ]);
    assert!(
        world.components.len() > 60 && world.components.len() < 80,
        "{}",
        world.components.len()
    );
    let last = world
        .components
        .iter()
        .max_by_key(|c| c.key.name.len())
        .unwrap();
    assert!(opaque(&world, &last.key.to_string()).contains("apply one another"));
}

#[test]
fn what_makes_objects_in_ways_not_modelled_is_said() {
    let set = "apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {name: tenants, namespace: flux-system}\nspec: {resourcesTemplate: ''}\n";
    let world = render(&[("cluster/set.yaml", set)]);
    assert_eq!(
        problems(&world, "flux-system/flux-system"),
        ["gap: ResourceSet makes the objects of its templates"]
    );
}

#[test]
fn two_runs_are_equal() {
    let files = [
        (
            "cluster/a.yaml",
            kustomization(
                "a",
                "./a",
                "postBuild:\n  substituteFrom:\n  - {kind: ConfigMap, name: vars}",
            ),
        ),
        ("cluster/b.yaml", kustomization("b", "./b", "")),
        ("a/cm.yaml", config_map("x", &[("v", "${V}")])),
        ("b/cm.yaml", config_map("vars", &[("V", "1")])),
        ("b/ks.yaml", kustomization("c", "./a", "")),
    ];
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    let show = || {
        let world = render(&files);
        let components = world.components.iter().map(|c| {
            let objects: Vec<_> = c.objects().iter().map(|o| yaml::to_json(&o.node)).collect();
            format!("{} {:?} {:?}", c.key, c.parents, objects)
        });
        components.collect::<Vec<_>>()
    };
    let first = show();
    for _ in 0..20 {
        assert_eq!(show(), first);
    }
}
