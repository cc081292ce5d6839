//! Behaviours of transformers in whole builds. The expected texts are what
//! kustomize v5.8.1 prints for these inputs.

use kustomize::{Documents, Options, build};
use vfs::{Memory, Tree};
use yaml::Sources;

/// A deployment that most builds begin with.
const WEB: &str = r#"apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - name: main
        image: nginx:1.0
        ports:
        - containerPort: 80
          protocol: TCP
        env:
        - name: A
          value: a
"#;

fn check(files: &[(&str, &str)], expected: &str) {
    let files = files
        .iter()
        .map(|(path, text)| (*path, text.as_bytes().to_vec()));
    let tree = Tree::new(Memory::new(files).unwrap());
    let documents = Documents::new(tree, Sources::new());
    let output = build(&documents, "", &Options::default()).unwrap();
    assert_eq!(output.to_yaml(), expected);
}

#[test]
fn labels_added_together_change_together() {
    check(
        &[
            (
                "base/kustomization.yaml",
                r#"resources: [web.yaml]
commonLabels: {app: old}
"#,
            ),
            ("base/web.yaml", WEB),
            (
                "kustomization.yaml",
                r#"resources: [base]
patches:
- patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web, labels: {app: new}}
"#,
            ),
        ],
        r#"apiVersion: apps/v1
kind: Deployment
metadata:
  labels:
    app: new
  name: web
spec:
  selector:
    matchLabels:
      app: new
  template:
    metadata:
      labels:
        app: new
    spec:
      containers:
      - env:
        - name: A
          value: a
        image: nginx:1.0
        name: main
        ports:
        - containerPort: 80
          protocol: TCP
"#,
    );
}

#[test]
fn null_is_text_for_a_selected_label() {
    check(
        &[
            (
                "kustomization.yaml",
                r#"resources: [web.yaml]
patches:
- target: {kind: Deployment}
  patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: any, labels: {app: null, n: 1}}
"#,
            ),
            ("web.yaml", WEB),
        ],
        r#"apiVersion: apps/v1
kind: Deployment
metadata:
  labels:
    app: "null"
    "n": "1"
  name: web
spec:
  template:
    spec:
      containers:
      - env:
        - name: A
          value: a
        image: nginx:1.0
        name: main
        ports:
        - containerPort: 80
          protocol: TCP
"#,
    );
}

#[test]
fn new_elements_come_first_and_ports_merge_by_two_keys() {
    check(
        &[
            (
                "kustomization.yaml",
                r#"resources: [web.yaml]
patches:
- patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec:
      template:
        spec:
          containers:
          - name: side
            image: side
          - name: main
            env: [{name: B, value: b}, {name: A, $patch: delete}]
            ports: [{containerPort: 80, protocol: UDP}, {containerPort: 80, protocol: TCP, name: http}]
"#,
            ),
            ("web.yaml", WEB),
        ],
        r#"apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - image: side
        name: side
      - env:
        - name: B
          value: b
        image: nginx:1.0
        name: main
        ports:
        - containerPort: 80
          protocol: UDP
        - containerPort: 80
          name: http
          protocol: TCP
"#,
    );
}

#[test]
fn lists_of_unknown_kinds_are_replaced() {
    check(
        &[
            (
                "kustomization.yaml",
                r#"resources: [thing.yaml]
patches:
- patch: |
    apiVersion: example.com/v1
    kind: Thing
    metadata: {name: a}
    spec: {items: [{name: x, v: 2}], keep: null, inner: {apiVersion: v1, kind: Pod, spec: {containers: [{name: c, image: new}]}}}
"#,
            ),
            (
                "thing.yaml",
                r#"apiVersion: example.com/v1
kind: Thing
metadata: {name: a}
spec:
  items: [{name: x, v: 1, w: 1}, {name: y}]
  keep: 1
  empty:
  written: null
  inner: {apiVersion: v1, kind: Pod, spec: {containers: [{name: c, args: [x]}]}}
"#,
            ),
        ],
        r#"apiVersion: example.com/v1
kind: Thing
metadata:
  name: a
spec:
  inner:
    apiVersion: v1
    kind: Pod
    spec:
      containers:
      - args:
        - x
        image: new
        name: c
  items:
  - name: x
    v: 2
  written: null
"#,
    );
}

#[test]
fn json_patches_read_yaml_1_1_and_floats() {
    check(
        &[
            (
                "kustomization.yaml",
                r#"resources: [web.yaml]
patches:
- target: {name: web}
  patch: |
    - {op: add, path: /spec/paused, value: yes}
    - {op: add, path: /spec/replicas, value: 0123}
    - {op: add, path: /metadata/annotations, value: {a.b/c: '004', num: 1000000}}
    - {op: replace, path: /metadata/annotations/a.b~1c, value: on}
    - {op: remove, path: /spec/template/spec/containers/0/ports/-1}
"#,
            ),
            ("web.yaml", WEB),
        ],
        r#"apiVersion: apps/v1
kind: Deployment
metadata:
  annotations:
    a.b/c: "true"
    num: "1e+06"
  name: web
spec:
  paused: true
  replicas: 83
  template:
    spec:
      containers:
      - env:
        - name: A
          value: a
        image: nginx:1.0
        name: main
        ports: []
"#,
    );
}

#[test]
fn images_match_by_regular_expression() {
    check(
        &[
            (
                "kustomization.yaml",
                r#"resources: [web.yaml]
images:
- {name: 'ng.*', newName: r.example:5000/nginx, digest: sha256:ab}
- {name: 'nginx', newTag: never}
"#,
            ),
            ("web.yaml", WEB),
        ],
        r#"apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - env:
        - name: A
          value: a
        image: r.example:5000/nginx@sha256:ab
        name: main
        ports:
        - containerPort: 80
          protocol: TCP
"#,
    );
}

#[test]
fn namespaces_reach_subjects_and_services() {
    check(
        &[
            (
                "kustomization.yaml",
                r#"resources: [all.yaml]
namespace: prod
"#,
            ),
            (
                "all.yaml",
                r#"apiVersion: v1
kind: Namespace
metadata: {name: old}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: b}
subjects: [{kind: ServiceAccount, name: default, namespace: x}, {kind: ServiceAccount, name: other, namespace: x}]
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: r}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.x}
spec: {service: {name: s}}
---
apiVersion: example.com/v1
kind: Thing
metadata: {name: t}
"#,
            ),
        ],
        r#"apiVersion: v1
kind: Namespace
metadata:
  name: prod
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: b
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: r
subjects:
- kind: ServiceAccount
  name: default
  namespace: prod
- kind: ServiceAccount
  name: other
  namespace: x
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata:
  name: v1.x
spec:
  service:
    name: s
    namespace: prod
---
apiVersion: example.com/v1
kind: Thing
metadata:
  name: t
  namespace: prod
"#,
    );
}

#[test]
fn replacements_write_inside_of_text() {
    check(
        &[
            (
                "kustomization.yaml",
                r#"resources: [all.yaml]
replacements:
- source: {kind: Service, name: s, fieldPath: spec.host}
  targets:
  - select: {kind: ConfigMap}
    fieldPaths: ['data.json.db.host', 'data.yaml.db.host', 'data.[a.b].x']
    options: {create: true}
"#,
            ),
            (
                "all.yaml",
                r#"apiVersion: v1
kind: Service
metadata: {name: s}
spec: {host: db.example}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data:
  json: '{"z": 1.0, "db": {"host": "<x>"}}'
  yaml: |
    # the database
    db:
      port: 1 # its port
      host: x
  a.b: 'x: y'
"#,
            ),
        ],
        r#"apiVersion: v1
kind: Service
metadata:
  name: s
spec:
  host: db.example
---
apiVersion: v1
data:
  a.b: 'x: db.example'
  json: '{"db":{"host":"db.example"},"z":1}'
  yaml: |-
    # the database
    db:
      port: 1 # its port
      host: db.example
kind: ConfigMap
metadata:
  name: c
"#,
    );
}

#[test]
fn replacements_split_and_create() {
    check(
        &[
            (
                "kustomization.yaml",
                r#"resources: [web.yaml]
replacements:
- source: {kind: Deployment, fieldPath: 'spec.template.spec.containers.[name=main].image', options: {delimiter: ':', index: 1}}
  targets:
  - select: {kind: Deployment}
    fieldPaths: ['metadata.labels.version', 'spec.template.spec.containers.*.env.[name=V].value']
    options: {create: true}
  - select: {name: web}
    fieldPaths: ['metadata.name']
    options: {delimiter: '-', index: 9}
"#,
            ),
            ("web.yaml", WEB),
        ],
        r#"apiVersion: apps/v1
kind: Deployment
metadata:
  labels:
    version: 1
  name: web-1.0
spec:
  template:
    spec:
      containers:
      - env:
        - name: A
          value: a
        - name: V
          value: 1
        image: nginx:1.0
        name: main
        ports:
        - containerPort: 80
          protocol: TCP
"#,
    );
}

#[test]
fn a_source_that_is_a_target_is_read_again() {
    check(
        &[
            (
                "kustomization.yaml",
                r#"resources: [all.yaml]
replacements:
- source: {kind: Service, name: a}
  targets:
  - select: {kind: Service}
    options: {delimiter: '-', index: 9}
"#,
            ),
            (
                "all.yaml",
                r#"apiVersion: v1
kind: Service
metadata: {name: a}
---
apiVersion: v1
kind: Service
metadata: {name: b}
"#,
            ),
        ],
        r#"apiVersion: v1
kind: Service
metadata:
  name: a-a
---
apiVersion: v1
kind: Service
metadata:
  name: b-a-a
"#,
    );
}

#[test]
fn affixes_and_replicas() {
    check(
        &[
            (
                "kustomization.yaml",
                r#"resources: [web.yaml, crd.yaml]
namePrefix: a-
nameSuffix: -z
replicas: [{name: web, count: 3}]
"#,
            ),
            ("web.yaml", WEB),
            (
                "crd.yaml",
                r#"apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
"#,
            ),
        ],
        r#"apiVersion: apps/v1
kind: Deployment
metadata:
  name: a-web-z
spec:
  replicas: 3
  template:
    spec:
      containers:
      - env:
        - name: A
          value: a
        image: nginx:1.0
        name: main
        ports:
        - containerPort: 80
          protocol: TCP
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.example.com
"#,
    );
}

#[test]
fn label_forms() {
    check(
        &[
            (
                "kustomization.yaml",
                r#"resources: [web.yaml]
labels:
- pairs: {a: '1'}
- pairs: {b: '2'}
  includeTemplates: true
- pairs: {c: '3'}
  includeSelectors: true
- pairs: {d: '4'}
  fields: [{path: spec/extra, create: true, kind: Deployment}]
"#,
            ),
            ("web.yaml", WEB),
        ],
        r#"apiVersion: apps/v1
kind: Deployment
metadata:
  labels:
    a: "1"
    b: "2"
    c: "3"
    d: "4"
  name: web
spec:
  extra:
    d: "4"
  selector:
    matchLabels:
      c: "3"
  template:
    metadata:
      labels:
        b: "2"
        c: "3"
    spec:
      containers:
      - env:
        - name: A
          value: a
        image: nginx:1.0
        name: main
        ports:
        - containerPort: 80
          protocol: TCP
"#,
    );
}

#[test]
fn a_comment_says_how_a_list_merges() {
    check(
        &[
            (
                "kustomization.yaml",
                "resources: [own.yaml]\npatches: [{path: patch.yaml}]\n",
            ),
            (
                "own.yaml",
                r#"apiVersion: example.org/v1
kind: Own
metadata:
  name: a
spec:
  list: # {"type": "array", "x-kubernetes-patch-merge-key": "name", "x-kubernetes-patch-strategy": "merge"}
  - name: x
    v: 1
"#,
            ),
            (
                "patch.yaml",
                "apiVersion: example.org/v1\nkind: Own\nmetadata: {name: a}\nspec: {list: [{name: x, w: 2}]}\n",
            ),
        ],
        "apiVersion: example.org/v1\nkind: Own\nmetadata:\n  name: a\nspec:\n  list:\n  - name: x\n    v: 1\n    w: 2\n",
    );
}

#[test]
fn a_source_without_namespace_counts_as_in_the_default_one() {
    check(
        &[
            (
                "kustomization.yaml",
                r#"resources: [own.yaml]
replacements:
- source: {kind: ClusterRole, name: a, namespace: default, fieldPath: metadata.name}
  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.k]}]
"#,
            ),
            (
                "own.yaml",
                r#"apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: a
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: c
data:
  k: v
"#,
            ),
        ],
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: a\n---\napiVersion: v1\ndata:\n  k: a\nkind: ConfigMap\nmetadata:\n  name: c\n",
    );
}
