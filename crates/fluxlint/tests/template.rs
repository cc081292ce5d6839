//! `fluxlint template`, a drop-in for `helm template`.

mod common;

use std::path::{Path, PathBuf};

use base64::Engine as _;
use common::{fluxlint, root, tree};
use serde_json::Value;
use snapbox::str;

fn shop() -> tempfile::TempDir {
    tree(&[
        (
            "shop/Chart.yaml",
            "apiVersion: v2\nname: shop\nversion: 1.2.3\n",
        ),
        ("shop/values.yaml", "replicas: 1\nlist: [a]\n"),
        (
            "shop/templates/deployment.yaml",
            "kind: Deployment\nmetadata:\n  name: {{ .Release.Name }}\n  namespace: {{ \
             .Release.Namespace }}\nspec:\n  replicas: {{ .Values.replicas }}\n",
        ),
        (
            "shop/templates/map.yaml",
            "{{- if .Capabilities.APIVersions.Has \"x.io/v1\" }}\nkind: ConfigMap\ndata:\n  list: \
             {{ .Values.list | toJson }}\n{{- end }}\n",
        ),
        (
            "shop/templates/test.yaml",
            "kind: Pod\nmetadata:\n  name: t\n  annotations:\n    helm.sh/hook: test\n",
        ),
        ("shop/crds/crd.yaml", "kind: CustomResourceDefinition\n"),
        (
            "broken/Chart.yaml",
            "apiVersion: v2\nname: broken\nversion: 1.0.0\n",
        ),
        ("broken/templates/x.yaml", "a: {{ .Values.a.b }}\n"),
        ("more.yaml", "replicas: 3\n"),
    ])
}

fn template(dir: &tempfile::TempDir, args: &[&str]) -> snapbox::cmd::Command {
    fluxlint(&["template"])
        .args(args)
        .current_dir(dir.path())
        .env_remove("HELM_NAMESPACE")
        .env_remove("HELM_DEBUG")
}

#[test]
fn manifests_come_before_hooks() {
    template(&shop(), &["shop", "--include-crds", "-f", "more.yaml"])
        .assert()
        .success()
        .stderr_eq("")
        .stdout_eq(str![[r#"
---
# Source: shop/crds/crd.yaml
kind: CustomResourceDefinition

---
# Source: shop/templates/deployment.yaml
kind: Deployment
metadata:
  name: release-name
  namespace: default
spec:
  replicas: 3
---
# Source: shop/templates/test.yaml
kind: Pod
metadata:
  name: t
  annotations:
    helm.sh/hook: test


"#]]);
}

#[test]
fn flags_say_what_templates_see() {
    let args = [
        "web",
        "shop",
        "-n",
        "shop",
        "--set",
        "replicas=5,list={b}",
        "-a",
        "x.io/v1",
        "--skip-tests",
    ];
    template(&shop(), &args)
        .assert()
        .success()
        .stdout_eq(str![[r#"
---
# Source: shop/templates/map.yaml
kind: ConfigMap
data:
  list: ["b"]

---
# Source: shop/templates/deployment.yaml
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 5

"#]]);
}

#[test]
fn one_template_is_shown() {
    let dir = shop();
    template(&dir, &["shop", "-s", "templates/dep*.yaml"])
        .assert()
        .success()
        .stdout_eq(str![[r#"
---
# Source: shop/templates/deployment.yaml
kind: Deployment
metadata:
  name: release-name
  namespace: default
spec:
  replicas: 1

"#]]);
    template(&dir, &["shop", "-s", "templates/x.yaml"])
        .assert()
        .code(1)
        .stderr_eq(str![[r#"
Error: could not find template templates/x.yaml in chart

"#]]);
}

#[test]
fn files_are_written_below_a_directory() {
    let dir = shop();
    template(&dir, &["shop", "--output-dir", "out", "--release-name"])
        .assert()
        .success();
    let written = |name: &str| {
        let path = dir
            .path()
            .join("out/release-name/shop/templates")
            .join(name);
        std::fs::read_to_string(path).unwrap()
    };
    assert!(
        written("deployment.yaml").starts_with("---\n# Source: shop/templates/deployment.yaml\n")
    );
    assert!(written("test.yaml").contains("kind: Pod"));
}

#[test]
fn errors_are_helms() {
    let dir = shop();
    template(&dir, &["broken"])
        .assert()
        .code(1)
        .stderr_eq(str![[r#"
Error: broken/templates/x.yaml:1:13
  executing "broken/templates/x.yaml" at <.Values.a.b>:
    nil pointer evaluating interface {}.b

Use --debug flag to render out invalid YAML

"#]]);
    template(&dir, &["A", "shop"]).assert().code(1);
    template(&dir, &["./nothing"])
        .assert()
        .code(1)
        .stderr_eq("Error: path \"./nothing\" not found\n");
    template(&dir, &["shop", "--validate"])
        .assert()
        .code(1)
        .stderr_eq(str![[r#"
error: --validate cannot be used here
  cause: it asks a cluster

"#]]);
}

/// Upstream's charts and rows.
fn vectors() -> Option<PathBuf> {
    let shared = std::env::var_os("FLUXLINT_SHARED").map(PathBuf::from);
    let vectors = shared.unwrap_or_else(|| root().join("../shared"));
    let vectors = vectors.join("conformance");
    vectors.is_dir().then_some(vectors)
}

#[test]
fn outputs_are_helms() {
    let Some(vectors) = vectors() else {
        println!("skipped: no corpus");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    unpack(&vectors, dir.path());
    let rows = std::fs::read_to_string(vectors.join("helm_template_goldens.jsonl")).unwrap();
    let mut count = 0;
    for row in rows.lines() {
        let row: Value = serde_json::from_str(row).unwrap();
        golden(&row, dir.path());
        count += 1;
    }
    assert_eq!(count, 24);
}

fn unpack(vectors: &Path, to: &Path) {
    let charts = std::fs::read(vectors.join("helm_testcharts.json")).unwrap();
    let charts: Value = serde_json::from_slice(&charts).unwrap();
    for (path, file) in charts.as_object().unwrap() {
        let path = to.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let bytes = match file["text"].as_str() {
            Some(text) => text.as_bytes().to_vec(),
            None => base64::engine::general_purpose::STANDARD
                .decode(file["base64"].as_str().unwrap())
                .unwrap(),
        };
        std::fs::write(path, bytes).unwrap();
    }
}

/// A row names the command and what it prints, errors at the end. Helm's own
/// tests run with an older Kubernetes as the default.
fn golden(row: &Value, dir: &Path) {
    let text = |name: &str| row[name].as_str().unwrap();
    let mut words = words(text("cmd"));
    if words.len() > 1 && !words.iter().any(|word| word == "--kube-version") {
        words.extend(["--kube-version".to_owned(), "1.20.0".to_owned()]);
    }
    let output = fluxlint(&[])
        .args(&words)
        .current_dir(dir.join("pkg/cmd"))
        .env_remove("HELM_NAMESPACE")
        .env_remove("HELM_DEBUG")
        .output()
        .unwrap();
    let printed = [output.stdout, output.stderr].concat();
    let printed = String::from_utf8(printed).unwrap();
    let printed = printed.replace("fluxlint template", "helm template");
    assert_eq!(printed, text("expected"), "{}", text("name"));
    let failed = row["want_error"].as_bool().unwrap();
    assert_eq!(!output.status.success(), failed, "{}", text("name"));
}

/// Words of a command line; single quotes keep them together.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}
