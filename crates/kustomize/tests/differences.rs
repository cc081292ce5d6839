//! Kinds of input on which random trees once showed another result than kustomize
//! v5.8.1, each made small. What is expected is what that prints.

use kustomize::{Documents, Options, build};
use vfs::{Memory, Tree};
use yaml::Sources;

fn run(files: &[(&str, &str)]) -> Result<String, String> {
    let files = files
        .iter()
        .map(|(path, text)| (*path, text.as_bytes().to_vec()));
    let documents = Documents::new(Tree::new(Memory::new(files).unwrap()), Sources::new());
    build(&documents, "", &Options::default())
        .map(|output| output.to_yaml())
        .map_err(|error| error.to_string())
}

/// The build must fail with a message that holds the words.
#[track_caller]
fn fails(files: &[(&str, &str)], words: &str) {
    let message = run(files).unwrap_err();
    assert!(message.contains(words), "{message}");
}

const ROLE: (&str, &str) = (
    "role.yaml",
    "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: a}\nrules: [{}]\n",
);
const PATCH_ROLE: &str = "resources: [role.yaml]\npatches:\n- patch: |\n    apiVersion: rbac.authorization.k8s.io/v1\n    kind: Role\n    metadata:\n      name: a\n";
const WIDGET: (&str, &str) = (
    "widget.yaml",
    "apiVersion: example.org/v1\nkind: Widget\nmetadata:\n  name: db\n",
);

#[test]
fn items_of_a_list_go_through_json() {
    let list = "apiVersion: v1\nkind: WidgetList\nitems:\n- apiVersion: example.org/v1\n  kind: Widget\n  metadata:\n    name: db\n    annotations: {team: 0x1}\n  spec:\n    n:\n";
    let patch = "patches:\n- target: {}\n  patch: |\n    apiVersion: example.org/v1\n    kind: Widget\n    metadata: {name: db}\n    list:\n    - v:\n";
    let output = run(&[
        ("list.yaml", list),
        (
            "kustomization.yaml",
            &format!("resources: [list.yaml]\n{patch}"),
        ),
    ]);
    assert_eq!(
        output.unwrap(),
        "apiVersion: example.org/v1\nkind: Widget\nlist:\n- v: \"\"\nmetadata:\n  annotations:\n    team: \"1\"\n  name: db\nspec:\n  \"n\": null\n"
    );
}

#[test]
fn a_field_that_a_patch_sets_keeps_its_style() {
    let output = run(&[
        ROLE,
        (
            "kustomization.yaml",
            &format!("{PATCH_ROLE}    rules:\n    - v:\n"),
        ),
    ]);
    assert!(output.unwrap().ends_with("rules:\n- v: \"\"\n"));
}

#[test]
fn texts_of_json_patches_stay_texts_when_they_are_written_again() {
    let kustomization = "resources: [widget.yaml]\npatches:\n- target: {kind: Widget}\n  patch: '[{\"op\": \"replace\", \"path\": \"/metadata/name\", \"value\": \"0x1\"}]'\n- patch: |\n    apiVersion: example.org/v1\n    kind: Widget\n    metadata: {name: db}\n";
    let output = run(&[WIDGET, ("kustomization.yaml", kustomization)]);
    assert!(output.unwrap().ends_with("  name: \"0x1\"\n"));
}

#[test]
fn no_targets_are_a_fault_but_an_empty_list_of_a_file_is_none() {
    let words = "replacements must specify a source and at least one target";
    let inline = "resources: [widget.yaml]\nreplacements: [{sourceValue: '', targets: []}]\n";
    fails(&[WIDGET, ("kustomization.yaml", inline)], words);
    let file = "resources: [widget.yaml]\nreplacements: [{path: r.yaml}]\n";
    let replacement = |text| [WIDGET, ("kustomization.yaml", file), ("r.yaml", text)];
    assert!(run(&replacement("sourceValue: ''\ntargets: []\n")).is_ok());
    fails(&replacement("sourceValue: ''\n"), words);
}

#[test]
fn charts_are_refused_before_generators_run() {
    let kustomization = "helmCharts: [{name: c}]\nsecretGenerator: [{}]\n";
    fails(&[("kustomization.yaml", kustomization)], "--enable-helm");
}

#[test]
fn a_schema_that_does_not_read_matters_to_objects_only() {
    let base = "openapi: {path: schema.json}\n";
    let more = "resources: [base]\nnamespace: shop\nreplacements: [{}]\n";
    fails(
        &[
            ("base/kustomization.yaml", base),
            ("base/schema.json", ""),
            ("kustomization.yaml", more),
        ],
        "replacements must specify",
    );
}

#[test]
fn a_generated_object_has_annotations_to_add_to() {
    let kustomization = "secretGenerator: [{name: web, options: {disableNameSuffixHash: true}}]\ntransformers:\n- |\n  apiVersion: builtin\n  kind: AnnotationsTransformer\n  metadata: {name: t}\n  annotations: {tier: one}\n  fieldSpecs: [{path: metadata/annotations}]\n";
    let output = run(&[("kustomization.yaml", kustomization)]);
    assert!(output.unwrap().contains("  annotations:\n    tier: one\n"));
}

#[test]
fn a_var_is_told_as_it_is_written() {
    let kustomization =
        "resources: [a.yaml]\nvars: [{name: V, objref: {apiVersion: v1, kind: Secret, name: b}}]\n";
    let object = |namespace| {
        format!("apiVersion: v1\nkind: Secret\nmetadata: {{name: b, namespace: {namespace}}}\n")
    };
    let both = format!("{}---\n{}", object("one"), object("two"));
    fails(
        &[("kustomization.yaml", kustomization), ("a.yaml", &both)],
        "found 2 resId matches for var {V Secret.v1.[noGrp] {}} (unable to disambiguate)",
    );
}

#[test]
fn an_empty_json_patch_is_told_as_json() {
    let kustomization =
        "resources: [widget.yaml]\npatchesJson6902: [{target: {name: db}, path: p.yaml}]\n";
    fails(
        &[
            WIDGET,
            ("kustomization.yaml", kustomization),
            ("p.yaml", "---\n[]\n"),
        ],
        "patch appears to be empty; file=p.yaml, JsonOp=[]",
    );
}

#[test]
fn a_validator_that_patches_changes_even_what_stays_the_same() {
    let kustomization = "resources: [widget.yaml]\nvalidators:\n- |\n  apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {name: t}\n  patch: '{apiVersion: example.org/v1, kind: Widget, metadata: {name: db}}'\n";
    fails(
        &[WIDGET, ("kustomization.yaml", kustomization)],
        "validator shouldn't modify the resource map",
    );
}

#[test]
fn what_lost_its_name_cannot_be_renamed() {
    let kustomization = |more: &str| {
        format!(
            "resources: [widget.yaml]\npatches: [{{target: {{}}, patch: '[{{\"op\": \"remove\", \"path\": \"/metadata/name\"}}]'}}]\n{more}"
        )
    };
    for (more, words) in [
        ("", "missing metadata.name in object"),
        ("nameSuffix: -v2\n", "number of previous names, number of"),
    ] {
        fails(
            &[WIDGET, ("kustomization.yaml", &kustomization(more))],
            words,
        );
    }
}

#[test]
fn objects_that_became_one_are_found_where_they_meet_others() {
    let base = "resources: [a.yaml]\nreplacements: [{sourceValue: x, targets: [{select: {}, fieldPaths: [metadata.name]}]}]\n";
    let (first, second) = (WIDGET.1, WIDGET.1.replace("db", "web"));
    fails(
        &[
            ("base/kustomization.yaml", base),
            ("base/a.yaml", &format!("{first}---\n{second}")),
            ("kustomization.yaml", "resources: [base]\n"),
        ],
        "recursed merging from path '/base': may not add resource with an already registered id",
    );
}

#[test]
fn annotations_added_together_change_with_a_namespace_too() {
    let kustomization = "resources: [web.yaml]\ncommonAnnotations: {x: one}\ntransformers:\n- |\n  apiVersion: builtin\n  kind: NamespaceTransformer\n  metadata: {name: t, namespace: shop}\n  fieldSpecs: [{path: metadata/annotations/x}]\n";
    let web = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n";
    let output = run(&[("kustomization.yaml", kustomization), ("web.yaml", web)]);
    assert_eq!(output.unwrap().matches("x: shop").count(), 2);
}

#[test]
fn a_value_that_a_replacement_made_becomes_text_where_a_patch_merges() {
    let kustomization = |patch: &str| {
        format!(
            "resources: [widget.yaml]\nreplacements: [{{sourceValue: 'true', targets: [{{select: {{}}, fieldPaths: [spec.on], options: {{create: true}}}}]}}]\n{patch}"
        )
    };
    let patch = "transformers:\n- |\n  apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {name: t}\n  patch: '{apiVersion: example.org/v1, kind: Widget, metadata: {name: db}}'\n";
    for (patch, ending) in [("", "  on: true\n"), (patch, "  on: \"true\"\n")] {
        let output = run(&[WIDGET, ("kustomization.yaml", &kustomization(patch))]);
        let output = output.unwrap().replace("\"on\"", "on");
        assert!(output.ends_with(ending), "{output}");
    }
}

#[test]
fn images_want_objects_that_say_what_they_are() {
    let kustomization = "resources: [widget.yaml]\npatchesJson6902: [{target: {name: db}, patch: '[{\"op\": \"replace\", \"path\": \"\", \"value\": {}}]'}]\nimages: [{}]\nreplacements: [{}]\n";
    fails(
        &[WIDGET, ("kustomization.yaml", kustomization)],
        "missing Resource metadata",
    );
}

#[test]
fn a_lost_name_is_told_before_a_var_that_reads_nothing() {
    let kustomization = "configMapGenerator: [{name: web}]\nvars: [{}]\npatches: [{target: {}, patch: '[{\"op\": \"remove\", \"path\": \"/metadata/name\"}]'}]\n";
    fails(
        &[("kustomization.yaml", kustomization)],
        "number of previous names, number of",
    );
}

#[test]
fn annotations_added_together_change_with_a_count_too() {
    let kustomization = "resources: [web.yaml]\ncommonAnnotations: {x: one}\ntransformers:\n- |\n  apiVersion: builtin\n  kind: ReplicaCountTransformer\n  metadata: {name: t}\n  replica: {name: web, count: 3}\n  fieldSpecs: [{path: metadata/annotations/x}]\n";
    let web = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n";
    let output = run(&[("kustomization.yaml", kustomization), ("web.yaml", web)]);
    assert!(output.unwrap().ends_with("        x: 3\n"));
}

#[test]
fn a_schema_that_does_not_read_matters_to_unknown_kinds() {
    let plugin = "{apiVersion: builtin, kind: ReplacementTransformer, metadata: {name: u}}";
    let inline = format!("openapi: {{path: s.json}}\ntransformers: ['{plugin}']\n");
    let words = "invalid schema file: json: cannot unmarshal into Go spec.Swagger: EOF";
    for kustomization in [
        "openapi: {path: s.json}\nresources: [widget.yaml]\n",
        &inline,
    ] {
        let files = [
            WIDGET,
            ("kustomization.yaml", kustomization),
            ("s.json", ""),
        ];
        fails(&files, words);
    }
}

#[test]
fn a_value_without_type_stays_what_its_text_says() {
    let kustomization = "resources: [widget.yaml]\nnamePrefix: q-\nreplacements: [{sourceValue: '1', targets: [{select: {}}]}]\n";
    let output = run(&[WIDGET, ("kustomization.yaml", kustomization)]);
    assert!(output.unwrap().ends_with("  name: 1\n"));
    let empty = "resources: [widget.yaml]\nreplacements: [{sourceValue: '', targets: [{select: {}, fieldPaths: [spec.a], options: {create: true}}]}]\ntransformers:\n- |\n  apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {name: t}\n  patch: '{apiVersion: example.org/v1, kind: Widget, metadata: {name: db}}'\n";
    let output = run(&[WIDGET, ("kustomization.yaml", empty)]);
    assert!(output.unwrap().ends_with("spec:\n  a: null\n"));
}

#[test]
fn what_an_object_says_of_its_past_is_believed() {
    let past = "previousNames: web\n    internal.config.kubernetes.io/previousNamespaces: default\n    internal.config.kubernetes.io/previousKinds: Widget";
    let widget = format!(
        "{}  annotations:\n    internal.config.kubernetes.io/{past}\n",
        WIDGET.1
    );
    let kustomization = "resources: [widget.yaml]\npatches: [{patch: '{apiVersion: example.org/v1, kind: Widget, metadata: {name: web}, spec: {a: b}}'}]\n";
    let output = run(&[
        ("widget.yaml", &widget),
        ("kustomization.yaml", kustomization),
    ]);
    assert!(output.unwrap().ends_with("  name: db\nspec:\n  a: b\n"));
}

#[test]
fn a_value_without_type_becomes_text_where_vars_are_expanded() {
    let kustomization = "resources: [widget.yaml]\nreplacements: [{sourceValue: '1', targets: [{select: {}, fieldPaths: [metadata.labels], options: {create: true}}]}]\n";
    let vars = "vars: [{name: V, objref: {apiVersion: example.org/v1, kind: Widget, name: db}}]\n";
    for (vars, label) in [("", "  labels: 1\n"), (vars, "  labels: \"1\"\n")] {
        let file = format!("{kustomization}{vars}");
        let output = run(&[WIDGET, ("kustomization.yaml", &file)]).unwrap();
        assert!(output.contains(label), "{output}");
    }
}

#[test]
fn an_empty_text_is_no_node_to_look_into() {
    let object = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: {k: ''}\n";
    let kustomization = "resources: [a.yaml]\nreplacements: [{source: {}, targets: [{select: {}, fieldPaths: [data.k.a.b]}]}]\n";
    fails(
        &[("a.yaml", object), ("kustomization.yaml", kustomization)],
        "expected MappingNode but got : node contents:\nnull\n",
    );
}

#[test]
fn a_validator_that_asks_to_replace_changes_what_names_the_object() {
    let kustomization = "resources: [widget.yaml]\nvalidators:\n- |\n  apiVersion: builtin\n  kind: PatchStrategicMergeTransformer\n  metadata: {name: t}\n  patches: '{$patch: replace, apiVersion: example.org/v1, kind: Widget, metadata: {name: db}}'\n";
    fails(
        &[WIDGET, ("kustomization.yaml", kustomization)],
        "validator shouldn't modify the resource map",
    );
}

#[test]
fn old_truths_of_json_patches_are_in_quotes_when_they_are_written_again() {
    let web = "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a}\nspec: {}\n";
    let base = |value: &str| {
        format!(
            "resources: [web.yaml]\npatchesJson6902: [{{target: {{name: a}}, patch: '[{{\"op\": \"replace\", \"path\": \"/spec/replicas\", \"value\": \"{value}\"}}]'}}]\n"
        )
    };
    for (value, count) in [("yes", "\"0\""), ("12:30", "\"0\""), ("x", "0")] {
        let output = run(&[
            ("base/web.yaml", web),
            ("base/kustomization.yaml", &base(value)),
            (
                "kustomization.yaml",
                "resources: [base]\nreplicas: [{name: a}]\n",
            ),
        ]);
        let ending = format!("  replicas: {count}\n");
        assert!(output.unwrap().ends_with(&ending), "{value}");
    }
}

const SERVICE: &str = "apiVersion: example.org/v1\nkind: Widget\nmetadata:\n  name: db\nspec: # what it does\n  size: 3\n";
const NO_SIZE: &str = "resources: [widget.yaml]\npatches:\n- patch: |\n    apiVersion: example.org/v1\n    kind: Widget\n    metadata: {name: db}";

/// The comment is printed behind `spec:`, and `{}` in a line of its own.
#[test]
fn a_comment_behind_a_key_whose_value_is_emptied_breaks_the_object() {
    let patch = format!("{NO_SIZE}\n    spec: {{size: null}}\n");
    let broken = [("widget.yaml", SERVICE), ("kustomization.yaml", &patch)];
    fails(&broken, "yaml: line 6: could not find expected ':'");
    let kept = SERVICE.replace("size: 3", "size: 3\n  color: red");
    assert!(run(&[("widget.yaml", &kept), ("kustomization.yaml", &patch)]).is_ok());
    let above = SERVICE.replace("spec: # what it does", "# what it does\nspec:");
    assert!(run(&[("widget.yaml", &above), ("kustomization.yaml", &patch)]).is_ok());
}

/// The comment becomes one of the block `metadata`, which has no place for it: it
/// goes behind the next key.
#[test]
fn a_comment_behind_a_flow_mapping_goes_to_the_next_key_of_a_block() {
    let patch = NO_SIZE.replace("{name: db}", "{name: db} # mine");
    let patch = format!("{patch}\n    spec: {{size: null}}\n");
    let widget = SERVICE.replace(" # what it does", "");
    let files = [
        ("widget.yaml", widget.as_str()),
        ("kustomization.yaml", &patch),
    ];
    fails(&files, "yaml: line 6: could not find expected ':'");
}

#[test]
fn comments_of_a_text_that_a_replacement_changes_stay() {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  app: |\n    # head\n\n    server: # the server\n        # where\n        host: x # old\n        # foot\n\n    port: 1\n";
    let kustomization = "resources: [map.yaml]\nreplacements:\n- sourceValue: new\n  targets:\n  - select: {kind: ConfigMap}\n    fieldPaths: [data.app.server.host]\n";
    let output = run(&[("map.yaml", map), ("kustomization.yaml", kustomization)]);
    assert_eq!(
        output.unwrap(),
        "apiVersion: v1\ndata:\n  app: |-\n    # head\n\n    server: # the server\n      # where\n      host: new # old\n      # foot\n    port: 1\nkind: ConfigMap\nmetadata:\n  name: a\n"
    );
}

/// Elements are compared with their comments.
#[test]
fn a_comment_behind_a_name_is_part_of_what_a_path_is_compared_with() {
    let widget = format!(
        "{}  parts:\n  - name: web # the first\n    size: big\n",
        SERVICE.replace(" # what it does", "")
    );
    let kustomization = |pattern: &str| {
        format!(
            "resources: [widget.yaml]\nreplacements:\n- sourceValue: new\n  targets:\n  - select: {{kind: Widget}}\n    fieldPaths: ['spec.parts.[name={pattern}].size']\n"
        )
    };
    let files = |text| {
        [
            ("widget.yaml", widget.clone()),
            ("kustomization.yaml", text),
        ]
    };
    let build = |pattern: &str| {
        let files = files(kustomization(pattern));
        run(&files.each_ref().map(|(path, text)| (*path, text.as_str())))
    };
    assert!(build("^web").is_ok());
    assert!(build("^web$").unwrap_err().contains("unable to find field"));
}

/// kustomize hashes the Go structs of its nodes, lines and columns included.
#[test]
fn the_hash_of_an_object_that_became_another_kind_is_not_modelled() {
    let kustomization = "configMapGenerator: [{name: a}]\npatches:\n- target: {}\n  options: {allowKindChange: true}\n  patch: |\n    apiVersion: batch/v1\n    kind: Job\n    metadata: {name: a}\n";
    let tree = Tree::new(
        Memory::new([("kustomization.yaml", kustomization.as_bytes().to_vec())]).unwrap(),
    );
    let documents = Documents::new(tree, Sources::new());
    let error = build(&documents, "", &Options::default()).unwrap_err();
    assert_eq!(error.cause, kustomize::Cause::Unmodelled, "{error}");
}

#[test]
fn a_path_into_an_empty_text_asks_for_what_its_next_part_is() {
    let kustomization = |part: &str| {
        format!(
            "resources: [widget.yaml]\nreplacements:\n- sourceValue: ''\n  targets:\n  - select: {{}}\n    fieldPaths: [data.k, data.k.{part}.b]\n    options: {{create: true}}\n"
        )
    };
    for (part, kind) in [("'*'", "SequenceNode"), ("a", "MappingNode")] {
        let text = kustomization(part.trim_matches('\''));
        fails(
            &[WIDGET, ("kustomization.yaml", &text)],
            &format!("wrong node kind: expected {kind}"),
        );
    }
}

/// Whatever is looked for among objects, their past is gone through.
#[test]
fn a_lost_name_is_told_before_a_missing_object() {
    let files = [
        WIDGET,
        (
            "kustomization.yaml",
            "resources: [base]\ngenerators:\n- |\n  apiVersion: builtin\n  kind: ConfigMapGenerator\n  metadata: {name: web}\n  behavior: replace\n",
        ),
        (
            "base/kustomization.yaml",
            "resources: [widget.yaml]\npatches:\n- target: {}\n  patch: '[{\"op\": \"remove\", \"path\": \"/metadata/name\"}]'\ntransformers:\n- |\n  apiVersion: builtin\n  kind: NamespaceTransformer\n  metadata: {name: u, namespace: n}\n",
        ),
        (
            "base/widget.yaml",
            "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata:\n  name: b\n",
        ),
    ];
    fails(&files, "number of previous names");
}

const NAMELESS: &str = "resources: [widget.yaml]\npatchesJson6902:\n- target: {name: db}\n  patch: '[{\"op\": \"remove\", \"path\": \"/metadata/name\"}]'\n";

/// As long as no name is remembered there is no past that could be odd.
#[test]
fn an_object_without_name_has_no_past() {
    let files = [
        WIDGET,
        (
            "kustomization.yaml",
            "resources: [base]\nnamePrefix: p-\nnamespace: team\n",
        ),
        ("base/kustomization.yaml", NAMELESS),
        ("base/widget.yaml", WIDGET.1),
    ];
    fails(&files, "missing metadata.name in object");
}

/// Noting what saw an object writes its annotations anew.
#[test]
fn annotations_are_texts_once_a_transformer_was_noted() {
    let widget = "apiVersion: example.org/v1\nkind: Widget\nmetadata:\n  name: db\n  annotations: {tier: 0x1}\n";
    let build = |metadata: &str| {
        let kustomization = format!(
            "resources: [base]\n{metadata}patches:\n- target: {{kind: Widget}}\n  patch: '[{{\"op\": \"add\", \"path\": \"/size\", \"value\": 1}}]'\n"
        );
        let base = "resources: [widget.yaml]\ntransformers:\n- |\n  apiVersion: builtin\n  kind: ImageTagTransformer\n  metadata: {name: u}\n";
        run(&[
            ("kustomization.yaml", &kustomization),
            ("base/kustomization.yaml", base),
            ("base/widget.yaml", widget),
        ])
        .unwrap()
    };
    assert!(build("").contains("tier: \"1\""));
    assert!(build("buildMetadata: [managedByLabel]\n").contains("tier: \"0x1\""));
}

/// What is added as a text keeps its quotes when a number is written there.
#[test]
fn an_annotation_that_was_added_in_quotes_keeps_them() {
    let replica_set = "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata:\n  name: db\n";
    let base = "resources: [set.yaml]\ncommonAnnotations: {example.org/x: '1'}\n";
    let top = "resources: [base]\ntransformers:\n- |\n  apiVersion: builtin\n  kind: ReplicaCountTransformer\n  metadata: {name: t}\n  replica: {name: db}\n  fieldSpecs: [{path: metadata/annotations/example.org\\/x}]\n";
    let output = run(&[
        ("kustomization.yaml", top),
        ("base/kustomization.yaml", base),
        ("base/set.yaml", replica_set),
    ])
    .unwrap();
    assert_eq!(
        output.matches("example.org/x: \"0\"").count(),
        2,
        "{output}"
    );
}

#[test]
fn a_lost_name_is_told_before_a_var_that_is_there_twice() {
    let files = [
        (
            "kustomization.yaml",
            "resources: [base]\nvars: [{name: WEB}, {name: WEB}]\n",
        ),
        (
            "base/kustomization.yaml",
            "resources: [widget.yaml]\nnamespace: default\npatches:\n- target: {}\n  patch: '[{\"op\": \"remove\", \"path\": \"/metadata/name\"}]'\n",
        ),
        ("base/widget.yaml", WIDGET.1),
    ];
    fails(&files, "number of previous names");
}
