//! What components need and make, and what only hints at it.

// These tests read examples without what they expect.
#[allow(dead_code)]
mod page;

use config::Config;
use flux::Settings;
use link::{Cause, Hinted, Item, Keys, Linked, Phase, Place, Supply};
use model::{ComponentKey, ComponentKind, Repository};
use page::examples;
use vfs::{Memory, Tree};
use yaml::Sources;

fn render(files: &[(&str, &str)]) -> (Config, Repository) {
    let texts = Sources::new();
    let config = match files.iter().find(|(path, _)| *path == config::FILE_NAME) {
        Some((path, text)) => Config::parse(path, text, &texts).expect("a configuration"),
        None => Config::default(),
    };
    let bytes = files.iter().map(|(path, text)| (*path, text.as_bytes()));
    let tree = Tree::new(Memory::new(bytes).expect("a tree"));
    let mut settings = Settings::from_config(&config);
    settings.entrypoints = vec!["clusters/main".into()];
    let repository = flux::render(tree, texts, &settings, &|_| {});
    (config, repository)
}

fn kustomization(name: &str, more: &str) -> String {
    format!(
        "apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system}}
spec:
  interval: 10m
  path: ./{name}
  prune: true
  sourceRef: {{kind: GitRepository, name: flux-system}}
{more}---
"
    )
}

fn find(linked: &Linked<'_>, name: &str) -> usize {
    let key = ComponentKey {
        kind: ComponentKind::Kustomization,
        namespace: "flux-system".into(),
        name: name.into(),
    };
    linked.find("", &key).expect("a component")
}

fn hints(linked: &Linked<'_>, of: &str) -> Vec<(String, Vec<String>)> {
    let hints = linked.hints(find(linked, of));
    hints
        .map(|hint| {
            let what = match &hint.what {
                Hinted::Group(group) => group.to_string(),
                Hinted::Item(item) => item.to_string(),
            };
            let makers = hint.makers.iter().map(|at| linked.name(*at).to_string());
            (what, makers.collect())
        })
        .collect()
}

#[test]
fn every_import_of_every_page_says_where_it_is_demanded() {
    let mut seen = 0;
    for rule in lint::RULES {
        let page = lint::explain(rule.id).expect("a page");
        for example in examples(page).expect("examples") {
            let files: Vec<(&str, &str)> = example
                .files
                .iter()
                .map(|(path, text)| (path.as_str(), text.as_str()))
                .collect();
            let (config, repository) = render(&files);
            for world in &repository.worlds {
                let linked = Linked::new(world, &config);
                for import in &linked.imports {
                    seen += 1;
                    let is_root = linked
                        .component(import.component)
                        .is_some_and(|component| component.object.is_none());
                    assert!(
                        is_root || !import.span.is_none(),
                        "{} \"{}\": {import:?}",
                        rule.id,
                        example.title
                    );
                }
            }
        }
    }
    assert!(seen > 200, "only {seen} imports");
}

const OPERATOR: &str = "
apiVersion: v1
kind: ServiceAccount
metadata: {name: operator, namespace: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: operator}
rules:
  - apiGroups: [example.org, apps]
    resources: [widgets]
    verbs: [get, watch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: operator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: operator}
subjects: [{kind: ServiceAccount, name: operator, namespace: default}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: operator, namespace: default}
spec:
  selector: {matchLabels: {app: operator}}
  template:
    metadata: {labels: {app: operator}}
    spec:
      serviceAccountName: operator
      imagePullSecrets: [{name: registry}]
      containers:
        - name: operator
          image: registry.example.org/operator:1.0.0
          args: [--database=postgres://database.default.svc.cluster.local:5432/app]
";

const CRD: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
";

const SHARED: &str = "
apiVersion: v1
kind: Secret
metadata: {name: registry, namespace: default}
---
apiVersion: v1
kind: Service
metadata: {name: database, namespace: default}
spec: {ports: [{port: 5432}]}
";

#[test]
fn accounts_addresses_and_pull_secrets_hint_without_demanding() {
    let root = [
        kustomization("operator", "  wait: true\n"),
        kustomization("crds", ""),
        kustomization("shared", ""),
    ]
    .concat();
    let (config, repository) = render(&[
        ("clusters/main/root.yaml", &root),
        ("operator/all.yaml", OPERATOR),
        ("crds/all.yaml", CRD),
        ("shared/all.yaml", SHARED),
    ]);
    let linked = Linked::new(&repository.worlds[0], &config);
    let found = hints(&linked, "operator");
    let is_hinted = |what: &str, maker: &str| {
        let wanted = (what.to_string(), vec![format!("flux-system/{maker}")]);
        assert!(found.contains(&wanted), "{wanted:?} is not in {found:?}");
    };
    is_hinted("example.org", "crds");
    is_hinted("Secret `default/registry`", "shared");
    is_hinted("Service `default/database`", "shared");
    let operator = find(&linked, "operator");
    let demands = linked.imports.iter().filter(|i| i.component == operator);
    for import in demands {
        assert!(
            !matches!(&import.place.item, Item::Crd { .. }),
            "{import:?}"
        );
        assert_ne!(import.place.item.to_string(), "Secret `default/registry`");
    }
}

#[test]
fn externals_that_nothing_names_are_unused() {
    let config = "
externals:
  namespaces: [shop, nowhere]
  secrets:
    - {namespace: shop, name: token}
    - {namespace: shop, name: forgotten}
";
    let pod = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, namespace: shop}
spec:
  selector: {matchLabels: {app: shop}}
  template:
    metadata: {labels: {app: shop}}
    spec:
      containers:
        - name: shop
          image: registry.example.org/shop:1.0.0
          envFrom: [{secretRef: {name: token}}]
";
    let (config, repository) = render(&[
        (config::FILE_NAME, config),
        ("clusters/main/shop.yaml", pod),
    ]);
    let linked = Linked::new(&repository.worlds[0], &config);
    let unused = linked.unused_externals();
    let unused: Vec<&str> = unused.iter().map(|unused| unused.what.as_str()).collect();
    assert_eq!(unused, ["namespace nowhere", "Secret shop/forgotten"]);
}

#[test]
fn what_is_in_another_cluster_is_another_thing() {
    let root = [
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\n".to_string(),
        kustomization(
            "remote",
            "  serviceAccountName: deployer
  kubeConfig: {secretRef: {name: cluster}}
",
        ),
    ]
    .concat();
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one, namespace: shop}\n";
    let (config, repository) =
        render(&[("clusters/main/root.yaml", &root), ("remote/map.yaml", map)]);
    let linked = Linked::new(&repository.worlds[0], &config);
    let remote = find(&linked, "remote");
    let import = |cause| {
        let mut imports = linked.imports.iter();
        imports
            .find(|import| import.component == remote && import.cause == cause)
            .expect("an import")
    };
    let namespace = import(Cause::Namespace);
    assert_eq!(namespace.place.cluster, "flux-system/cluster");
    assert!(matches!(linked.supply(namespace), Supply::Nothing));
    assert_eq!(
        import(Cause::ServiceAccount).place.cluster,
        "flux-system/cluster"
    );
    assert_eq!(import(Cause::KubeConfig).place.cluster, "");
    assert!(linked.reaches(remote, Phase::Ready));
}

#[test]
fn what_may_be_missing_or_starts_no_pod_needs_nothing() {
    let workload = |kind: &str, more: &str| {
        format!(
            "apiVersion: apps/v1
kind: {kind}
metadata: {{name: shop, namespace: default}}
spec:
  {more}
  selector: {{matchLabels: {{app: shop}}}}
  template:
    metadata: {{labels: {{app: shop}}}}
    spec:
      containers:
        - name: shop
          image: registry.example.org/shop:1.0.0
          envFrom:
            - secretRef: {{name: needed}}
            - secretRef: {{name: maybe, optional: true}}
"
        )
    };
    let needs = |workload: &str| {
        let root = kustomization("apps", "  wait: true\n");
        let (config, repository) = render(&[
            ("clusters/main/root.yaml", &root),
            ("apps/all.yaml", workload),
        ]);
        let linked = Linked::new(&repository.worlds[0], &config);
        let imports = linked.imports.iter();
        let pods = imports.filter(|import| import.cause == Cause::Pod);
        pods.map(|import| import.place.item.to_string())
            .collect::<Vec<_>>()
    };
    let needed = ["Secret `default/needed`"];
    assert_eq!(needs(&workload("Deployment", "replicas: 2")), needed);
    assert_eq!(needs(&workload("Deployment", "replicas: 0")), [""; 0]);
    assert_eq!(needs(&workload("StatefulSet", "serviceName: shop")), needed);
}

const HELD: &str = "
apiVersion: v1
kind: Secret
metadata: {name: plain, namespace: default}
data: {b: Yg==}
stringData: {a: text}
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: fetched, namespace: default}
spec:
  secretStoreRef: {name: vault}
  data: [{secretKey: token, remoteRef: {key: token}}]
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: templated, namespace: default}
spec:
  secretStoreRef: {name: vault}
  target: {template: {data: {url: text}}}
  dataFrom: [{extract: {key: all}}]
---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: all, namespace: default}
spec:
  secretStoreRef: {name: vault}
  dataFrom: [{extract: {key: all}}]
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: web, namespace: default}
spec:
  secretName: web-tls
  issuerRef: {name: internal}
  keystores: {jks: {create: true}}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: default}
spec: {ports: [{name: https, port: 443}, {port: 80}]}
";

#[test]
fn keys_and_ports_are_read_off_what_makes_them() {
    let (config, repository) = render(&[("clusters/main/all.yaml", HELD)]);
    let linked = Linked::new(&repository.worlds[0], &config);
    let place = |kind: &str, name: &str| Place {
        cluster: "".into(),
        item: Item::Object {
            group: "".into(),
            kind: kind.into(),
            namespace: "default".into(),
            name: name.into(),
        },
    };
    let keys = |name: &str| {
        let producers = linked.exports.producers(&place("Secret", name));
        linked.keys(producers.first().expect("a producer"))
    };
    let known = |keys: &[&str]| Keys::Known(keys.iter().map(|key| (*key).into()).collect());
    assert_eq!(keys("plain"), known(&["a", "b"]));
    assert_eq!(keys("fetched"), known(&["token"]));
    assert_eq!(keys("templated"), known(&["url"]));
    assert_eq!(keys("all"), Keys::Open);
    assert!(keys("all").may_hold("anything") && !keys("plain").may_hold("c"));
    let tls = [
        "ca.crt",
        "keystore.jks",
        "tls.crt",
        "tls.key",
        "truststore.jks",
    ];
    assert_eq!(keys("web-tls"), known(&tls));
    let service = linked.exports.producers(&place("Service", "web"));
    let ports = linked.ports(service.first().expect("a Service"));
    let ports: Vec<(Option<&str>, i64)> = ports
        .iter()
        .map(|port| (port.name.as_deref(), port.number))
        .collect();
    assert_eq!(ports, [(Some("https"), 443), (None, 80)]);
}
