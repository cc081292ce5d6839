//! Releases of charts, through the public interface.

use gotmpl::Limits;
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
        // Limits that end tests soon.
        options: &Options {
            limits: Limits {
                steps: 2_000_000,
                bytes: 64 << 20,
                ..Options::default().limits
            },
            ..Options::default()
        },
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

fn render_template(text: &str) -> Result<Output, String> {
    let chart = [
        ("Chart.yaml", "apiVersion: v2\nname: a\nversion: 1.0.0\n"),
        ("templates/x.yaml", text),
    ];
    render(&package(&chart), &Data::map()).map_err(|e| e.to_string())
}

#[test]
fn hostile_templates_end_with_an_error() {
    let include = "{{ define \"a\" }}{{ include \"b\" . | trim }}{{ end }}\
                   {{ define \"b\" }}{{ (include \"a\" .) | trim }}{{ end }}{{ include \"a\" . }}";
    assert!(
        render_template(include)
            .unwrap_err()
            .contains("nested reference name")
    );
    let tpl =
        "{{ define \"a\" }}{{ tpl \"{{ include \\\"a\\\" . }}\" . }}{{ end }}{{ include \"a\" . }}";
    assert!(render_template(tpl).is_err());
    let own = "{{ define \"a\" }}{{ template \"a\" . }}{{ end }}{{ template \"a\" . }}";
    assert!(
        render_template(own)
            .unwrap_err()
            .contains("exceeded maximum template depth")
    );
    let endless = "{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}";
    assert!(render_template(endless).unwrap_err().contains("steps"));
    let large = "{{ range until 100 }}{{ repeat 1000000 \"x\" }}{{ end }}";
    assert!(render_template(large).unwrap_err().contains("bytes"));
}

#[test]
fn deep_values_take_no_stack() {
    let deep = "{{ $d := dict }}{{ range until 20000 }}{{ $d = dict \"a\" $d }}{{ end }}";
    for use_of in [
        "toYaml $d | len",
        "toJson $d | len",
        "toToml $d | len",
        "toYamlPretty $d | len",
        "printf \"%v\" $d | len",
        "deepCopy $d | len",
        "merge (dict) $d | len",
        "mergeOverwrite (dict) $d | len",
        "deepEqual $d $d",
        "eq (toString $d) \"\"",
        "$d | toString | len",
        "typeOf $d",
        "dig \"a\" \"a\" 1 $d | len",
        "$d | mustToPrettyJson | len",
        "list $d | uniq | len",
        "has $d (list $d)",
        "empty $d",
        "hasKey $d \"a\"",
        "mustToYaml $d | len",
        "values $d | len",
        "pick $d \"a\" | len",
        "include \"x\" $d",
        "set $d \"x\" $d | len",
    ] {
        // Each gives a text or an error, and returns.
        let text = format!("{{{{ define \"x\" }}}}{{{{ end }}}}{deep}a: {{{{ {use_of} }}}}\n");
        let _ = render_template(&text);
    }
}

#[test]
fn nesting_is_as_deep_as_helms() {
    let text = "{{ define \"a\" }}{{ if gt . 0 }}{{ include \"a\" (sub . 1) | trim }}{{ else }}end{{ end \
                }}{{ end }}a: {{ include \"a\" 990 }}\n";
    let output = render_template(text).unwrap();
    assert_eq!(output.manifests[0].text, "a: end\n");
}

#[test]
fn values_that_do_not_fit_are_told_in_helms_words() {
    let package = package(&[
        ("Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n"),
        (
            "values.yaml",
            "a: {b: {c: 1, z: [1, x]}}\nt: {u: 1}\ns: {k: {l: 1}}\nonce: 1\n",
        ),
        ("templates/a.yaml", "a: {{ .Values.a.b }}"),
        (
            "charts/s/Chart.yaml",
            "apiVersion: v2\nname: s\nversion: 1.0.0\n",
        ),
        ("charts/s/values.yaml", "k: 3\nglobal: {g: 1}\n"),
    ]);
    let three = || Data::Float(3.0);
    let map = |key: &str, value: Data| {
        let mut map = Data::map();
        map.set(key, value);
        map
    };
    let mut values = map("a", map("b", three()));
    values.set("t", map("u", map("v", three())));
    values.set("once", Data::Null);
    values.set("global", map("g", map("m", three())));
    let output = render(&package, &values).unwrap();
    assert_eq!(
        output.warnings,
        [
            "warning: cannot overwrite table with non table for c.a.b (map[c:1 z:[1 x]])",
            "warning: destination for c.t.u is a table. Ignoring non-table value (1)",
            "warning: destination for c.s.global.g is a table. Ignoring non-table value (1)",
            "warning: skipped value for c.s.k: Not a table.",
        ]
    );
}
