//! Repositories on which the graph and the simulation once differed, each made
//! small. The controllers' source decided who was right.

use serde_json::{Value, json};
use xtask::simulate::plan::Plan;
use xtask::simulate::trial::{Trial, trial};

/// Tries a plan of these components; the graph and all runs must agree.
fn agree(units: Value, more: Value) -> Trial {
    let mut plan = json!({"root": {"name": "flux-system"}, "units": units});
    if let Value::Object(fields) = more {
        for (key, value) in fields {
            plan[key] = value;
        }
    }
    let plan: Plan = serde_json::from_value(plan).expect("a plan");
    let mut last = None;
    for seed in 0..20 {
        let trial = trial(&plan, seed, false).expect("an answer");
        assert!(
            trial.differences.is_empty(),
            "seed {seed}\n{}",
            trial.report
        );
        last = Some(trial);
    }
    last.expect("a trial")
}

fn workload(name: &str, needs: Value) -> Value {
    let named = json!({"kind": "Deployment", "namespace": "default", "name": name});
    json!({"Workload": {"named": named, "needs": needs}})
}

fn secret(namespace: &str, name: &str) -> Value {
    json!({"Plain": {"kind": "Secret", "namespace": namespace, "name": name}})
}

fn needs_secret(name: &str) -> Value {
    json!([{"kind": "Secret", "name": name, "optional": false}])
}

fn custom(group: &str) -> Value {
    json!({"Custom": {"group": group, "namespace": "default"}})
}

fn checks(name: &str) -> Value {
    json!([{"kind": "Deployment", "namespace": "default", "name": name}])
}

/// The health of another component's workload hangs on what its pods need, even
/// where its own component does not wait for it.
#[test]
fn a_health_check_reaches_into_other_components_pods() {
    let units = |from: &str| {
        json!([
            {"name": "checker", "checks": checks("web")},
            {"name": "web", "things": [workload("web", needs_secret("late"))]},
            {"name": "secrets", "things": [secret("default", "late")],
             "depends": [{"namespace": "flux-system", "name": from, "expr": false}]},
        ])
    };
    assert!(!agree(units("checker"), json!({})).converges);
    assert!(agree(units("web"), json!({})).converges);
}

/// Pods of another component take their time to start once it is applied.
#[test]
fn checked_pods_start_after_their_component_is_applied() {
    let trial = agree(
        json!([
            {"name": "checker", "checks": checks("web"), "timeout": 60, "retry": 30},
            {"name": "crds", "things": [{"Crd": "g.example.org"}]},
            {"name": "web", "things": [custom("g.example.org"), workload("web", json!([]))]},
        ]),
        json!({}),
    );
    assert!(trial.converges);
}

/// Pods that wait for a Secret start once it is there, and may then be seen only
/// by a later health check.
#[test]
fn pods_start_after_what_they_need() {
    let trial = agree(
        json!([
            {"name": "web", "wait": true, "timeout": 60, "retry": 120,
             "things": [workload("web", needs_secret("late"))]},
            {"name": "crds", "things": [{"Crd": "g.example.org"}]},
            {"name": "secrets", "things": [custom("g.example.org"), secret("default", "late")]},
        ]),
        json!({}),
    );
    assert!(trial.converges);
}

/// A component that two others apply starts with the first of them: neither is
/// declared to come before it.
#[test]
fn one_of_two_parents_declares_no_order() {
    let trial = agree(
        json!([
            {"name": "early"},
            {"name": "crds", "things": [{"Crd": "g.example.org"}]},
            {"name": "child", "parents": ["early", "crds"], "things": [custom("g.example.org")]},
        ]),
        json!({}),
    );
    assert!(trial.converges);
}

/// Helm makes the namespaces and accounts of a chart before what needs them.
#[test]
fn a_chart_brings_its_own_namespace_and_account() {
    let account = json!({"Plain": {
        "kind": "ServiceAccount", "namespace": "default", "name": "runner",
    }});
    let pod = json!({"Pod": {"namespace": "default", "account": "runner"}});
    let chart = json!([{"Namespace": "own"}, secret("own", "inside"), account, pod]);
    let release = json!([{"name": "release", "release": true, "things": chart}]);
    assert!(agree(release, json!({})).converges);
    // kustomize-controller tries all objects before it makes one.
    let kustomization = json!([{"name": "set", "things": [account, pod]}]);
    assert!(!agree(kustomization, json!({})).converges);
}

/// The API server takes its time to serve the CRD of a chart's templates, too.
#[test]
fn a_charts_crd_is_served_after_a_while() {
    let trial = agree(
        json!([
            {"name": "operator", "release": true, "things": [{"Crd": "g.example.org"}]},
            {"name": "user", "retry": 30, "things": [custom("g.example.org")]},
        ]),
        json!({}),
    );
    assert!(trial.converges);
}

/// What runs in one cluster makes no CRDs in another.
#[test]
fn crds_made_at_run_time_stay_in_their_cluster() {
    let trial = agree(
        json!([
            {"name": "operator", "suspend": true},
            {"name": "remote", "kubeconfig": "elsewhere", "things": [custom("g.example.org")]},
        ]),
        json!({"runtime": [["g.example.org", "flux-system/operator"]]}),
    );
    assert!(!trial.converges);
}

/// A component that goes to another cluster acts as an account of that cluster.
#[test]
fn an_account_belongs_to_the_cluster_of_the_objects() {
    let account = json!({"Plain": {
        "kind": "ServiceAccount", "namespace": "flux-system", "name": "runner",
    }});
    let units = |suspend: bool| {
        json!([
            {"name": "accounts", "suspend": suspend, "release": true, "things": [account]},
            {"name": "remote", "kubeconfig": "elsewhere", "account": "runner"},
        ])
    };
    assert!(agree(units(false), json!({})).converges);
    assert!(!agree(units(true), json!({})).converges);
}

/// Where no file says what bootstraps a cluster, the source that most components
/// name is taken for the root's, and no other is there.
#[test]
fn an_inferred_source_is_the_roots() {
    let source = json!({"kind": "GitRepository", "namespace": "flux-system", "name": "fleet"});
    let trial = agree(
        json!([
            {"name": "a", "source": source},
            {"name": "b", "source": source},
            {"name": "c", "parents": ["a"]},
        ]),
        json!({}),
    );
    assert!(!trial.converges);
}

/// A parent that gives up before its child is ready sees it only at its next try.
#[test]
fn a_parent_may_give_up_before_its_child_is_ready() {
    let trial = agree(
        json!([
            {"name": "parent", "wait": true, "timeout": 30, "retry": 120},
            {"name": "child", "parents": ["parent"], "wait": true, "timeout": 300,
             "things": [workload("web", json!([]))]},
        ]),
        json!({}),
    );
    assert!(trial.converges);
}

/// source-controller tries again with growing pauses when it has no password.
#[test]
fn a_source_without_its_secret_is_tried_again_later_and_later() {
    let named = json!({"kind": "GitRepository", "namespace": "flux-system", "name": "other"});
    let trial = agree(
        json!([
            {"name": "sources", "things": [
                {"Source": {"named": named, "secret": "login", "suspend": false}},
            ]},
            {"name": "crds", "things": [{"Crd": "g.example.org"}]},
            {"name": "secrets", "things": [custom("g.example.org"), secret("flux-system", "login")]},
            {"name": "reader", "source": named},
        ]),
        json!({}),
    );
    assert!(trial.converges);
}

/// kustomize-controller makes classes before the rest is even tried.
#[test]
fn classes_come_before_the_rest() {
    let claim = json!({"Claim": {
        "named": {"kind": "PersistentVolumeClaim", "namespace": "default", "name": "data"},
        "class": "fast",
    }});
    let needs = json!([{"kind": "PersistentVolumeClaim", "name": "data", "optional": false}]);
    let trial = agree(
        json!([
            {"name": "web", "wait": true, "things": [claim, workload("web", needs)]},
            {"name": "classes", "things": [
                {"Class": {"kind": "StorageClass", "name": "fast"}}, custom("g.example.org"),
            ]},
        ]),
        json!({"runtime": [["g.example.org", "flux-system/web"]]}),
    );
    assert!(trial.converges);
}

/// A component that waits is not ready before its own sources and claims work.
#[test]
fn waiting_for_a_source_or_claim_is_waiting_for_its_work() {
    let named = json!({"kind": "OCIRepository", "namespace": "flux-system", "name": "other"});
    let source =
        |suspend: bool| json!({"Source": {"named": named, "secret": "login", "suspend": suspend}});
    let claim = json!({"Claim": {
        "named": {"kind": "PersistentVolumeClaim", "namespace": "default", "name": "data"},
        "class": "fast",
    }});
    let units = |suspend: bool, thing: Value| {
        json!([
            {"name": "waiting", "wait": true, "things": [thing]},
            {"name": "rest", "suspend": suspend, "release": true, "things": [
                secret("flux-system", "login"),
                {"Class": {"kind": "StorageClass", "name": "fast"}},
            ]},
        ])
    };
    assert!(agree(units(false, source(false)), json!({})).converges);
    assert!(!agree(units(false, source(true)), json!({})).converges);
    for thing in [source(false), claim] {
        assert!(!agree(units(true, thing), json!({})).converges);
    }
}

/// A new artifact has no reader reconciled where their dependencies form a circle,
/// even one that a `readyExpr` lets all of them pass.
#[test]
fn readers_in_a_circle_come_at_their_interval() {
    let named = json!({"kind": "GitRepository", "namespace": "flux-system", "name": "late"});
    let source = json!({"Source": {"named": named, "secret": null, "suspend": false}});
    let on_itself = json!([{"namespace": "flux-system", "name": "reader", "expr": true}]);
    let trial = agree(
        json!([
            {"name": "reader", "source": named, "depends": on_itself},
            {"name": "other"},
            {"name": "sources", "things": [source]},
        ]),
        json!({}),
    );
    assert!(trial.converges);
}
