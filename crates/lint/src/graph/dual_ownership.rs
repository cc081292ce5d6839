//! FL-G003: two components render one object.

use std::collections::BTreeMap;
use std::sync::Arc;

use ecow::{EcoString, eco_format};
use link::{Item, Linked, Place, handling};
use model::{Component, Object, Spec};
use rustc_hash::FxHashMap;
use yaml::{Node, Span, Value};

use crate::{Evidence, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-G003",
    name: "dual-ownership",
    severity: Severity::Error,
    evidence: Evidence::Authoritative,
    question: Question::Graph,
    summary: "two components of one cluster render the same object",
    check,
};

/// How many objects of one pair are listed.
const LISTED: usize = 8;

#[derive(PartialEq, Eq, Hash)]
struct Name<'a> {
    cluster: &'a str,
    group: &'a str,
    kind: &'a str,
    namespace: &'a str,
    name: &'a str,
}

struct Owner<'a> {
    component: usize,
    object: &'a Arc<Object>,
}

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    // All clashes of the same components with the same outcome are one mistake.
    let mut clashes: BTreeMap<(Severity, Vec<usize>), Vec<Clash<'_>>> = BTreeMap::new();
    for owners in owners(linked) {
        let clash = Clash::of(owners);
        let components = clash.owners.iter().map(|owner| owner.component).collect();
        clashes
            .entry((clash.severity(linked), components))
            .or_default()
            .push(clash);
    }
    for ((severity, components), mut same) in clashes {
        same.sort_by(|a, b| a.identity().cmp(&b.identity()));
        report(linked, severity, &components, &same, sink);
    }
    for (at, component) in linked.world.components.iter().enumerate() {
        renamed_into_given(linked, at, component, sink);
    }
}

/// A Namespace object that `targetNamespace` gave the name of a namespace which
/// the bootstrap, or Kubernetes, made.
fn renamed_into_given(linked: &Linked<'_>, at: usize, component: &Component, sink: &mut Sink<'_>) {
    let Spec::Kustomization(spec) = &component.spec else {
        return;
    };
    let Some(target) = &spec.target_namespace else {
        return;
    };
    let place = Place {
        cluster: component.cluster.clone(),
        item: Item::Namespace(target.clone()),
    };
    if !linked.given.has_bootstrap(&place) || linked.exports.producers(&place).len() > 1 {
        return;
    }
    let Some(object) = component.objects().iter().find(|object| {
        object.identity.group.is_empty()
            && object.identity.kind == "Namespace"
            && object.identity.name == *target
    }) else {
        return;
    };
    sink.report(
        [at],
        eco_format!(
            "`{}` applies Namespace `{target}`, which exists without it",
            linked.name(at)
        ),
    )
    .at(link::field_span(component, &["spec", "targetNamespace"]))
    .object(&object.identity)
    .detail_at(
        eco_format!(
            "`targetNamespace: {target}` gives this Namespace object, and every other one of the \
             Kustomization, that name"
        ),
        object.node.span,
    )
    .detail("once the object or the Kustomization goes, pruning deletes the live namespace with all in it")
    .help("take the Namespace object out, or set the namespace in the kustomization instead of `targetNamespace`")
    .done();
}

/// Objects that several components render.
fn owners<'a>(linked: &Linked<'a>) -> Vec<Vec<Owner<'a>>> {
    let mut by_name: FxHashMap<Name<'_>, Vec<Owner<'_>>> = FxHashMap::default();
    let ranked = linked.ranked.iter();
    for (at, component) in ranked.filter_map(|at| Some((*at, linked.component(*at)?))) {
        for object in component.objects() {
            let identity = &object.identity;
            let name = Name {
                cluster: &component.cluster,
                group: &identity.group,
                kind: &identity.kind,
                namespace: &identity.namespace,
                name: &identity.name,
            };
            let owners = by_name.entry(name).or_default();
            // Twice in one component is another fault.
            if owners.last().is_none_or(|last| last.component != at) {
                owners.push(Owner {
                    component: at,
                    object,
                });
            }
        }
    }
    by_name.into_values().filter(|o| o.len() > 1).collect()
}

struct Clash<'a> {
    owners: Vec<Owner<'a>>,
    difference: Option<Difference>,
}

#[derive(Clone)]
struct Difference {
    path: EcoString,
    /// Only labels or annotations differ: nothing acts on the object otherwise.
    marks_only: bool,
    first: Span,
    second: Span,
}

impl<'a> Clash<'a> {
    fn of(owners: Vec<Owner<'a>>) -> Self {
        let differences: Vec<Difference> = owners
            .windows(2)
            .filter_map(|pair| match pair {
                [a, b] => object_difference(&a.object.node, &b.object.node),
                _ => None,
            })
            .collect();
        let worst = differences.iter().find(|found| !found.marks_only);
        Clash {
            difference: worst.or(differences.first()).cloned(),
            owners,
        }
    }

    fn identity(&self) -> Option<&model::Identity> {
        self.owners.first().map(|owner| &owner.object.identity)
    }

    fn severity(&self, linked: &Linked<'_>) -> Severity {
        let own = self.owners.iter().filter(|owner| {
            let component = linked.component(owner.component);
            let passive = component.is_some_and(|component| {
                component.suspended || is_left_alone(component, owner.object)
            });
            !handling(owner.object).shared && !passive
        });
        match (own.count(), &self.difference) {
            (0 | 1, _) => Severity::Info,
            (_, Some(found)) if !found.marks_only => Severity::Error,
            _ => Severity::Warning,
        }
    }
}

/// Whether a release leaves an object alone once it is there: definitions of its
/// chart's `crds/`, unless it is told to replace them, and hooks.
fn is_left_alone(component: &Component, object: &Object) -> bool {
    let replaces = |action: &str| {
        let written = component.object.as_ref();
        let policy = written.and_then(|o| o.node.str_at(&["spec", action, "crds"]));
        policy == Some("CreateReplace")
    };
    let definitions = object.template.as_ref().is_some_and(|t| t.definitions);
    (definitions && !replaces("install") && !replaces("upgrade")) || link::is_hook(object)
}

/// The first place at which two objects differ; labels and annotations count
/// last.
fn object_difference(a: &Node, b: &Node) -> Option<Difference> {
    let bare = |object: &Node| {
        let mut object = object.clone();
        if let Some(metadata) = object.get_mut("metadata") {
            metadata.remove("labels");
            metadata.remove("annotations");
            // The API server sets it, whatever is written.
            metadata.remove("creationTimestamp");
        }
        object
    };
    difference(&bare(a), &bare(b), EcoString::new()).or_else(|| {
        difference(a, b, EcoString::new()).map(|found| Difference {
            marks_only: true,
            ..found
        })
    })
}

/// The first place at which two nodes differ. Values nobody can read are not
/// compared.
fn difference(a: &Node, b: &Node, path: EcoString) -> Option<Difference> {
    if a.unknown || b.unknown {
        return None;
    }
    let here = || Difference {
        path: path.clone(),
        marks_only: false,
        first: a.span,
        second: b.span,
    };
    match (&a.value, &b.value) {
        (Value::Mapping(left), Value::Mapping(right)) => {
            for entry in left {
                let key = entry.key.text()?;
                match b.get(key) {
                    None => return Some(at_key(&path, key, entry.value.span, b.span)),
                    Some(other) => {
                        let found = difference(&entry.value, other, joined(&path, key));
                        if found.is_some() {
                            return found;
                        }
                    }
                }
            }
            let extra = right
                .iter()
                .find(|entry| entry.key.text().is_some_and(|key| a.get(key).is_none()))?;
            let key = extra.key.text()?;
            Some(at_key(&path, key, a.span, extra.value.span))
        }
        (Value::Sequence(left), Value::Sequence(right)) if left.len() == right.len() => {
            let pairs = left.iter().zip(right).enumerate();
            let mut found =
                pairs.filter_map(|(at, (a, b))| difference(a, b, eco_format!("{path}[{at}]")));
            found.next()
        }
        _ if a == b => None,
        _ => Some(here()),
    }
}

fn at_key(path: &str, key: &str, first: Span, second: Span) -> Difference {
    Difference {
        path: joined(path, key),
        marks_only: false,
        first,
        second,
    }
}

fn joined(path: &str, key: &str) -> EcoString {
    match path {
        "" => key.into(),
        _ => eco_format!("{path}.{key}"),
    }
}

fn report(
    linked: &Linked<'_>,
    severity: Severity,
    components: &[usize],
    clashes: &[Clash<'_>],
    sink: &mut Sink<'_>,
) {
    let Some((first, identity)) = clashes
        .first()
        .and_then(|clash| Some((clash, clash.identity()?)))
    else {
        return;
    };
    let names: Vec<EcoString> = components.iter().map(|at| linked.name(*at)).collect();
    let all = if components.len() == 2 { "both" } else { "all" };
    let more = match clashes.len() - 1 {
        0 => EcoString::new(),
        more => eco_format!(" and {}", words::count(more, "other object")),
    };
    let how = match (severity, &first.difference) {
        (Severity::Error, _) => ", with different content",
        (Severity::Warning, Some(_)) => ", with different labels or annotations",
        (Severity::Warning, None) => ", with equal content",
        (Severity::Info, _) => ", of which at most one goes on changing it",
    };
    let message = eco_format!(
        "{} {all} apply {}{more}{how}",
        words::list(&names),
        words::object(identity)
    );
    let mut report = sink
        .report(components.iter().copied(), message)
        .severity(severity)
        .object(identity);
    for (at, owner) in first.owners.iter().enumerate() {
        let span = owner.object.node.span;
        if at == 0 {
            report = report.at(span);
        }
        let clause = eco_format!("rendered by `{}`", linked.name(owner.component));
        report = report.detail_of(clause, span, owner.component);
    }
    if let Some(difference) = &first.difference {
        let path = match difference.path.as_str() {
            "" => "the whole object",
            path => path,
        };
        report = report
            .detail_at(
                eco_format!("they differ in `{path}`: here"),
                difference.first,
            )
            .detail_at("and here", difference.second);
    }
    for clash in clashes.iter().skip(1).take(LISTED) {
        if let Some(owner) = clash.owners.first() {
            report = report.detail_at(
                eco_format!("also {}", words::object(&owner.object.identity)),
                owner.object.node.span,
            );
        }
    }
    if let Some(renamed) = renamed(linked, first) {
        report = report.detail_of(renamed.0, renamed.1, renamed.2);
    }
    if severity > Severity::Info && first.difference.is_some() {
        report = report.detail("each reconciliation of one undoes the other's");
    }
    if severity > Severity::Info && components.iter().any(|at| prunes(linked, *at)) {
        report = report.detail(
            "who applied last counts as the owner: whether removing it from one of them deletes it \
             for all depends on timing",
        );
    }
    report
        .help("keep it in one of them; where both must name it, let only one have the fields that matter and mark the other with `kustomize.toolkit.fluxcd.io/ssa: IfNotPresent`")
        .done();
}

fn prunes(linked: &Linked<'_>, component: usize) -> bool {
    linked
        .component(component)
        .is_some_and(|component| match &component.spec {
            Spec::Kustomization(spec) => spec.prune,
            Spec::HelmRelease(_) => true,
        })
}

/// A Namespace object that `targetNamespace` gave its name.
fn renamed(linked: &Linked<'_>, clash: &Clash<'_>) -> Option<(EcoString, Span, usize)> {
    clash.owners.iter().find_map(|owner| {
        let identity = &owner.object.identity;
        let component = linked.component(owner.component)?;
        let Spec::Kustomization(spec) = &component.spec else {
            return None;
        };
        let target = spec.target_namespace.as_ref()?;
        let is_namespace = identity.group.is_empty() && identity.kind == "Namespace";
        (is_namespace && identity.name == *target).then(|| {
            let span = link::field_span(component, &["spec", "targetNamespace"]);
            let clause = eco_format!(
                "`targetNamespace: {target}` of `{}` gives every Namespace object it applies this name: \
                 when it goes, so does the namespace",
                linked.name(owner.component)
            );
            (clause, span, owner.component)
        })
    })
}
