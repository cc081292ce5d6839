//! Entrypoints, named and found.

mod support;

use flux::Settings;
use support::*;

fn found(files: &[(&str, &str)]) -> Vec<String> {
    entrypoints(&render_all(files, &Settings::default()))
}

const INSTANCE: &str = "apiVersion: fluxcd.controlplane.io/v1\nkind: FluxInstance\nmetadata: {name: flux, namespace: flux-system}\nspec:\n  distribution: {version: 2.8.x}\n  sync: {kind: OCIRepository, url: 'oci://r.example.com/fleet', ref: latest, path: clusters/prod, pullSecret: auth}\n";

#[test]
fn gotk_sync_tells_its_path() {
    assert_eq!(
        found(&[
            (
                "clusters/prod/flux-system/gotk-sync.yaml",
                &kustomization("flux-system", "./clusters/prod", "")
            ),
            (
                "clusters/test/flux-system/gotk-sync.yaml",
                &kustomization("flux-system", "./clusters/test", "")
            ),
            (
                "clusters/gone/flux-system/gotk-sync.yaml",
                &kustomization("flux-system", "./clusters/elsewhere", "")
            ),
            ("other/ks.yaml", &kustomization("other", "./app", "")),
        ]),
        ["clusters/prod", "clusters/test"]
    );
}

#[test]
fn overlays_of_a_bootstrap_without_a_path_give_theirs() {
    let base = kustomization("flux-system", "x", "").replace("  path: x\n", "");
    let overlay = |path: &str| {
        format!(
            "resources: [../../base/flux-system]\npatches:\n- target: {{kind: Kustomization}}\n  patch: |\n    - {{op: add, path: /spec/path, value: {path}}}\n"
        )
    };
    let files = [
        ("clusters/base/flux-system/gotk-sync.yaml", base.as_str()),
        (
            "clusters/base/flux-system/kustomization.yaml",
            "resources: [gotk-sync.yaml]",
        ),
        (
            "clusters/a/flux-system/kustomization.yaml",
            &overlay("./clusters/a"),
        ),
        ("clusters/a/kustomization.yaml", "resources: [flux-system]"),
        (
            "clusters/b/flux-system/kustomization.yaml",
            &overlay("./clusters/b"),
        ),
        ("clusters/b/kustomization.yaml", "resources: [flux-system]"),
    ];
    assert_eq!(found(&files), ["clusters/a", "clusters/b"]);
    let world = render_with(&files, &at("clusters/a"));
    assert_eq!(keys(&world), ["flux-system/flux-system"]);
}

#[test]
fn a_flux_instance_tells_path_and_source() {
    let app =
        kustomization("app", "./app", "").replace("kind: GitRepository", "kind: OCIRepository");
    let files = [
        ("bootstrap/instance.yaml", INSTANCE),
        ("clusters/prod/app.yaml", app.as_str()),
        ("app/cm.yaml", &config_map("a", &[("v", "x")])),
    ];
    assert_eq!(found(&files), ["clusters/prod"]);
    let world = render_with(&files, &Settings::default());
    assert_eq!(
        objects(&world, "flux-system/app"),
        ["ConfigMap/flux-system/a"]
    );
    assert!(!world.strict_substitution);
    assert_eq!(world.flux_version, "2.8.x");
    let given: Vec<_> = world.given.iter().map(ToString::to_string).collect();
    assert_eq!(
        given,
        [
            "Namespace/flux-system",
            "OCIRepository/flux-system/flux-system",
            "Secret/flux-system/auth",
            "Kustomization/flux-system/flux-system"
        ]
    );
    assert!(world.assumptions[0].message.contains("FluxInstance"));
}

#[test]
fn patches_of_a_flux_instance_change_what_its_sync_makes() {
    let patches = "  kustomize:\n    patches:\n    - target: {kind: Deployment, name: kustomize-controller}\n      patch: |\n        - {op: add, path: /spec/template/spec/containers/0/args/-, value: --feature-gates=StrictPostBuildSubstitutions=true}\n    - target: {kind: Kustomization}\n      patch: |\n        - {op: add, path: /spec/postBuild, value: {substitute: {V: set}}}\n";
    let instance = format!("{INSTANCE}{patches}");
    let world = render_with(
        &[
            ("clusters/prod/instance.yaml", &instance),
            ("clusters/prod/cm.yaml", &config_map("x", &[("v", "${V}")])),
        ],
        &Settings::default(),
    );
    assert_eq!(
        value(
            &world,
            "flux-system/flux-system",
            "ConfigMap/flux-system/x",
            &["data", "v"]
        )
        .as_deref(),
        Some("set")
    );
    assert!(world.strict_substitution);
    assert!(problems(&world, "flux-system/flux-system").is_empty());
}

#[test]
fn values_of_the_flux_instance_chart_tell_it_too() {
    let values = "instance:\n  distribution: {version: 2.x}\n  sync: {kind: GitRepository, url: 'https://git.example.com/fleet', ref: refs/heads/main, path: clusters/prod}\n";
    let release = format!(
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {{name: flux-instance}}\nspec:\n  values:\n{}",
        values
            .lines()
            .map(|line| format!("    {line}\n"))
            .collect::<String>()
    );
    let app = kustomization("app", "./app", "");
    for (path, text) in [
        ("flux/values.yaml", values),
        ("flux/release.yaml", release.as_str()),
    ] {
        let files = [
            (path, text),
            ("clusters/prod/app.yaml", app.as_str()),
            ("app/cm.yaml", ""),
        ];
        assert_eq!(found(&files), ["clusters/prod"], "{path}");
    }
}

#[test]
fn a_kustomization_that_applies_its_own_folder_is_the_root() {
    let config = kustomization("cluster", "./kubernetes/flux", "")
        .replace("name: flux-system\n", "name: home\n");
    let apps = kustomization("apps", "./kubernetes/apps", "")
        .replace("name: flux-system\n", "name: home\n");
    let source = "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: home, namespace: flux-system}\nspec: {url: 'https://git.example.com/home'}\n";
    let files = [
        (
            "kubernetes/flux/config/cluster.yaml",
            format!("{source}{config}"),
        ),
        (
            "kubernetes/flux/config/kustomization.yaml",
            "resources: [cluster.yaml]".into(),
        ),
        ("kubernetes/flux/apps.yaml", apps),
        (
            "kubernetes/apps/web/ks.yaml",
            kustomization("web", "./kubernetes/web", "")
                .replace("name: flux-system\n", "name: home\n"),
        ),
        ("kubernetes/web/cm.yaml", config_map("web", &[])),
    ];
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    assert_eq!(found(&files), ["kubernetes/flux"]);
    for settings in [
        Settings::default(),
        at("kubernetes/flux"),
        at("./kubernetes/flux/"),
    ] {
        let world = render_with(&files, &settings);
        assert_eq!(
            keys(&world),
            ["flux-system/cluster", "flux-system/apps", "flux-system/web"]
        );
        assert_eq!(
            objects(&world, "flux-system/web"),
            ["ConfigMap/flux-system/web"]
        );
    }
}

#[test]
fn a_copy_of_a_cluster_whose_root_names_the_original_is_one_too() {
    let root = kustomization("cluster", "./kubernetes/main/flux", "");
    let apps = |cluster: &str| kustomization("apps", &format!("./kubernetes/{cluster}/apps"), "");
    let (main, edge) = (apps("main"), apps("edge"));
    let unused = kustomization("unused", "./kubernetes/main/unused", "");
    let map = config_map("web", &[]);
    let files = [
        ("kubernetes/main/flux/cluster.yaml", root.as_str()),
        ("kubernetes/main/flux/apps.yaml", &main),
        ("kubernetes/main/apps/cm.yaml", &map),
        ("kubernetes/main/other/ks.yaml", &unused),
        ("kubernetes/edge/flux/cluster.yaml", &root),
        ("kubernetes/edge/flux/apps.yaml", &edge),
        ("kubernetes/edge/apps/cm.yaml", &map),
        ("kubernetes/none/flux/apps.yaml", &edge),
    ];
    assert_eq!(
        found(&files),
        ["kubernetes/edge/flux", "kubernetes/main/flux"]
    );
}

#[test]
fn else_folders_whose_kustomization_nothing_applies() {
    let files = [
        ("clusters/a/apps.yaml", kustomization("apps", "./apps", "")),
        (
            "clusters/b/flux/ks.yaml",
            kustomization("apps", "./apps", ""),
        ),
        (
            "clusters/b/kustomization.yaml",
            "resources: [flux/ks.yaml]".into(),
        ),
        ("apps/ks.yaml", kustomization("web", "./web", "")),
        ("web/cm.yaml", config_map("web", &[])),
    ];
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    assert_eq!(found(&files), ["clusters/a", "clusters/b"]);
}

#[test]
fn the_source_most_kustomizations_of_an_implied_root_name_is_this_repository() {
    let ks = |name: &str, source: &str| {
        kustomization(name, "./app", "")
            .replace("name: flux-system\n", &format!("name: {source}\n"))
    };
    let world = render(&[
        ("cluster/a.yaml", &ks("a", "home")),
        ("cluster/b.yaml", &ks("b", "home")),
        ("cluster/c.yaml", &ks("c", "other")),
        ("app/cm.yaml", &config_map("web", &[])),
    ]);
    assert!(component(&world, "flux-system/a").is_rendered());
    assert_eq!(
        opaque(&world, "flux-system/c"),
        "nothing defines its source"
    );
    assert!(
        world.assumptions[0]
            .message
            .contains("GitRepository/flux-system/home")
    );
}

#[test]
fn an_entrypoint_that_is_not_there() {
    let world = render_with(&[("a.yaml", "")], &at("clusters/prod"));
    assert_eq!(
        problems(&world, "flux-system/flux-system"),
        ["path missing: ./clusters/prod"]
    );
    assert!(found(&[("a.yaml", "")]).is_empty());
}

#[test]
fn a_source_that_leaves_the_root_out_is_not_the_roots() {
    let source = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: home, namespace: flux-system}\n\
                  spec:\n  url: https://git.example.com/home\n  interval: 1h\n  ignore: |\n    /*\n    !/kubernetes\n";
    let app =
        kustomization("app", "./kubernetes/app", "").replace("name: flux-system\n", "name: home\n");
    let files = [
        ("setup/flux/source.yaml", source),
        ("setup/flux/app.yaml", app.as_str()),
        ("kubernetes/app/cm.yaml", &config_map("a", &[("v", "x")])),
    ];
    let world = render_with(&files, &at("setup/flux"));
    assert_eq!(
        objects(&world, "flux-system/app"),
        ["ConfigMap/flux-system/a"]
    );
    assert_eq!(problems(&world, "flux-system/flux-system"), [""; 0]);
}

#[test]
fn a_flux_instance_may_get_its_namespace_from_a_kustomization() {
    let instance = INSTANCE.replace(", namespace: flux-system", "");
    assert_ne!(instance, INSTANCE);
    let files = [
        (
            "apps/flux/kustomization.yaml",
            "namespace: flux-system\nresources: [instance.yaml]",
        ),
        ("apps/flux/instance.yaml", instance.as_str()),
        ("clusters/prod/cm.yaml", &config_map("a", &[("v", "x")])),
    ];
    assert_eq!(found(&files), ["clusters/prod"]);
    let world = render_with(&files, &Settings::default());
    assert_eq!(keys(&world), ["flux-system/flux-system"]);
}

#[test]
fn a_release_of_the_instance_gets_its_namespace_from_whoever_applies_it() {
    let release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: flux-instance}\nspec:\n  values:\n    instance:\n      sync: {kind: GitRepository, url: 'https://git.example.com/fleet', ref: refs/heads/main, path: clusters/prod}\n";
    let applied = |target: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: flux, namespace: gitops}}\nspec:\n  interval: 10m\n  prune: true\n  path: ./apps/flux\n  {target}\n  sourceRef: {{kind: GitRepository, name: gitops}}\n"
        )
    };
    let root = |files: &[(&str, &str)]| {
        let world = render_with(files, &Settings::default());
        keys(&world).into_iter().next().unwrap()
    };
    let targeted = applied("targetNamespace: gitops");
    let plain = applied("wait: true");
    let cm = config_map("a", &[]);
    let common = [
        ("apps/flux/app/release.yaml", release),
        ("clusters/prod/cm.yaml", cm.as_str()),
    ];
    let mut files = common.to_vec();
    files.push(("clusters/prod/flux.yaml", &targeted));
    assert_eq!(root(&files), "gitops/gitops");
    let mut files = common.to_vec();
    files.push(("clusters/prod/flux.yaml", &plain));
    assert_eq!(root(&files), "flux-system/flux-system");
    files.push((
        "apps/flux/app/kustomization.yaml",
        "resources: [release.yaml]",
    ));
    files.push((
        "apps/flux/kustomization.yaml",
        "namespace: tools\nresources: [app]",
    ));
    assert_eq!(root(&files), "tools/tools");
}

#[test]
fn the_path_of_a_root_may_be_patched_in() {
    let base = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: flux-system, namespace: flux-system}\nspec:\n  interval: 1m\n  prune: true\n  path: ./clusters/${ENVIRONMENT}\n  sourceRef: {kind: GitRepository, name: config}\n";
    let source = "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: config, namespace: flux-system}\nspec: {interval: 1m, url: https://git.example.com/config, ref: {branch: main}}\n";
    let patch = |name: &str, path: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\nspec:\n  path: {path}\n"
        )
    };
    let own = |environment: &str| {
        format!(
            "resources: [../../apps/flux/base]\npatches:\n- path: ../../apps/flux/{environment}/kustomize.yaml\n- path: ../../apps/web/{environment}/kustomize.yaml\n"
        )
    };
    let web =
        kustomization("web", "./apps/web/base", "").replace("name: flux-system", "name: config");
    let cm = config_map("a", &[("v", "x")]);
    let (demo, prod) = (own("demo"), own("prod"));
    let patches = ["demo", "prod"].map(|e| patch("flux-system", &format!("./clusters/{e}")));
    let webs = ["demo", "prod"].map(|e| patch("web", &format!("./apps/web/{e}")));
    let files = [
        (
            "apps/flux/base/kustomization.yaml",
            "resources: [root.yaml, source.yaml, ../../web/kustomize.yaml]",
        ),
        ("apps/flux/base/root.yaml", base),
        ("apps/flux/base/source.yaml", source),
        ("apps/web/kustomize.yaml", web.as_str()),
        ("apps/web/kustomization.yaml", "resources: [kustomize.yaml]"),
        ("apps/web/demo/cm.yaml", cm.as_str()),
        ("apps/web/prod/cm.yaml", cm.as_str()),
        ("apps/flux/demo/kustomize.yaml", patches[0].as_str()),
        ("apps/flux/prod/kustomize.yaml", patches[1].as_str()),
        ("apps/web/demo/kustomize.yaml", webs[0].as_str()),
        ("apps/web/prod/kustomize.yaml", webs[1].as_str()),
        ("clusters/demo/kustomization.yaml", demo.as_str()),
        ("clusters/prod/kustomization.yaml", prod.as_str()),
    ];
    let files: Vec<(&str, String)> = files
        .iter()
        .map(|(path, text)| (*path, text.replace("../../web/kustomize.yaml", "../../web")))
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    assert_eq!(found(&files), ["clusters/demo", "clusters/prod"]);
    let world = render_with(&files, &at("clusters/demo"));
    assert_eq!(keys(&world), ["flux-system/flux-system", "flux-system/web"]);
    assert_eq!(problems(&world, "flux-system/flux-system"), [""; 0]);
}

#[test]
fn paths_of_other_repositories_are_no_entrypoints() {
    let other = |url: &str| {
        format!(
            "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {{name: operator}}\nspec: {{interval: 1h, url: {url}}}\n---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: operator}}\nspec:\n  interval: 1h\n  prune: true\n  path: ./kubernetes\n  sourceRef: {{kind: GitRepository, name: operator}}\n"
        )
    };
    let instance = INSTANCE
        .replace("OCIRepository", "GitRepository")
        .replace(
            "oci://r.example.com/fleet",
            "https://git.example.com/fleet.git",
        )
        .replace("clusters/prod", "kubernetes/flux");
    let apps = kustomization("apps", "./kubernetes/apps", "");
    let found_beside = |instance: &str, url: &str| {
        let operator = other(url);
        found(&[
            ("kubernetes/apps/flux/instance.yaml", instance),
            ("kubernetes/flux/apps.yaml", apps.as_str()),
            ("kubernetes/apps/operator/ks.yaml", operator.as_str()),
        ])
    };
    let found_with = |url: &str| found_beside(&instance, url);
    assert_eq!(
        found_with("https://git.example.com/operator"),
        ["kubernetes/flux"]
    );
    // What is pushed to a registry may lie in any Git repository.
    let pushed = INSTANCE.replace("clusters/prod", "kubernetes/flux");
    assert_eq!(
        found_beside(&pushed, "https://git.example.com/operator"),
        ["kubernetes", "kubernetes/flux"]
    );
    // The same repository in other words.
    assert_eq!(
        found_with("ssh://git@git.example.com/fleet"),
        ["kubernetes", "kubernetes/flux"]
    );
}

#[test]
fn an_artifact_may_hold_a_directory_of_the_repository() {
    let oci = |name: &str, path: &str| {
        format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {{name: {name}, namespace: flux-system}}\nspec:\n  interval: 10m\n  prune: true\n  path: {path}\n  sourceRef: {{kind: OCIRepository, name: flux-system}}\n"
        )
    };
    let instance = "deploy/clusters/prod/flux-system/instance.yaml";
    let apps = oci("apps", "./apps");
    let (own, other) = (config_map("a", &[]), config_map("b", &[]));
    let files = [
        (instance, INSTANCE),
        ("deploy/clusters/prod/apps.yaml", apps.as_str()),
        ("deploy/apps/a.yaml", own.as_str()),
        // Not of the artifact.
        ("apps/b.yaml", other.as_str()),
    ];
    let repository = render_all(&files, &Settings::default());
    assert_eq!(entrypoints(&repository), ["deploy/clusters/prod"]);
    let world = &repository.worlds[0];
    assert_eq!(
        world.components[0]
            .object
            .as_ref()
            .map(|o| o.identity.name.as_str()),
        Some("flux-system")
    );
    let names: Vec<&str> = world
        .components
        .iter()
        .flat_map(|component| component.objects())
        .map(|object| object.identity.name.as_str())
        .collect();
    assert!(names.contains(&"a") && !names.contains(&"b"), "{names:?}");
    assert!(
        world
            .assumptions
            .iter()
            .any(|a| a.message.contains("the directory deploy"))
    );
}

#[test]
fn an_artifact_whose_root_is_applied_starts_at_a_kustomization_file() {
    let own = config_map("a", &[]);
    let instance = INSTANCE.replace("path: clusters/prod", "path: ./");
    let files = [
        ("deploy/local/flux-system/instance.yaml", instance.as_str()),
        ("deploy/local/kustomization.yaml", "resources: [a.yaml]"),
        ("deploy/local/a.yaml", own.as_str()),
        ("docs/compose.yaml", "services: {}\n"),
    ];
    assert_eq!(found(&files), ["deploy/local"]);
    // Without one, it is the repository.
    assert_eq!(found(&[("deploy/instance.yaml", instance.as_str())]), [""]);
}
