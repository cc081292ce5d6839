use std::sync::Arc;

use kustomize::Documents;
use model::{ComponentKey, ComponentKind, Identity, Object, Problem, Spec};
use vfs::{Memory, Tree};
use yaml::{FileId, Limits, Node, Sources};

use super::*;
use crate::spec;

/// ConfigMaps and Secrets in a cluster.
struct Cluster(Vec<Object>);

impl Env for Cluster {
    fn variables(&self, reference: &Reference) -> Option<Provided> {
        self.0
            .iter()
            .find(|object| {
                let identity = &object.identity;
                identity.kind == reference.kind
                    && identity.namespace == reference.namespace
                    && identity.name == reference.name
            })
            .map(Provided::of)
    }
}

impl Cluster {
    fn of(texts: &[&str]) -> Self {
        let object = |text: &&str| {
            let node = yaml::sigs_to_json(text, FileId::NONE, false).unwrap();
            Object {
                identity: read_back::identity(&node),
                node: Arc::new(node),
                template: None,
            }
        };
        Cluster(texts.iter().map(object).collect())
    }
}

struct Case {
    documents: Documents,
    object: Node,
    strict: bool,
}

fn case(files: &[(&str, &str)], spec: &str) -> Case {
    let files = files.iter().map(|(p, t)| (*p, t.as_bytes().to_vec()));
    let documents = Documents::new(Tree::new(Memory::new(files).unwrap()), Sources::new());
    let text = format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: k\n  namespace: flux-system\nspec:\n{spec}"
    );
    let file = documents.sources().add("flux.yaml", text.as_str());
    let nodes = yaml::parse(&text, file, &Limits::default()).unwrap();
    Case {
        documents,
        object: yaml::canonical(&nodes[0]).unwrap(),
        strict: true,
    }
}

impl Case {
    fn lax(mut self) -> Self {
        self.strict = false;
        self
    }

    fn build(&self) -> Built {
        self.build_in(&Cluster(Vec::new()))
    }

    fn build_in(&self, cluster: &Cluster) -> Built {
        let key = ComponentKey {
            kind: ComponentKind::Kustomization,
            namespace: "flux-system".into(),
            name: "k".into(),
        };
        let Spec::Kustomization(spec) = spec::read(&key, &self.object) else {
            panic!("no Kustomization");
        };
        let request = Request {
            documents: &self.documents,
            key: &key,
            object: &self.object,
            spec: &spec,
            strict: self.strict,
            no_remote_bases: false,
            engine: None,
            remote: None,
        };
        build(&request, cluster)
    }

    fn at(&self, span: yaml::Span) -> String {
        match self.documents.sources().location(span) {
            Some(at) => format!("{}:{}", at.file, at.line),
            None => "nowhere".into(),
        }
    }

    fn problems(&self, built: &Built) -> Vec<String> {
        let one = |problem: &Problem| match problem {
            Problem::PathMissing {
                path, candidates, ..
            } => format!("path {path} {candidates:?}"),
            Problem::Build { message, span, .. } => {
                format!(
                    "build {message} {}",
                    span.map_or("-".into(), |s| self.at(s))
                )
            }
            Problem::UndefinedVariable {
                name, object, span, ..
            } => {
                format!("undefined {name} {object} {}", self.at(*span))
            }
            Problem::MissingSubstituteSource { reference } => {
                format!("missing {} {}", reference.name, self.at(reference.span))
            }
            Problem::InvalidVariableName { name, provider, .. } => {
                format!("invalid {name} of {provider}")
            }
            Problem::EncryptedWithoutDecryption { object, span } => {
                format!("encrypted {object} {}", self.at(*span))
            }
            Problem::RemoteBase {
                url,
                pinned,
                available,
                ..
            } => format!("remote {url} {pinned} {available}"),
            other => format!("{other:?}"),
        };
        built.problems.iter().map(one).collect()
    }
}

fn names(built: &Built) -> Vec<String> {
    built
        .objects
        .iter()
        .map(|o| o.identity.to_string())
        .collect()
}

fn config_map(name: &str, data: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata: {data}\n")
}

#[test]
fn objects_in_order_with_common_metadata() {
    let a = config_map("a", "{}");
    let b = config_map("b", "{}");
    let case = case(
        &[("apps/b.yaml", &b), ("apps/sub/a.yaml", &a)],
        "  path: ./apps\n  targetNamespace: web\n  commonMetadata:\n    labels: {team: x}\n",
    );
    let built = case.build();
    assert_eq!(built.outcome, Outcome::Rendered);
    assert_eq!(names(&built), ["ConfigMap/web/b", "ConfigMap/web/a"]);
    let object = &built.objects[0].node;
    assert_eq!(object.str_at(&["metadata", "labels", "team"]), Some("x"));
    assert_eq!(case.at(object.get("data").unwrap().span), "apps/b.yaml:5");
}

#[test]
fn common_metadata_makes_a_map_of_texts_of_what_was_there() {
    let labels = |own: &str, common: &str| {
        let object =
            format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {own}\n");
        let spec = format!("  path: ./apps\n  commonMetadata: {common}\n");
        let built = case(&[("apps/a.yaml", &object)], &spec).build();
        yaml::to_json(built.objects[0].node.path(&["metadata", "labels"]).unwrap())
    };
    let common = "{labels: {team: x}}";
    assert_eq!(labels("{lost: 1, tier: x}", common), r#"{"team":"x"}"#);
    assert_eq!(labels("{a: null}", common), r#"{"a":"","team":"x"}"#);
    assert_eq!(labels("{a: null}", "{}"), r#"{"a":""}"#);
    // Nothing is written where nothing is left.
    assert_eq!(labels("{lost: 1}", "{}"), r#"{"lost":1}"#);
}

#[test]
fn a_name_that_is_no_text_is_dropped_and_fails_nothing() {
    let patch = "patchesJson6902:\n- target: {name: a}\n  patch: '[{\"op\": \"replace\", \"path\": \"/metadata/name\", \"value\": true}]'\n";
    let file = format!("resources: [a.yaml, b.yaml]\n{patch}");
    let case = case(
        &[
            ("apps/kustomization.yaml", &file),
            ("apps/a.yaml", &config_map("a", "{}")),
            ("apps/b.yaml", &config_map("b", "{}")),
        ],
        "  path: ./apps\n",
    );
    let built = case.build();
    assert_eq!(built.outcome, Outcome::Rendered);
    assert_eq!(names(&built), ["ConfigMap/b"]);
}

#[test]
fn an_empty_directory_gives_nothing() {
    let case = case(&[("apps/README.md", "")], "  path: apps\n");
    let built = case.build();
    assert_eq!(built.outcome, Outcome::Rendered);
    assert!(built.objects.is_empty() && built.problems.is_empty());
}

#[test]
fn a_missing_path_offers_others() {
    // D35: a Kustomization's own variables are not filled into its own path.
    let a = config_map("a", "{}");
    let files = [
        ("x/prod/apps/a.yaml", a.as_str()),
        ("apps/a.yaml", &a),
        ("y/prod/apps/a.yaml", &a),
    ];
    let missing = case(&files, "  path: ./prod/apps\n");
    let built = missing.build();
    assert_eq!(built.outcome, Outcome::Failed);
    assert_eq!(
        missing.problems(&built),
        [r#"path ./prod/apps ["x/prod/apps", "y/prod/apps"]"#]
    );
    let variable = case(
        &files,
        "  path: ./${ENV}\n  postBuild: {substitute: {ENV: apps}}\n",
    );
    assert_eq!(variable.problems(&variable.build()), ["path ./${ENV} []"]);
}

#[test]
fn a_failed_build_says_what_the_controller_says() {
    let file = "resources:\n- missing.yaml\n";
    let case = case(&[("kustomization.yaml", file)], "  path: ./\n");
    let built = case.build();
    assert_eq!(built.outcome, Outcome::Failed);
    let [problem] = case.problems(&built).try_into().unwrap();
    assert!(
        problem.starts_with("build kustomize build failed: accumulating resources"),
        "{problem}"
    );
    assert!(problem.ends_with(" kustomization.yaml:2"), "{problem}");
}

#[test]
fn helm_charts_are_refused() {
    let file = "helmCharts:\n- name: x\n  repo: https://example.org\n";
    let case = case(&[("kustomization.yaml", file)], "  path: ./\n");
    let built = case.build();
    assert_eq!(built.outcome, Outcome::Failed);
    assert!(case.problems(&built)[0].contains("must specify --enable-helm"));
}

#[test]
fn own_components_take_part_before_own_patches() {
    // D85
    let cluster = "apiVersion: example.org/v1\nkind: Cluster\nmetadata:\n  name: ${APP}-postgres\n";
    let files = [
        (
            "app/kustomization.yaml",
            "resources: [cm.yaml]\npatches:\n- patch: |\n    apiVersion: example.org/v1\n    kind: Cluster\n    metadata:\n      name: ${APP}-postgres\n    spec: {size: 2}\n",
        ),
        ("app/cm.yaml", &config_map("${APP}", "{}")),
        (
            "db/kustomization.yaml",
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [c.yaml]\n",
        ),
        ("db/c.yaml", cluster),
    ];
    let case = case(
        &files,
        "  path: app\n  components: [../db]\n  postBuild: {substitute: {APP: web}}\n",
    );
    let built = case.build();
    assert_eq!(case.problems(&built), [""; 0]);
    assert_eq!(names(&built), ["ConfigMap/web", "Cluster/web-postgres"]);
    let size = built.objects[1].node.path(&["spec", "size"]).unwrap();
    assert_eq!(size.as_i64(), Some(2));
}

#[test]
fn an_inline_patch_loses_its_last_line_break() {
    let a = config_map("a", "{k: v}");
    let patch = "  path: ./\n  patches:\n  - patch: |\n      apiVersion: v1\n      kind: ConfigMap\n      metadata:\n        name: a\n      data:\n        k: |\n          one\n          two\n";
    let case = case(&[("a.yaml", &a)], patch);
    let built = case.build();
    let value = built.objects[0].node.path(&["data", "k"]).unwrap();
    assert_eq!(value.as_str(), Some("one\ntwo"));
    assert_eq!(case.at(value.span), "flux.yaml:15");
}

#[test]
fn what_lies_outside_is_no_base_and_what_is_remote_is_unknown() {
    // D93
    let a = config_map("a", "{}");
    let files = [
        (
            "apps/x/kustomization.yaml",
            "resources: [../../shared, ../one.yaml]\n",
        ),
        ("shared/kustomization.yaml", "resources: [a.yaml]\n"),
        ("shared/a.yaml", &a),
        ("apps/one.yaml", &config_map("b", "{}")),
        ("out/kustomization.yaml", "resources: [../../elsewhere]\n"),
        (
            "remote/kustomization.yaml",
            "resources: ['https://github.com/o/r//base?ref=v1.0.0']\n",
        ),
    ];
    let inside = case(&files, "  path: apps/x\n").build();
    assert_eq!(names(&inside), ["ConfigMap/a", "ConfigMap/b"]);
    assert_eq!(
        case(&files, "  path: out\n").build().outcome,
        Outcome::Failed
    );
    let remote = case(&files, "  path: remote\n");
    let built = remote.build();
    assert!(matches!(built.outcome, Outcome::Partial(_)));
    let [problem] = remote.problems(&built).try_into().unwrap();
    assert_eq!(
        problem,
        "remote https://github.com/o/r//base?ref=v1.0.0 true false"
    );
}

#[test]
fn what_stands_beside_a_remote_base_is_known() {
    let files = [
        (
            "x/kustomization.yaml",
            "resources: [a.yaml, 'https://github.com/o/r//base?ref=v1.0.0', 'https://x.org/crd.yaml']\n\
             configMapGenerator: [{name: g, files: [d.json=https://x.org/d.json]}]\n",
        ),
        ("x/a.yaml", &config_map("a", "{}")),
        (
            "patched/kustomization.yaml",
            "resources: ['https://x.org/crd.yaml']\npatches: [{patch: '{kind: Foo, apiVersion: v1, metadata: {name: f}}'}]\n",
        ),
    ];
    let known = case(&files, "  path: x\n");
    let built = known.build();
    assert!(matches!(built.outcome, Outcome::Partial(_)), "{built:?}");
    let [a, generated] = built.objects.as_slice() else {
        panic!("{built:?}");
    };
    assert_eq!(a.identity.name, "a");
    let content = generated.node.path(&["data", "d.json"]).expect("the key");
    assert!(content.unknown, "{built:?}");
    let name = generated.node.path(&["metadata", "name"]);
    assert!(name.is_some_and(|name| name.unknown), "{built:?}");
    assert_eq!(known.problems(&built).len(), 3);
    // A file that does not parse fails the build whatever else is there.
    let broken = [
        (
            "x/kustomization.yaml",
            "resources: ['https://x.org/crd.yaml', a.yaml]\n",
        ),
        ("x/a.yaml", "kind: *none\n"),
    ];
    let built = case(&broken, "  path: x\n").build();
    assert_eq!(built.outcome, Outcome::Failed, "{built:?}");
    // What a patch changes may be what is not here.
    let patched = case(&files, "  path: patched\n").build();
    assert!(matches!(patched.outcome, Outcome::Opaque(_)), "{patched:?}");
}

#[test]
fn a_flux_kustomization_is_no_kustomization_file() {
    // D41
    let file = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: x}\nspec: {path: y}\n";
    let case = case(&[("kustomization.yaml", file)], "  path: ./\n");
    let built = case.build();
    assert_eq!(built.outcome, Outcome::Failed);
    let problem = &case.problems(&built)[0];
    assert!(
        problem.contains("apiVersion for Kustomization should be"),
        "{problem}"
    );
}

#[test]
fn no_post_build_no_substitution() {
    // D34
    let text = config_map("a", "{k: \"${X:=d} $$ ${a.b}\"}");
    let files = [("a.yaml", text.as_str())];
    for spec in [
        "  path: ./\n",
        "  path: ./\n  postBuild: {}\n",
        "  path: ./\n  postBuild: {substitute: {}}\n",
        "  path: ./\n  postBuild: {substituteStrategy: WithVariables}\n",
    ] {
        let case = case(&files, spec);
        let built = case.build();
        assert_eq!(built.outcome, Outcome::Rendered, "{spec}");
        let value = built.objects[0].node.str_at(&["data", "k"]);
        assert_eq!(value, Some("${X:=d} $$ ${a.b}"));
    }
    let text = config_map("a", "{k: \"${X:=d} $$\"}");
    let always = case(
        &[("a.yaml", &text)],
        "  path: ./\n  postBuild: {substituteStrategy: Always}\n",
    );
    let built = always.build();
    assert_eq!(built.objects[0].node.str_at(&["data", "k"]), Some("d $"));
}

#[test]
fn sources_are_looked_up_in_the_own_namespace() {
    // D36, D37
    let text = config_map("a", "{k: \"${X}\"}");
    let files = [("a.yaml", text.as_str())];
    let spec = "  path: ./\n  targetNamespace: network\n  postBuild:\n    substituteFrom:\n    - {kind: Secret, name: s}\n";
    let there = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: network}\nstringData: {X: v}\n";
    let here = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: flux-system}\nstringData: {X: v}\n";
    let wrong = case(&files, spec);
    let built = wrong.build_in(&Cluster::of(&[there]));
    assert_eq!(built.outcome, Outcome::Failed);
    assert_eq!(wrong.problems(&built), ["missing s flux.yaml:11"]);
    let built = wrong.build_in(&Cluster::of(&[there, here]));
    assert_eq!(built.objects[0].node.str_at(&["data", "k"]), Some("v"));

    let optional = case(&files, &spec.replace("name: s", "name: s, optional: true"));
    let built = optional.build();
    // No variable at all: nothing is replaced.
    assert_eq!(built.outcome, Outcome::Rendered);
    assert_eq!(built.objects[0].node.str_at(&["data", "k"]), Some("${X}"));
    let inline = spec.replace("name: s", "name: s, optional: true") + "    substitute: {Y: z}\n";
    let optional = case(&files, &inline);
    let built = optional.build();
    assert_eq!(built.outcome, Outcome::Failed);
    assert_eq!(
        optional.problems(&built),
        ["undefined X ConfigMap/network/a a.yaml:5"]
    );
}

#[test]
fn one_bad_key_fails_all() {
    // D27
    let text = config_map("a", "{k: plain}");
    let vars = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: v, namespace: flux-system}\ndata: {cluster.name: x, REGION: y}\n";
    let case = case(
        &[("a.yaml", &text)],
        "  path: ./\n  postBuild:\n    substituteFrom: [{kind: ConfigMap, name: v}]\n",
    );
    let built = case.build_in(&Cluster::of(&[vars]));
    assert_eq!(built.outcome, Outcome::Failed);
    assert_eq!(
        case.problems(&built),
        ["invalid cluster.name of ConfigMap/flux-system/v"]
    );
}

#[test]
fn disabled_objects_stay_as_they_are() {
    // D20
    let crd = |annotations: &str| {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations: {annotations}\ndata:\n  description: use ${{name}}\n"
        )
    };
    let spec = "  path: ./\n  postBuild: {substitute: {A: b}}\n";
    let text = crd("{kustomize.toolkit.fluxcd.io/substitute: disabled}");
    let off = case(&[("a.yaml", &text)], spec);
    let built = off.build();
    assert_eq!(built.outcome, Outcome::Rendered);
    let text = crd("{}");
    let on = case(&[("a.yaml", &text)], spec);
    assert_eq!(
        on.problems(&on.build()),
        ["undefined name ConfigMap/a a.yaml:7"]
    );
    // D23, D24: blanked in older releases.
    let on = case(&[("a.yaml", &text)], spec).lax();
    let built = on.build();
    assert_eq!(built.outcome, Outcome::Rendered);
    let value = built.objects[0].node.str_at(&["data", "description"]);
    // What is left of a plain scalar loses its blanks.
    assert_eq!(value, Some("use"));
    assert_eq!(built.problems.len(), 1);
}

#[test]
fn generated_dashboards_are_found_in_their_file() {
    // D23
    let files = [
        (
            "kustomization.yaml",
            "configMapGenerator:\n- name: d\n  files: [dash.json]\n  options: {disableNameSuffixHash: true}\n",
        ),
        ("dash.json", "{\n  \"ds\": \"${DS_PROMETHEUS}\"\n}\n"),
    ];
    let case = case(&files, "  path: ./\n  postBuild: {substitute: {A: b}}\n");
    let built = case.build();
    assert_eq!(
        case.problems(&built),
        ["undefined DS_PROMETHEUS ConfigMap/d dash.json:2"]
    );
}

#[test]
fn names_that_become_equal_are_refused() {
    let text = format!(
        "{}---\n{}",
        config_map("a-${X}", "{}"),
        config_map("a-${Y}", "{}")
    );
    let case = case(
        &[("a.yaml", &text)],
        "  path: ./\n  postBuild: {substitute: {X: '1', Y: '1'}}\n",
    );
    let built = case.build();
    assert_eq!(built.outcome, Outcome::Failed);
    assert!(case.problems(&built)[0].contains("id matched 2 resources"));
}

#[test]
fn what_has_no_name_after_substitution_is_dropped() {
    let text = format!("{}---\n{}", config_map("${X}", "{}"), config_map("b", "{}"));
    let spec = "  path: ./\n  postBuild: {substitute: {X: '004'}}\n";
    let built = case(&[("a.yaml", &text)], spec).build();
    // A number is no name.
    assert_eq!(names(&built), ["ConfigMap/b"]);
}

#[test]
fn an_api_version_that_is_none_is_no_kind() {
    let patch = "patches:\n- target: {kind: ConfigMap}\n  patch: '[{\"op\": \"replace\", \"path\": \"/apiVersion\", \"value\": \"a/v1/b\"}]'\n";
    let kustomization = format!("resources: [a.yaml]\n{patch}");
    let files = [
        ("a.yaml", config_map("a", "{}")),
        ("kustomization.yaml", kustomization),
    ];
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| (*path, text.as_str()))
        .collect();
    let case = case(&files, "  path: ./\n");
    let problems = case.problems(&case.build());
    assert!(
        problems
            .iter()
            .any(|problem| problem.contains("Object 'Kind' is missing")),
        "{problems:?}"
    );
}

#[test]
fn encrypted_objects_need_decryption() {
    // D43
    let secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  a: ENC[AES256_GCM,data:x,type:str]\nsops:\n  mac: ENC[AES256_GCM,data:x,type:str]\n";
    let other = secret.replace("Secret", "ConfigMap");
    let files = [("s.yaml", secret)];
    let without = case(&files, "  path: ./\n");
    let built = without.build();
    assert_eq!(built.outcome, Outcome::Failed);
    assert_eq!(without.problems(&built), ["encrypted Secret/s s.yaml:7"]);
    let with = case(&files, "  path: ./\n  decryption: {provider: sops}\n");
    let built = with.build();
    assert_eq!(built.outcome, Outcome::Rendered);
    assert!(built.problems.is_empty());
    let value = built.objects[0].node.path(&["stringData", "a"]).unwrap();
    assert!(value.unknown);
    assert_eq!(with.at(value.span), "s.yaml:6");
    let not_a_secret = case(&[("s.yaml", &other)], "  path: ./\n");
    let built = not_a_secret.build();
    assert_eq!(built.outcome, Outcome::Rendered);
    assert_eq!(built.problems.len(), 1);
}

#[test]
fn generated_secrets_have_unknown_values_and_a_stable_name() {
    // D96
    let files = [
        (
            "kustomization.yaml",
            "resources: [d.yaml]\nsecretGenerator:\n- name: s\n  envs: [app.sops.env]\nconfigMapGenerator:\n- name: c\n  envs: [map.sops.env]\n",
        ),
        (
            "map.sops.env",
            "USER=ENC[AES256_GCM,data:x,type:str]\nsops_mac=ENC[AES256_GCM,data:x,type:str]\n",
        ),
        (
            "app.sops.env",
            "USER=ENC[AES256_GCM,data:x,type:str]\nPORT=1\nsops_mac=ENC[AES256_GCM,data:x,type:str]\n",
        ),
        (
            "d.yaml",
            "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: c\n    envFrom:\n    - secretRef: {name: s}\n",
        ),
    ];
    let build = || case(&files, "  path: ./\n  decryption: {provider: sops}\n").build();
    let built = build();
    assert_eq!(built.outcome, Outcome::Rendered, "{:?}", built.problems);
    let secret = built
        .objects
        .iter()
        .find(|o| o.identity.kind == "Secret")
        .unwrap();
    assert!(secret.node.path(&["metadata", "name"]).unwrap().unknown);
    assert!(secret.node.path(&["data", "USER"]).unwrap().unknown);
    let port = secret.node.path(&["data", "PORT"]).unwrap();
    assert_eq!((port.as_str(), port.unknown), (Some("MQ=="), false));
    let name = &secret.identity.name;
    assert!(name.starts_with("s-"));
    let pod = built
        .objects
        .iter()
        .find(|o| o.identity.kind == "Pod")
        .unwrap();
    let reference = yaml::to_json(&pod.node);
    assert!(reference.contains(&format!("\"name\":\"{name}\"")));
    let again = build();
    assert!(again.objects.iter().any(|o| o.identity.name == *name));
    // Files of config maps are not decrypted.
    let map = built
        .objects
        .iter()
        .find(|o| o.identity.kind == "ConfigMap")
        .unwrap();
    assert!(
        map.node
            .str_at(&["data", "USER"])
            .unwrap()
            .starts_with("ENC[")
    );
}

#[test]
fn lists_are_flattened_and_kustomize_objects_dropped() {
    let text = "apiVersion: example.org/v1\nkind: Group\nmetadata: {name: g}\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n---\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nmetadata: {name: k}\n";
    let built = case(&[("a.yaml", text)], "  path: ./\n").build();
    assert_eq!(names(&built), ["ConfigMap/a"]);
}

#[test]
fn identities_split_the_api_version() {
    let node = yaml::sigs_to_json(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: b}",
        FileId::NONE,
        false,
    )
    .unwrap();
    let Identity { group, version, .. } = read_back::identity(&node);
    assert_eq!((group.as_str(), version.as_str()), ("apps", "v1"));
}
