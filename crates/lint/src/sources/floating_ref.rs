//! FL-X002: a reference that may mean something else tomorrow.

use ecow::{EcoString, eco_format};
use link::Linked;
use model::{Artifact, Component, Object, Spec};
use yaml::{Node, Span};

use crate::{Evidence, Question, Rule, Severity, Sink};

pub(crate) const RULE: Rule = Rule {
    id: "FL-X002",
    name: "floating-ref",
    severity: Severity::Info,
    evidence: Evidence::Authoritative,
    question: Question::Render,
    summary: "a branch, a version range or a tag that moves",
    check,
};

/// What floats, and how to pin it.
struct Floating {
    what: EcoString,
    span: Span,
    pin: &'static str,
}

fn check(linked: &Linked<'_>, sink: &mut Sink<'_>) {
    let mut seen: Vec<Span> = Vec::new();
    for (at, component) in linked.world.components.iter().enumerate() {
        for object in component.objects() {
            if let Some(floating) = source(linked, object)
                && !seen.contains(&floating.span)
            {
                seen.push(floating.span);
                report(at, Some(object), &floating, sink);
            }
        }
        if let Some(floating) = chart(linked, component)
            && !seen.contains(&floating.span)
        {
            seen.push(floating.span);
            report(at, component.object.as_deref(), &floating, sink);
        }
    }
}

fn report(at: usize, object: Option<&Object>, floating: &Floating, sink: &mut Sink<'_>) {
    let mut report = sink.report([at], floating.what.clone()).at(floating.span);
    if let Some(object) = object {
        report = report.object(&object.identity);
    }
    report
        .detail(
            "what it stands for can change without a commit here, and with it what this run says",
        )
        .help(floating.pin)
        .done();
}

fn source(linked: &Linked<'_>, object: &Object) -> Option<Floating> {
    let identity = &object.identity;
    if identity.group != "source.toolkit.fluxcd.io" || is_this_repository(linked, object) {
        return None;
    }
    match identity.kind.as_str() {
        "GitRepository" => git(object),
        "OCIRepository" => oci(object),
        _ => None,
    }
}

/// Following this repository's own branch is what GitOps is.
fn is_this_repository(linked: &Linked<'_>, object: &Object) -> bool {
    linked.world.sources.iter().any(|(key, artifact, ..)| {
        *artifact == Artifact::Repository
            && key.kind == object.identity.kind
            && key.namespace == object.identity.namespace
            && key.name == object.identity.name
    })
}

fn name(object: &Object) -> EcoString {
    eco_format!(
        "{} `{}/{}`",
        object.identity.kind,
        object.identity.namespace,
        object.identity.name
    )
}

fn git(object: &Object) -> Option<Floating> {
    let spec = object.node.get("spec")?;
    let reference = spec.get("ref");
    let field = |key: &str| text(reference?.get(key)?);
    if field("commit").is_some() || field("tag").is_some() || field("name").is_some_and(is_tag_name)
    {
        return None;
    }
    let name = name(object);
    let what = match (field("semver"), field("branch")) {
        (Some(range), _) => eco_format!("{name} follows the version range `{range}`"),
        (None, Some(branch)) => eco_format!("{name} follows the branch `{branch}`"),
        (None, None) => eco_format!("{name} follows the branch `master`, the default"),
    };
    Some(Floating {
        what,
        span: reference.unwrap_or(spec).span,
        pin: "pin it with `ref.tag` or `ref.commit`",
    })
}

fn is_tag_name(name: &EcoString) -> bool {
    name.starts_with("refs/tags/")
}

fn oci(object: &Object) -> Option<Floating> {
    let spec = object.node.get("spec")?;
    let reference = spec.get("ref");
    let field = |key: &str| text(reference?.get(key)?);
    if field("digest").is_some() {
        return None;
    }
    let name = name(object);
    let what = match (field("semver"), field("tag")) {
        (Some(range), _) => eco_format!("{name} follows the version range `{range}`"),
        (None, Some(tag)) if is_version(tag) => return None,
        (None, Some(tag)) => eco_format!("{name} follows the tag `{tag}`, which can move"),
        (None, None) => eco_format!("{name} follows the tag `latest`, the default"),
    };
    Some(Floating {
        what,
        span: reference.unwrap_or(spec).span,
        pin: "pin it with `ref.digest`, or with the tag of one version",
    })
}

/// The chart version of a release that names its chart itself.
fn chart(linked: &Linked<'_>, component: &Component) -> Option<Floating> {
    let Spec::HelmRelease(spec) = &component.spec else {
        return None;
    };
    let chart = spec.chart.as_ref()?;
    // A chart of a Git tree or bucket is taken as it is, whatever its version.
    let is_repository = spec
        .source
        .as_ref()
        .is_some_and(|source| source.kind == "HelmRepository");
    let version = spec.version.as_deref().unwrap_or("*");
    if !is_repository || is_version(version) || component.object.is_none() {
        return None;
    }
    let key = &component.key;
    let _ = linked;
    let what = match spec.version {
        Some(_) => eco_format!(
            "HelmRelease `{}/{}` takes any version `{version}` of chart `{chart}`",
            key.namespace,
            key.name
        ),
        None => eco_format!(
            "HelmRelease `{}/{}` takes the newest version of chart `{chart}`",
            key.namespace,
            key.name
        ),
    };
    Some(Floating {
        what,
        span: spec.version_span,
        pin: "write one version",
    })
}

/// Whether the text names one version: three numbers, or a digest.
fn is_version(text: &str) -> bool {
    let text = text.trim();
    if text.contains("@sha256:") {
        return true;
    }
    let text = text.strip_prefix('=').map_or(text, str::trim);
    let text = text.strip_prefix('v').unwrap_or(text);
    let core = text.split(['-', '+', '_']).next().unwrap_or_default();
    let parts: Vec<&str> = core.split('.').collect();
    let number = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
    // A commit or a date is as fixed as a version.
    let is_long = |text: &str| text.len() >= 7 && text.chars().all(|c| c.is_ascii_hexdigit());
    (parts.len() >= 3 && parts.iter().all(number)) || is_long(core)
}

fn text(node: &Node) -> Option<&EcoString> {
    node.text()
        .filter(|text| !text.is_empty() && !node.is_null())
}

#[cfg(test)]
mod tests {
    use super::is_version;

    #[test]
    fn one_version_is_pinned_and_a_range_floats() {
        for pinned in [
            "1.2.3",
            "v1.2.3",
            "=1.2.3",
            "1.2.3-rc.1",
            "7.1.4+up2",
            "2024.5.0",
            "4ff35ce",
        ] {
            assert!(is_version(pinned), "{pinned}");
        }
        for floating in [
            "*", "1.x", "1.2", "^1.2.3", "~1.2.3", ">=1.0.0", "x.x.x", "latest", "main", "1.2.*",
        ] {
            assert!(!is_version(floating), "{floating}");
        }
    }
}
