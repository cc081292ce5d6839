//! What a source's content is here.

mod support;

use flux::{AddressMirror, Settings, SourceOverride};
use model::{Artifact, SourceKey, World};
use std::sync::Arc;
use support::*;

/// A source object in `flux-system`.
fn source(kind: &str, name: &str, spec: &str) -> String {
    format!(
        "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: flux-system}}\nspec: {spec}\n"
    )
}

/// A Kustomization of another source.
fn of(kind: &str, source: &str, path: &str) -> String {
    kustomization("app", path, "").replace(
        "kind: GitRepository\n    name: flux-system",
        &format!("kind: {kind}\n    name: {source}"),
    )
}

fn artifact(world: &World, key: &str) -> Artifact {
    let found = world.sources.iter().find(|(k, ..)| k.to_string() == key);
    found
        .map(|(_, artifact, ..)| artifact.clone())
        .unwrap_or_else(|| panic!("no {key}"))
}

const GOTK: &str = "---\napiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: flux-system, namespace: flux-system}\nspec: {url: 'ssh://git@git.example.com/team/fleet', ref: {branch: main}, secretRef: {name: flux-system}}\n";

fn gotk() -> String {
    format!("{GOTK}{}", kustomization("flux-system", "./cluster", ""))
}

#[test]
fn another_repository_is_not_available() {
    let world = render(&[
        ("cluster/app.yaml", &of("GitRepository", "app", "./")),
        (
            "cluster/source.yaml",
            &source(
                "GitRepository",
                "app",
                "{url: 'https://git.example.com/team/app', ref: {tag: v1}}",
            ),
        ),
    ]);
    let reason = opaque(&world, "flux-system/app");
    assert!(
        reason
            .contains("https://git.example.com/team/app at refs/tags/v1 is not available offline"),
        "{reason}"
    );
    assert!(matches!(
        artifact(&world, "GitRepository/flux-system/app"),
        Artifact::Unavailable(_)
    ));
    assert_eq!(
        artifact(&world, "GitRepository/flux-system/flux-system"),
        Artifact::Repository
    );
}

#[test]
fn a_source_that_nothing_defines() {
    let world = render(&[("cluster/app.yaml", &of("OCIRepository", "app", "./"))]);
    assert_eq!(
        opaque(&world, "flux-system/app"),
        "nothing defines its source"
    );
    assert_eq!(component(&world, "flux-system/app").source, None);
}

#[test]
fn the_same_address_and_revision_is_this_repository() {
    let world = |spec: &str| {
        render(&[
            ("cluster/flux-system/gotk-sync.yaml", &gotk()),
            ("cluster/app.yaml", &of("GitRepository", "again", "./app")),
            (
                "cluster/source.yaml",
                &source("GitRepository", "again", spec),
            ),
            ("app/cm.yaml", &config_map("a", &[])),
        ])
    };
    for same in [
        "{url: 'https://git.example.com/team/fleet.git', ref: {branch: main}}",
        "{url: 'https://git.example.com/team/fleet'}",
        "{url: 'https://git.example.com/team/fleet', ref: {name: refs/heads/main}}",
    ] {
        assert_eq!(
            objects(&world(same), "flux-system/app"),
            ["ConfigMap/flux-system/a"],
            "{same}"
        );
    }
    let other = world("{url: 'https://git.example.com/team/fleet', ref: {branch: staging}}");
    assert!(
        opaque(&other, "flux-system/app")
            .contains("refs/heads/staging is another revision of this repository")
    );
}

#[test]
fn the_bootstrap_source_is_given() {
    let world = render(&[("cluster/flux-system/gotk-sync.yaml", &gotk())]);
    let given: Vec<_> = world.given.iter().map(ToString::to_string).collect();
    // Its GitRepository and Kustomization are rendered; its namespace and
    // Secret are not.
    assert_eq!(
        given,
        ["Namespace/flux-system", "Secret/flux-system/flux-system"]
    );
}

#[test]
fn said_to_be_this_repository() {
    let files = [
        ("cluster/flux-system/gotk-sync.yaml", gotk()),
        ("cluster/app.yaml", of("OCIRepository", "fleet", "./app")),
        (
            "cluster/source.yaml",
            source(
                "OCIRepository",
                "fleet",
                "{url: 'oci://r.example.com/fleet', ref: {tag: latest}}",
            ),
        ),
        ("app/cm.yaml", config_map("a", &[])),
    ];
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    for said in [
        "fleet",
        "flux-system/fleet",
        "OCIRepository/flux-system/fleet",
        "oci://r.example.com/fleet",
    ] {
        let settings = Settings {
            repo_source: vec![said.parse().unwrap()],
            ..at("cluster")
        };
        let world = render_with(&files, &settings);
        assert_eq!(
            objects(&world, "flux-system/app"),
            ["ConfigMap/flux-system/a"],
            "{said}"
        );
    }
    assert!(opaque(&render(&files), "flux-system/app").contains("not available"));
}

#[test]
fn overrides_and_mirrors_stand_for_other_repositories() {
    let files = [
        ("cluster/app.yaml", of("GitRepository", "app", "./deploy")),
        (
            "cluster/source.yaml",
            source(
                "GitRepository",
                "app",
                "{url: 'https://git.example.com/team/app', ref: {tag: v1}, ignore: 'b.yaml'}",
            ),
        ),
    ];
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    let other = tree(&[
        ("deploy/a.yaml", &config_map("a", &[])),
        ("deploy/b.yaml", &config_map("b", &[])),
    ]);
    let overridden = Settings {
        overrides: vec![SourceOverride {
            source: SourceKey {
                kind: "GitRepository".into(),
                namespace: "flux-system".into(),
                name: "app".into(),
            },
            tree: other.clone(),
        }],
        ..at("cluster")
    };
    let mirrored = Settings {
        mirrors: vec![Arc::new(AddressMirror::new(
            "https://git.example.com/team/app",
            other,
        ))],
        ..at("cluster")
    };
    for settings in [overridden, mirrored] {
        let world = render_with(&files, &settings);
        assert_eq!(
            objects(&world, "flux-system/app"),
            ["ConfigMap/flux-system/a"]
        );
        assert_eq!(
            artifact(&world, "GitRepository/flux-system/app"),
            Artifact::Mirror
        );
    }
}

#[test]
fn ignored_files_are_not_in_the_artifact() {
    let ignoring = gotk().replace(
        "ref: {branch: main}",
        "ref: {branch: main}, ignore: \"/*\\n!/cluster\\n!/app\\n/app/b.yaml\"",
    );
    let world = render(&[
        ("cluster/flux-system/gotk-sync.yaml", &ignoring),
        ("cluster/app.yaml", &kustomization("app", "./app", "")),
        ("cluster/gone.yaml", &kustomization("gone", "./gone", "")),
        ("app/a.yaml", &config_map("a", &[])),
        ("app/b.yaml", &config_map("b", &[])),
        ("gone/a.yaml", &config_map("d", &[])),
    ]);
    assert_eq!(
        objects(&world, "flux-system/app"),
        ["ConfigMap/flux-system/a"]
    );
    assert_eq!(
        problems(&world, "flux-system/gone"),
        ["path missing: ./gone"]
    );
}

#[test]
fn ignore_files_count_too() {
    let world = render(&[
        ("cluster/app.yaml", &kustomization("app", "./app", "")),
        ("app/a.yaml", &config_map("a", &[])),
        ("app/c.yaml", &config_map("c", &[])),
        ("app/.sourceignore", "c.yaml\n"),
    ]);
    assert_eq!(
        objects(&world, "flux-system/app"),
        ["ConfigMap/flux-system/a"]
    );
}

#[test]
fn a_root_whose_source_leaves_out_its_own_folder() {
    // What the bootstrap applied stays in the cluster; the next artifact does
    // not hold the root's path any more.
    let ignoring = gotk().replace(
        "ref: {branch: main}",
        "ref: {branch: main}, ignore: \"/*\\n!/app\"",
    );
    let world = render(&[("cluster/flux-system/gotk-sync.yaml", &ignoring)]);
    assert_eq!(
        problems(&world, "flux-system/flux-system"),
        ["path missing: ./cluster"]
    );
    let root = component(&world, "flux-system/flux-system");
    let [model::Problem::PathMissing { ignored, .. }] = root.problems.as_slice() else {
        panic!("{:?}", root.problems);
    };
    assert!(ignored.is_some_and(|rules| !rules.is_none()));
}

#[test]
fn includes_and_sparse_checkouts() {
    let files = [
        ("cluster/app.yaml", of("GitRepository", "app", "./")),
        (
            "cluster/source.yaml",
            source(
                "GitRepository",
                "app",
                "{url: 'https://git.example.com/a', sparseCheckout: [./deploy], include: [{repository: {name: flux-system}, fromPath: shared, toPath: deploy/common}]}",
            ),
        ),
        ("shared/s.yaml", config_map("s", &[])),
    ];
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    let other = tree(&[
        ("deploy/a.yaml", &config_map("a", &[])),
        ("other/b.yaml", &config_map("b", &[])),
    ]);
    let settings = Settings {
        mirrors: vec![Arc::new(AddressMirror::new(
            "https://git.example.com/a",
            other,
        ))],
        ..at("cluster")
    };
    let world = render_with(&files, &settings);
    assert_eq!(
        objects(&world, "flux-system/app"),
        ["ConfigMap/flux-system/a", "ConfigMap/flux-system/s"]
    );
}

const GENERATOR: &str = "---\napiVersion: source.extensions.fluxcd.io/v1beta1\nkind: ArtifactGenerator\nmetadata: {name: g, namespace: flux-system}\nspec:\n  sources: [{alias: repo, kind: GitRepository, name: flux-system}]\n  artifacts:\n  - name: app\n    copy: [{from: '@repo/apps/web/**', to: '@artifact/deploy/', exclude: ['*.md']}]\n";

#[test]
fn generated_artifacts_are_followed() {
    let world = render(&[
        (
            "cluster/app.yaml",
            &of("ExternalArtifact", "app", "./deploy"),
        ),
        ("cluster/generator.yaml", GENERATOR),
        ("apps/web/a.yaml", &config_map("a", &[])),
        ("apps/web/sub/b.yaml", &config_map("b", &[])),
        ("apps/web/README.md", "no YAML"),
    ]);
    assert_eq!(
        objects(&world, "flux-system/app"),
        ["ConfigMap/flux-system/a", "ConfigMap/flux-system/b"]
    );
    assert_eq!(
        artifact(&world, "ExternalArtifact/flux-system/app"),
        Artifact::Generated
    );
    // Findings name the file in the repository.
    let object = &component(&world, "flux-system/app").objects()[0];
    assert!(!object.node.span.is_none());
}

#[test]
fn generated_artifacts_that_cannot_be_made_are_said() {
    let world = |generator: &str| {
        render(&[
            (
                "cluster/app.yaml",
                &of("ExternalArtifact", "app", "./deploy"),
            ),
            ("cluster/generator.yaml", generator),
            ("apps/web/a.yaml", &config_map("a", &[])),
        ])
    };
    let missing = world(&GENERATOR.replace("apps/web", "apps/api"));
    assert!(opaque(&missing, "flux-system/app").contains("no files match pattern 'apps/api/**'"));
    let pattern =
        world(&GENERATOR.replace("  artifacts:", "  pathPattern: '@repo/{app}'\n  artifacts:"));
    assert!(
        opaque(&pattern, "flux-system/app")
            .contains("pathPattern of an ArtifactGenerator is not modelled")
    );
    assert_eq!(
        problems(&pattern, "flux-system/flux-system"),
        ["gap: pathPattern of an ArtifactGenerator"]
    );
    let other = world(&GENERATOR.replace(
        "kind: GitRepository, name: flux-system",
        "kind: GitRepository, name: other",
    ));
    assert!(
        opaque(&other, "flux-system/app")
            .contains("nothing defines its source GitRepository/flux-system/other")
    );
    let itself = world(&GENERATOR.replace(
        "kind: GitRepository, name: flux-system",
        "kind: ExternalArtifact, name: app",
    ));
    assert!(opaque(&itself, "flux-system/app").contains("made of itself"));
}

#[test]
fn an_address_with_a_variable_is_none() {
    let spec = "{url: 'https://git.example.com/${TEAM}/app', ref: {tag: v1}}";
    let world = render_with(
        &[
            ("cluster/app.yaml", &of("GitRepository", "app", "./")),
            ("cluster/source.yaml", &source("GitRepository", "app", spec)),
        ],
        &at("cluster"),
    );
    let reason = opaque(&world, "flux-system/app");
    assert!(
        reason.contains("a variable that nothing replaces"),
        "{reason}"
    );
}
