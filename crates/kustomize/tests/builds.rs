//! Behaviour of whole builds that the vectors do not cover: places, remotes,
//! limits, and a kustomization given instead of the file.

use std::sync::Arc;

use kustomize::{Documents, Error, LoadRestrictions, Options, Output, Remote, build, build_root};
use vfs::{Memory, Tree};
use yaml::{FileId, Node, Sources};

fn tree(files: &[(&str, &str)]) -> Tree {
    let files = files.iter().map(|(path, text)| (*path, text.as_bytes()));
    Tree::new(Memory::new(files).unwrap())
}

fn documents(files: &[(&str, &str)]) -> Documents {
    Documents::new(tree(files), Sources::new())
}

fn place(documents: &Documents, node: &Node) -> String {
    let location = documents.sources().location(node.span).unwrap();
    format!("{}:{}", location.file, location.line)
}

fn blame(documents: &Documents, error: &Error) -> String {
    let location = documents.sources().location(error.span.unwrap()).unwrap();
    format!("{}:{}", location.file, location.line)
}

const CONFIG_MAP: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: app\ndata:\n  a: old\n";

#[test]
fn a_value_is_placed_where_it_was_set() {
    let documents = documents(&[
        ("base/kustomization.yaml", "resources:\n- app.yaml\n"),
        ("base/app.yaml", CONFIG_MAP),
        (
            "top/kustomization.yaml",
            "resources: [../base]\nnamespace: prod\npatches:\n- target: {kind: ConfigMap}\n  patch: |\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: x}\n    data:\n      b: new\n",
        ),
    ]);
    let output = build(&documents, "top", &Options::default()).unwrap();
    let object = &output.objects()[0];
    let at = |path: &[&str]| place(&documents, object.path(path).unwrap());
    assert_eq!(at(&["data", "a"]), "base/app.yaml:6");
    assert_eq!(at(&["data", "b"]), "top/kustomization.yaml:10");
    assert_eq!(at(&["metadata", "namespace"]), "top/kustomization.yaml:2");
    assert_eq!(at(&["metadata", "name"]), "base/app.yaml:4");
}

#[test]
fn a_kustomization_can_be_given_instead_of_the_file() {
    let documents = documents(&[
        ("app/app.yaml", CONFIG_MAP),
        ("app/kustomization.yaml", "?"),
    ]);
    let given = yaml::sigs_to_json(
        "resources: [app.yaml]\nnameSuffix: -x\n",
        FileId::NONE,
        false,
    );
    let output = build_root(&documents, "app", given.unwrap(), &Options::default()).unwrap();
    assert!(output.to_yaml().contains("name: app-x\n"));
}

#[test]
fn errors_say_what_entry_is_to_blame() {
    let documents = documents(&[
        (
            "kustomization.yaml",
            "resources:\n- app.yaml\n- missing.yaml\n",
        ),
        ("app.yaml", CONFIG_MAP),
    ]);
    let error = build(&documents, "", &Options::default()).unwrap_err();
    assert_eq!(blame(&documents, &error), "kustomization.yaml:3");
    assert!(error.to_string().starts_with(
        "accumulating resources: accumulation err='accumulating resources from 'missing.yaml': '/missing.yaml' doesn't exist': must build at directory"
    ));
}

#[test]
fn old_fields_are_warned_of() {
    let documents = documents(&[
        (
            "kustomization.yaml",
            "bases: [base]\ncommonLabels: {a: b}\n",
        ),
        ("base/kustomization.yaml", "resources: [app.yaml]\n"),
        ("base/app.yaml", CONFIG_MAP),
    ]);
    let output = build(&documents, "", &Options::default()).unwrap();
    assert_eq!(output.warnings.len(), 2);
    assert!(output.warnings[0].contains("'bases' is deprecated"));
}

#[test]
fn nothing_outside_is_read() {
    let build_with = |entry: &str, restrictions| {
        let file = format!("configMapGenerator:\n- name: a\n  files: ['{entry}']\n");
        let documents = documents(&[("in/kustomization.yaml", file.as_str()), ("key.txt", "x")]);
        let options = Options {
            load_restrictions: restrictions,
            ..Options::default()
        };
        build(&documents, "in", &options).map(|output| output.to_yaml())
    };
    assert!(build_with("../key.txt", LoadRestrictions::None).is_ok());
    for (entry, restrictions) in [
        ("../key.txt", LoadRestrictions::RootOnly),
        ("../../key.txt", LoadRestrictions::None),
        ("/key.txt", LoadRestrictions::None),
    ] {
        assert!(build_with(entry, restrictions).is_err(), "{entry}");
    }
}

#[test]
fn directories_that_name_each_other_end() {
    let documents = documents(&[
        ("a/kustomization.yaml", "resources: [../b]\n"),
        ("b/kustomization.yaml", "resources: [../a]\n"),
    ]);
    let error = build(&documents, "a", &Options::default()).unwrap_err();
    assert!(error.to_string().contains("cycle detected"), "{error}");
}

#[test]
fn a_long_chain_of_directories_does_not_exhaust_the_stack() {
    let files: Vec<(String, String)> = (0..400)
        .map(|n| {
            let next = format!("resources: [../d{}]\n", n + 1);
            (format!("d{n}/kustomization.yaml"), next)
        })
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect();
    let documents = documents(&files);
    let error = build(&documents, "d0", &Options::default()).unwrap_err();
    assert!(error.to_string().contains("kustomizations name each other"));
}

struct Mirror;

impl Remote for Mirror {
    fn repository(&self, url: &str, reference: &str) -> Option<Tree> {
        (url == "https://github.com/o/r" && reference == "v1.0").then(|| {
            tree(&[
                ("sub/kustomization.yaml", "resources: [app.yaml]\n"),
                ("sub/app.yaml", CONFIG_MAP),
                ("out/kustomization.yaml", "resources: [../../app.yaml]\n"),
            ])
        })
    }

    fn file(&self, url: &str) -> Option<Arc<[u8]>> {
        (url == "https://host.example/crd.yaml").then(|| CONFIG_MAP.as_bytes().into())
    }
}

fn build_remote(entry: &str) -> (Documents, Result<Output, Error>) {
    let file = format!("resources:\n- {entry}\n");
    let documents = documents(&[("kustomization.yaml", file.as_str())]);
    let options = Options {
        remote: Some(Arc::new(Mirror)),
        ..Options::default()
    };
    let result = build(&documents, "", &options);
    (documents, result)
}

#[test]
fn remote_bases_come_from_whoever_serves_them() {
    let (documents, output) = build_remote("https://github.com/o/r//sub?ref=v1.0");
    let output = output.unwrap();
    assert_eq!(output.objects().len(), 1);
    let [remote] = output.remotes.as_slice() else {
        panic!("{:?}", output.remotes);
    };
    assert!(remote.available && remote.pinned);
    assert_eq!(
        place(&documents, &output.objects()[0]),
        "https://github.com/o/r@v1.0/sub/app.yaml:1"
    );
    let (_, output) = build_remote("https://host.example/crd.yaml");
    let output = output.unwrap();
    assert!(output.remotes[0].available && !output.remotes[0].pinned);
}

#[test]
fn a_remote_base_that_nobody_serves_is_named() {
    for entry in [
        "https://github.com/o/r?ref=main",
        "git@host.example:o/r.git",
        "https://host.example/other.yaml",
    ] {
        let (documents, result) = build_remote(entry);
        let error = result.unwrap_err();
        assert_eq!(error.remote.as_deref(), Some(entry), "{error}");
        assert_eq!(blame(&documents, &error), "kustomization.yaml:2");
    }
}

#[test]
fn a_remote_base_cannot_leave_its_repository() {
    let (_, result) = build_remote("https://github.com/o/r//out?ref=v1.0");
    assert!(result.is_err());
}

#[test]
fn a_json_patch_leaves_the_origin_alone_unless_it_takes_it_away() {
    let built = |operation: &str| {
        let kustomization = format!(
            "resources: [app.yaml]\nbuildMetadata: [originAnnotations]\npatches:\n- target: {{kind: ConfigMap}}\n  patch: |-\n    - {operation}\n"
        );
        let documents = documents(&[
            ("kustomization.yaml", &kustomization),
            ("app.yaml", CONFIG_MAP),
        ]);
        let output = build(&documents, "", &Options::default()).unwrap();
        let annotations = ["metadata", "annotations", "config.kubernetes.io/origin"];
        output.objects()[0].str_at(&annotations).map(str::to_owned)
    };
    assert_eq!(
        built("{op: add, path: /data/b, value: new}").as_deref(),
        Some("path: app.yaml\n")
    );
    let replaced = built("{op: replace, path: /metadata/annotations, value: {}}");
    assert!(replaced.unwrap().contains("kind: PatchTransformer"));
}

#[test]
fn a_build_that_keeps_going_leaves_out_what_fails() {
    let documents = documents(&[
        (
            "top/kustomization.yaml",
            "resources: [gone.yaml, sub, again.yaml, other.yaml]\nnamePrefix: x-\ncomponents: [../gone]\n",
        ),
        (
            "top/sub/kustomization.yaml",
            "resources: [app.yaml, lost.yaml]\n",
        ),
        ("top/sub/app.yaml", CONFIG_MAP),
        ("top/again.yaml", CONFIG_MAP),
        ("top/other.yaml", &CONFIG_MAP.replace("app", "other")),
    ]);
    let strict = build(&documents, "top", &Options::default()).unwrap_err();
    assert_eq!(blame(&documents, &strict), "top/kustomization.yaml:1");
    let options = Options {
        keep_going: true,
        ..Options::default()
    };
    let output = build(&documents, "top", &options).unwrap();
    let names: Vec<_> = output
        .resources
        .iter()
        .map(|r| r.id().name.clone())
        .collect();
    assert_eq!(names, ["x-app", "x-other"]);
    let places: Vec<_> = output.faults.iter().map(|f| blame(&documents, f)).collect();
    assert_eq!(
        places,
        [
            "top/kustomization.yaml:1",
            "top/sub/kustomization.yaml:1",
            "top/again.yaml:1",
            "top/kustomization.yaml:3",
        ]
    );
    assert_eq!(output.faults[0].message, strict.message);
}

/// All generators are read before the first one runs, and none after one that fails.
#[test]
fn the_first_fault_of_the_generators_is_told() {
    let cause = |kustomization: &str| {
        let documents = documents(&[("kustomization.yaml", kustomization)]);
        build(&documents, "", &Options::default())
            .unwrap_err()
            .to_string()
    };
    let absent = "configMapGenerator: [{name: a, files: [absent]}]\n";
    let foreign =
        "generators: [\"{apiVersion: example.org/v1, kind: Foreign, metadata: {name: f}}\"]\n";
    let second = "secretGenerator: [{name: b, envs: [none]}]\n";
    assert!(cause(&format!("{absent}{foreign}")).contains("plugin 'Foreign'"));
    assert!(cause(&format!("{absent}{second}")).contains("absent"));
}

/// What the generator says goes into the text of an object, which then must read.
#[test]
fn an_iam_policy_is_read_from_its_text() {
    let kustomization = |more: &str| {
        let generator = format!(
            "    apiVersion: builtin\n    kind: IAMPolicyGenerator\n    metadata: {{name: iam}}\n    cloud: gke\n{more}"
        );
        format!("generators:\n- |\n{generator}")
    };
    let run = |more: &str| {
        let documents = documents(&[("kustomization.yaml", &kustomization(more))]);
        build(&documents, "", &Options::default()).map(|output| output.to_yaml())
    };
    let error = run("").unwrap_err().to_string();
    assert!(
        error.ends_with("yaml: line 6: found character that cannot start any token"),
        "{error}"
    );
    let output = run(
        "    kubernetesService: {name: k8s, namespace: shop}\n    serviceAccount: {name: gsa, projectId: p}\n",
    );
    assert_eq!(
        output.unwrap(),
        "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  annotations:\n    iam.gke.io/gcp-service-account: gsa@p.iam.gserviceaccount.com\n  name: k8s\n  namespace: shop\n"
    );
}

/// Metadata of a kustomization file is as strict as its other fields, and the
/// message names the field in it.
#[test]
fn a_label_of_the_file_that_is_a_number_is_named() {
    let documents = documents(&[("kustomization.yaml", "metadata: {labels: {a: 1}}\n")]);
    let error = build(&documents, "", &Options::default()).unwrap_err();
    assert!(
        error.to_string().ends_with(
            "cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string"
        ),
        "{error}"
    );
}
