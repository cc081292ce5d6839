//! Releases of charts, through the public interface.

use helm::chart::File;
use helm::{Capabilities, Data, Options, Output, Package, Release, Request};

fn package(files: &[(&str, &str)]) -> Package {
    let file = |(name, text): &(&str, &str)| File {
        name: (*name).to_owned(),
        data: text.as_bytes().to_vec(),
    };
    Package::new(helm::load::files(files.iter().map(file).collect()).unwrap())
}

fn render(package: &Package, values: &Data) -> Result<Output, helm::Error> {
    package.render(&Request {
        values,
        release: &Release {
            name: "r".to_owned(),
            namespace: "ns".to_owned(),
            revision: 1,
            is_upgrade: false,
        },
        capabilities: &Capabilities {
            kube_version: "v1.36.0".to_owned(),
            api_versions: vec!["v1".to_owned()],
            helm_version: "v4.2.1".to_owned(),
        },
        options: &Options::default(),
        skip_schema: false,
    })
}

fn switch(on: bool) -> Data {
    let mut child = Data::map();
    child.set("enabled", Data::Bool(on));
    let mut values = Data::map();
    values.set("child", child);
    values
}

const CHART: &[(&str, &str)] = &[
    (
        "Chart.yaml",
        "apiVersion: v2\nname: a\nversion: 1.0.0\ndependencies:\n\
         - {name: child, version: 1.x.x, condition: child.enabled}\n",
    ),
    (
        "templates/all.yaml",
        "kind: Service\nmetadata: {name: {{ .Release.Name }}}\n---\nkind: Secret\n---\n\
         kind: Job\nmetadata: {name: j, annotations: {helm.sh/hook: pre-install}}\n",
    ),
    ("templates/NOTES.txt", "Notes of {{ .Chart.Name }}"),
    ("templates/_helpers.tpl", "{{ define \"x\" }}{{ end }}"),
    ("templates/empty.yaml", "{{ if false }}x{{ end }}\n"),
    ("crds/one.yaml", "kind: CustomResourceDefinition\n"),
    ("crds/README.md", "text"),
    (
        "charts/child/Chart.yaml",
        "apiVersion: v2\nname: child\nversion: 1.2.3\n",
    ),
    ("charts/child/templates/NOTES.txt", "Notes of the child"),
    ("charts/child/templates/map.yaml", "kind: ConfigMap\n"),
    (
        "charts/child/crds/two.YAML",
        "kind: CustomResourceDefinition\n",
    ),
];

#[test]
fn a_release_has_manifests_hooks_notes_and_crds() {
    let output = render(&package(CHART), &Data::map()).unwrap();
    let manifests: Vec<(&str, &str)> = output
        .manifests
        .iter()
        .map(|one| (one.path.as_str(), one.text.as_str()))
        .collect();
    assert_eq!(
        manifests,
        [
            ("a/templates/all.yaml", "kind: Secret"),
            ("a/charts/child/templates/map.yaml", "kind: ConfigMap\n"),
            ("a/templates/all.yaml", "kind: Service\nmetadata: {name: r}"),
        ]
    );
    assert_eq!(output.hooks.len(), 1);
    assert_eq!(output.notes, "Notes of a");
    let crds: Vec<&str> = output.crds.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(crds, ["a/crds/one.yaml", "a/charts/child/crds/two.YAML"]);
}

#[test]
fn threads_share_a_package() {
    let package = package(CHART);
    std::thread::scope(|scope| {
        let package = &package;
        let threads: Vec<_> = (0..8)
            .map(|at| scope.spawn(move || (at, render(package, &switch(at % 2 == 0)).unwrap())))
            .collect();
        for thread in threads {
            let (at, output) = thread.join().unwrap();
            let expected = if at % 2 == 0 { 3 } else { 2 };
            assert_eq!(output.manifests.len(), expected);
            assert_eq!(output.crds.len(), if at % 2 == 0 { 2 } else { 1 });
        }
    });
}

#[test]
fn a_chart_says_which_clusters_it_fits() {
    let chart = |range: &str| {
        let metadata = format!("apiVersion: v2\nname: a\nversion: 1.0.0\nkubeVersion: '{range}'\n");
        render(&package(&[("Chart.yaml", &metadata)]), &Data::map())
    };
    assert!(chart(">=1.20.0-0").is_ok());
    assert_eq!(
        chart(">=1.99.0").unwrap_err().to_string(),
        "chart requires kubeVersion: >=1.99.0 which is incompatible with Kubernetes v1.36.0"
    );
}

#[test]
fn what_was_rendered_is_kept_when_it_is_no_yaml() {
    let chart = [
        ("Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n"),
        ("templates/x.yaml", "a: b: c"),
    ];
    let error = render(&package(&chart), &Data::map()).unwrap_err();
    let texts = error.rendered().unwrap();
    assert_eq!(texts.get("a/templates/x.yaml").unwrap(), "a: b: c");
}
