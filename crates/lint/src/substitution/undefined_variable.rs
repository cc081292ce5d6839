//! FL-S001: a variable without a default has no definition.

use std::collections::BTreeMap;

use ecow::{EcoString, eco_format};
use link::{Item, Linked, Supply};
use model::{Component, Identity, Problem, Spec};
use yaml::{Node, Span};

use crate::suggest::nearest;
use crate::{Evidence, External, Question, Rule, Severity, Sink, words};

pub(crate) const RULE: Rule = Rule {
    id: "FL-S001",
    name: "undefined-variable",
    severity: Severity::Error,
    evidence: Evidence::Authoritative,
    question: Question::Render,
    summary: "a variable without a default has no definition",
    check,
};

/// How many uses of one variable are listed.
const LISTED: usize = 6;

struct Use<'a> {
    object: &'a Identity,
    span: Span,
    strict: bool,
}

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    for (at, component) in linked.world.components.iter().enumerate() {
        let mut variables: BTreeMap<&EcoString, Vec<Use<'_>>> = BTreeMap::new();
        for problem in &component.problems {
            if let Problem::UndefinedVariable {
                name,
                object,
                span,
                strict,
            } = problem
            {
                variables.entry(name).or_default().push(Use {
                    object,
                    span: *span,
                    strict: *strict,
                });
            }
        }
        for (name, uses) in variables {
            report(linked, at, component, name, &uses, sink);
        }
        for problem in &component.problems {
            default_in_definition(linked, at, problem, sink);
        }
    }
}

fn report(
    linked: &Linked<'_>,
    at: usize,
    component: &Component,
    variable: &str,
    uses: &[Use<'_>],
    sink: &mut Sink<'_>,
) {
    let Some(first) = uses.first() else { return };
    let name = linked.name(at);
    let more = match uses.len() - 1 {
        0 => EcoString::new(),
        more => eco_format!(" and in {}", words::count(more, "other place")),
    };
    let message = eco_format!(
        "variable `${{{variable}}}` in {}{more} has no definition for `{name}`",
        words::object(first.object)
    );
    let blanked = uses.iter().find_map(|one| blanked(component, one));
    let (severity, effect) = match (first.strict, &blanked) {
        (true, _) => (
            Severity::Error,
            eco_format!(
                "Flux {} fails the whole component on it; what was applied before keeps running",
                linked.world.flux_version
            ),
        ),
        (false, Some(why)) => (Severity::Error, why.clone()),
        (false, None) => (Severity::Warning, "the empty string goes in".into()),
    };
    let mut report = sink
        .report([at], message)
        .severity(severity)
        .object(first.object)
        .at(first.span)
        .detail(effect);
    for one in uses.iter().skip(1).take(LISTED) {
        report = report.detail_at(
            eco_format!("also in {}", words::object(one.object)),
            one.span,
        );
    }
    for reason in missing_sources(linked, at) {
        report = report.detail_at(reason.0, reason.1);
    }
    let defined = defined(component);
    let near = nearest(variable, defined.iter().map(EcoString::as_str));
    let external = near.is_none().then(|| outside(linked, at, variable));
    let help = match near {
        Some(near) => eco_format!("did you mean `${{{near}}}`?"),
        None => eco_format!(
            "define it in `postBuild`, give it a default (`${{{variable}:-value}}`), or, where the \
             text is not meant for Flux, write `$${{{variable}}}` or mark the object with the \
             annotation `kustomize.toolkit.fluxcd.io/substitute: disabled`"
        ),
    };
    report.help(help).external(external.flatten()).done();
}

/// Where a variable may come from that no file defines: a source that is
/// declared to be outside Git, or an optional one that nothing makes. Of several
/// the first, but a Secret for what is called one.
fn outside(linked: &Linked<'_>, at: usize, variable: &str) -> Option<External> {
    let sources = linked.imports.iter().filter(|import| {
        import.component == at
            && import.cause == link::Cause::Substitute
            && !import.place.item.is_undecided()
            && match linked.supply(import) {
                Supply::Nothing => import.optional,
                Supply::Given => linked.given.is_declared(&import.place),
                _ => false,
            }
    });
    let mut sources: Vec<_> = sources
        .filter_map(|import| match &import.place.item {
            Item::Object {
                kind,
                namespace,
                name,
                ..
            } => Some((kind, namespace, name)),
            _ => None,
        })
        .collect();
    let named_secret = variable.to_ascii_lowercase().contains("secret");
    sources.sort_by_key(|(kind, ..)| named_secret && *kind != "Secret");
    let (kind, namespace, name) = sources.first()?;
    Some(External::Substitution {
        kind: (*kind).clone(),
        namespace: (*namespace).clone(),
        name: (*name).clone(),
        variable: Some(variable.into()),
    })
}

/// A default that goes into the prose of a CRD.
fn default_in_definition(linked: &Linked<'_>, at: usize, problem: &Problem, sink: &mut Sink<'_>) {
    let Problem::DefaultInDefinition {
        expression,
        text,
        object,
        span,
    } = problem
    else {
        return;
    };
    let message = eco_format!(
        "`{expression}` in {} is replaced by `{text}`: `{}` does not define the variable, and its \
         default goes in",
        words::object(object),
        linked.name(at)
    );
    sink.report([at], message)
        .severity(Severity::Warning)
        .object(object)
        .at(*span)
        .detail("the text of a definition comes from somebody else and is hardly meant for Flux")
        .help(
            "mark the object with the annotation `kustomize.toolkit.fluxcd.io/substitute: disabled`",
        )
        .done();
}

/// What the empty string makes invalid: a name, a namespace, a path.
fn blanked(component: &Component, one: &Use<'_>) -> Option<EcoString> {
    for object in component.objects() {
        if object.identity.kind != one.object.kind || object.identity.group != one.object.group {
            continue;
        }
        for (path, what) in [
            (&["metadata", "name"][..], "name"),
            (&["metadata", "namespace"][..], "namespace"),
        ] {
            let Some(node) = object.node.path(path) else {
                continue;
            };
            if !covers(node, one.span) {
                continue;
            }
            let text = node.text().map_or("", EcoString::as_str);
            if !is_name(text) {
                return Some(eco_format!(
                    "the empty string goes in, and `{text}` is no valid {what}"
                ));
            }
        }
    }
    None
}

fn covers(node: &Node, span: Span) -> bool {
    node.span.file == span.file && node.span.start <= span.start && span.end <= node.span.end
}

/// Whether the API server takes it as the name of most objects: a DNS subdomain.
fn is_name(text: &str) -> bool {
    let part = |part: &str| {
        let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        !part.is_empty()
            && !part.starts_with('-')
            && !part.ends_with('-')
            && part.chars().all(inner)
    };
    text.len() <= 253 && text.split('.').all(part)
}

/// Names that `substitute` defines.
fn defined(component: &Component) -> Vec<EcoString> {
    component
        .object
        .as_ref()
        .and_then(|object| object.node.path(&["spec", "postBuild", "substitute"]))
        .map_or(&[][..], Node::entries)
        .iter()
        .filter_map(|entry| entry.key.text().cloned())
        .collect()
}

/// Optional sources that are missing: what only they could define is undefined.
fn missing_sources(linked: &Linked<'_>, at: usize) -> Vec<(EcoString, Span)> {
    let Some(Spec::Kustomization(_)) = linked.component(at).map(|component| &component.spec) else {
        return Vec::new();
    };
    linked
        .imports
        .iter()
        .filter(|import| {
            import.component == at
                && import.optional
                && import.cause == link::Cause::Substitute
                && matches!(linked.supply(import), Supply::Nothing)
        })
        .map(|import| {
            let reason = eco_format!(
                "{} is optional and nothing makes it, so it defines nothing",
                import.place.item
            );
            (reason, import.span)
        })
        .collect()
}
