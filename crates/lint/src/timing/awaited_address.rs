//! FL-T012: a release that waits for the address of a load balancer.

use ecow::eco_format;
use link::{Linked, field_span};
use model::{Component, HelmReleaseSpec, Identity, Object, Spec};
use yaml::Node;

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-T012",
    name: "awaited-address",
    severity: Severity::Info,
    evidence: Evidence::Advice,
    question: Question::Timing,
    summary: "a release waits for the address of a load balancer, and nothing in the repository gives one",
    check,
};

/// What the programs that give addresses in clusters without a cloud are
/// configured with.
const POOLS: [(&str, &str); 4] = [
    ("metallb.io", "IPAddressPool"),
    ("cilium.io", "CiliumLoadBalancerIPPool"),
    ("purelb.io", "ServiceGroup"),
    ("loxilb.io", "LoxiLB"),
];

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    let components = || linked.world.components.iter();
    // What is not rendered may give addresses.
    if components().any(|component| !component.is_rendered() && !component.suspended)
        || components().any(|component| component.objects().iter().any(|object| is_pool(object)))
    {
        return;
    }
    for (at, component) in components().enumerate() {
        let Spec::HelmRelease(spec) = &component.spec else {
            continue;
        };
        if component.suspended || !waits_for_addresses(linked, component, spec) {
            continue;
        }
        let services = component
            .objects()
            .iter()
            .filter(|object| needs_address(object));
        for service in services {
            let message = eco_format!(
                "`{}` is ready only when {} has an address, and nothing in this repository gives \
                 one: without, it fails after {}",
                linked.name(at),
                words::object(&service.identity),
                words::duration(spec.effective_timeout())
            );
            sink.report([at], message)
                .object(&service.identity)
                .at(field_span(component, &["spec", "chart", "spec", "chart"]))
                .help(
                    "if neither the cloud nor the cluster's own network gives addresses: use another type of Service, \
                     or set `waitStrategy.name: poller` (Flux 2.8 and later), which does not wait for them",
                )
                .done();
        }
    }
}

/// Helm 3's way of waiting asks for an address, that of Flux's own health checks,
/// the default since Flux 2.8, does not.
fn waits_for_addresses(linked: &Linked<'_>, component: &Component, spec: &HelmReleaseSpec) -> bool {
    let object = component.object.as_ref();
    let strategy = object.and_then(|object| object.node.str_at(&["spec", "waitStrategy", "name"]));
    let is_legacy = match strategy {
        Some(strategy) => strategy == "legacy",
        None => !linked.is_flux_since(2, 8),
    };
    is_legacy && !spec.disable_wait
}

fn needs_address(object: &Object) -> bool {
    let Identity { group, kind, .. } = &object.identity;
    let text = |field: &str| object.node.str_at(&["spec", field]);
    let has_own = object
        .node
        .path(&["spec", "externalIPs"])
        .is_some_and(|addresses| !Node::items(addresses).is_empty());
    group.is_empty()
        && kind == "Service"
        && text("type") == Some("LoadBalancer")
        && text("loadBalancerClass").is_none()
        && !has_own
}

fn is_pool(object: &Object) -> bool {
    let Identity { group, kind, .. } = &object.identity;
    POOLS.contains(&(group.as_str(), kind.as_str()))
}
