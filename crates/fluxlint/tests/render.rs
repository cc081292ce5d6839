//! `fluxlint render`: what Flux would apply.

mod common;

use common::fluxlint;
use snapbox::str;

fn render(args: &[&str]) -> snapbox::cmd::Command {
    let mut all = vec!["render", "--repo", "examples/platform"];
    all.extend(args);
    fluxlint(&all)
}

#[test]
fn one_component_of_one_cluster() {
    render(&[
        "flux-system/infra-configs",
        "--entrypoint",
        "clusters/staging",
    ])
    .assert()
    .success()
    .stderr_eq("")
    .stdout_eq(str![[r#"
# component: flux-system/infra-configs
apiVersion: cert-manager.io/v1
kind: ClusterIssuer
metadata:
  name: letsencrypt
spec:
  acme:
    email: platform@example.org
    privateKeySecretRef:
      name: letsencrypt-account
    server: https://acme-staging-v02.api.letsencrypt.org/directory
    solvers:
    - http01:
        ingress:
          ingressClassName: nginx
---
apiVersion: platform.example.org/v1
kind: Team
metadata:
  name: shop
spec:
  contact: platform@example.org
  namespaces:
  - storefront
  - status

"#]]);
}

#[test]
fn one_object_as_json() {
    let args = [
        "--format",
        "json",
        "--object",
        "PodDisruptionBudget/storefront/storefront",
    ];
    let output = render(&args).assert().success();
    let list: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!(list["kind"], "List");
    // Only production is resilient.
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    assert_eq!(list["items"][0]["spec"]["maxUnavailable"], 1);
}

#[test]
fn everything_names_component_and_entrypoint() {
    let output = render(&[]).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    for entrypoint in ["clusters/production", "clusters/staging"] {
        let line = format!("# component: flux-system/apps, entrypoint: {entrypoint}\n");
        assert!(text.contains(&line));
    }
}

#[test]
fn what_is_not_there_ends_with_2() {
    render(&["apps"])
        .assert()
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: no component is called apps
  help: did you mean flux-system/apps?

"#]]);
    render(&["HelmRelease/status/status-page"])
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: HelmRelease/status/status-page is not rendered
  cause: [..]

"#]]);
    render(&["--object", "Deployment/storefront"])
        .assert()
        .code(2)
        .stderr_eq(str![[r#"
error: no component applies Deployment/storefront
  help: write an object as Kind/namespace/name, or Kind/name without a namespace

"#]]);
}
