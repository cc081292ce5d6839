//! From a run to its JSON document.

use lint::{Detail, Evidence, Finding, Fix, Question, Severity};
use model::{Component, Problem, Spec, State, World};
use yaml::Sources;

use crate::json::*;
use crate::order::{Placed, placed};
use crate::{Judged, Run};

/// The run as one JSON document, ending in a line break.
pub fn json(run: &Run<'_>) -> String {
    let document = Document::of(run);
    // Serialising plain structs of strings and numbers into memory cannot fail.
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

/// The JSON Schema of [`Document`].
pub fn json_schema() -> serde_json::Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
    let generator = settings.into_generator();
    let schema = generator.into_root_schema_for::<Document>();
    schema.to_value()
}

impl Document {
    /// The document of a run.
    pub fn of(run: &Run<'_>) -> Document {
        let texts = &run.repository.texts;
        let worlds = run.repository.worlds.iter().zip(&run.judged);
        Document {
            version: run.version.into(),
            schema_version: SCHEMA_VERSION,
            elapsed_ms: u64::try_from(run.elapsed.as_millis()).unwrap_or(u64::MAX),
            entrypoints: worlds.map(|(w, j)| entrypoint(w, j, texts)).collect(),
            notices: (run.notices.iter())
                .map(|notice| notice_at(&notice.message, notice.span, texts))
                .collect(),
        }
    }
}

fn entrypoint(world: &World, judged: &Judged, texts: &Sources) -> EntrypointResult {
    EntrypointResult {
        entrypoint: directory(&world.entrypoint),
        kube_release: judged.kube_release.as_ref().map(ToString::to_string),
        assumptions: (world.assumptions.iter())
            .map(|assumed| notice_at(&assumed.message, Some(assumed.span), texts))
            .collect(),
        externals: ExternalsResult {
            entries: judged.externals,
            unused: (judged.unused_externals.iter())
                .map(|unused| notice_at(&unused.what, Some(unused.span), texts))
                .collect(),
        },
        findings: (placed(&judged.findings, texts).iter())
            .map(|placed| finding(placed, texts))
            .collect(),
        timing: judged.timing.as_ref().map(timing),
        components: (world.components.iter())
            .map(|component_| component(component_, world))
            .collect(),
    }
}

/// The root directory has no name of its own.
pub(crate) fn directory(path: &str) -> String {
    if path.is_empty() { "." } else { path }.into()
}

fn notice_at(message: &str, span: Option<yaml::Span>, texts: &Sources) -> NoticeResult {
    let location = span.and_then(|span| texts.location(span));
    NoticeResult {
        message: message.into(),
        file: location.as_ref().map(|at| at.file.to_string()),
        line: location.map(|at| at.line),
    }
}

fn finding(placed: &Placed<'_>, texts: &Sources) -> FindingResult {
    let Finding {
        rule,
        name,
        severity,
        evidence,
        source,
        entrypoint,
        components,
        object,
        span: _,
        message,
        details,
        help,
        fix,
        external: _,
    } = placed.finding;
    let components: Vec<String> = components.iter().map(ToString::to_string).collect();
    let location = placed.location.as_ref();
    FindingResult {
        rule: (*rule).into(),
        name: (*name).into(),
        severity: (*severity).into(),
        evidence: (*evidence).into(),
        source: (*source).into(),
        entrypoint: directory(entrypoint),
        component: components.first().cloned().unwrap_or_default(),
        components,
        object: object.as_ref().map(ToString::to_string),
        file: location.map(|at| at.file.to_string()),
        line: location.map(|at| at.line),
        column: location.map(|at| at.column),
        message: message.to_string(),
        detail: details.iter().map(|d| detail(d, texts)).collect(),
        help: help.as_ref().map(ToString::to_string),
        fix: fix.iter().filter_map(|f| fix_of(f, texts)).collect(),
        existing: None,
    }
}

fn detail(detail: &Detail, texts: &Sources) -> DetailResult {
    let location = detail.span.and_then(|span| texts.location(span));
    DetailResult {
        message: detail.message.to_string(),
        file: location.as_ref().map(|at| at.file.to_string()),
        line: location.map(|at| at.line),
        component: detail.component.as_ref().map(ToString::to_string),
    }
}

fn fix_of(fix: &Fix, texts: &Sources) -> Option<FixResult> {
    let location = texts.location(fix.span)?;
    Some(FixResult {
        file: location.file.to_string(),
        start: location.span.start,
        end: location.span.end,
        text: fix.text.to_string(),
    })
}

pub(crate) fn timing(timing: &link::Timing) -> TimingResult {
    TimingResult {
        complete: timing.complete,
        bound: timing.bound,
        best: timing.best,
        critical_path: (timing.chain.iter())
            .map(|step| PathStepResult {
                event: step.event.to_string(),
                at: step.at,
                added: step.added,
                reason: step.reason.to_string(),
            })
            .collect(),
        events: (timing.events.iter())
            .map(|window| EventResult {
                event: window.event.to_string(),
                earliest: window.earliest,
                latest: window.latest,
                slack: window.slack,
            })
            .collect(),
    }
}

fn component(component: &Component, world: &World) -> ComponentResult {
    let parent = component.parents.first();
    let parent = parent.and_then(|index| world.components.get(*index));
    let (path, mode) = match &component.spec {
        Spec::Kustomization(spec) => (Some(spec.path.to_string()), "kustomize"),
        Spec::HelmRelease(_) => (None, "helm"),
    };
    let source = component.source.as_ref();
    ComponentResult {
        component: component.key.to_string(),
        parent: parent.map(|parent| parent.key.to_string()),
        cluster: Some(component.cluster.to_string()).filter(|cluster| !cluster.is_empty()),
        source: source.map(|s| format!("{}/{}/{}", s.kind, s.namespace, s.name)),
        path,
        render_mode: component.is_rendered().then(|| mode.into()),
        suspended: component.suspended,
        rendered: component.is_rendered(),
        objects: component.objects().len(),
        not_rendered: match &component.state {
            State::Opaque(reason) | State::Partial(_, reason) => Some(reason.to_string()),
            _ => None,
        },
        error: match &component.state {
            State::Failed(_) => Some(failure(component)),
            _ => None,
        },
    }
}

/// Why Flux will fail to render a component, in a line.
fn failure(component: &Component) -> String {
    let cause = component.problems.iter().find_map(|problem| match problem {
        Problem::PathMissing { path, .. } => Some(format!("{path}: no such directory")),
        Problem::Build { message, .. } => Some(message.to_string()),
        Problem::UndefinedVariable { name, strict, .. } => {
            strict.then(|| format!("variable not set: {name}"))
        }
        Problem::MissingSubstituteSource { reference } => {
            Some(format!("{} {} not found", reference.kind, reference.name))
        }
        Problem::UnsupportedExpression { message, .. }
        | Problem::SubstitutedTextInvalid { message, .. } => Some(message.to_string()),
        Problem::InvalidVariableName { name, .. } => Some(format!("`{name}` is no variable name")),
        Problem::EncryptedWithoutDecryption { object, .. } => Some(format!("{object}: encrypted")),
        _ => None,
    });
    cause.unwrap_or_else(|| "rendering failed".into())
}

impl From<Severity> for SeverityName {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Error => SeverityName::Error,
            Severity::Warning => SeverityName::Warning,
            Severity::Info => SeverityName::Info,
        }
    }
}

impl From<Evidence> for EvidenceName {
    fn from(evidence: Evidence) -> Self {
        match evidence {
            Evidence::Authoritative => EvidenceName::Authoritative,
            Evidence::Heuristic => EvidenceName::Heuristic,
            Evidence::Advice => EvidenceName::Advice,
        }
    }
}

impl From<Question> for SourceName {
    fn from(source: Question) -> Self {
        match source {
            Question::Graph => SourceName::Graph,
            Question::Render => SourceName::Render,
            Question::CoreSchema => SourceName::CoreSchema,
            Question::Crd => SourceName::Crd,
            Question::Catalog => SourceName::Catalog,
            Question::Policy => SourceName::Policy,
            Question::Timing => SourceName::Timing,
        }
    }
}
