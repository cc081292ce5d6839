//! Where findings go.

use config::{Config, Level};
use ecow::{EcoString, eco_format};
use link::Linked;
use model::{ComponentKey, Identity};
use yaml::Span;

use crate::graph::bootstrap_deadlock;
use crate::observed::Observed;
use crate::{Detail, Evidence, External, Finding, Fix, Rule, Severity, words};

/// Takes findings and gives them what all findings of a rule share.
pub struct Sink<'a> {
    linked: &'a Linked<'a>,
    rule: &'static Rule,
    level: Option<Severity>,
    observed: Option<Observed<'a>>,
    findings: Vec<Finding>,
}

impl<'a> Sink<'a> {
    pub(crate) fn new(linked: &'a Linked<'a>, rule: &'static Rule) -> Self {
        Sink {
            linked,
            rule,
            level: severity(linked.config, rule),
            observed: None,
            findings: Vec::new(),
        }
    }

    /// The same for a rule that compares findings with a cluster.
    pub(crate) fn against(self, observed: Observed<'a>) -> Self {
        Sink {
            observed: Some(observed),
            ..self
        }
    }

    /// What a cluster reported, where that is known.
    pub(crate) fn observed(&self) -> Option<Observed<'a>> {
        self.observed
    }

    /// A finding about a component that the repository does not have.
    pub(crate) fn report_key(
        &mut self,
        key: &ComponentKey,
        message: impl Into<EcoString>,
    ) -> Report<'_, 'a> {
        let mut report = self.report([], message);
        report.finding.components.push(key.clone());
        report
    }

    /// A finding about components, the primary one first. It counts once
    /// [`Report::done`] is called.
    pub fn report(
        &mut self,
        components: impl IntoIterator<Item = usize>,
        message: impl Into<EcoString>,
    ) -> Report<'_, 'a> {
        let mut keys: Vec<ComponentKey> = Vec::new();
        for at in components {
            if let Some(component) = self.linked.component(at)
                && !keys.contains(&component.key)
            {
                keys.push(component.key.clone());
            }
        }
        let finding = Finding {
            rule: self.rule.id,
            name: self.rule.name,
            severity: self.rule.severity,
            evidence: self.rule.evidence,
            source: self.rule.question,
            entrypoint: self.linked.world.entrypoint.clone(),
            components: keys,
            object: None,
            span: None,
            message: message.into(),
            details: Vec::new(),
            help: None,
            fix: Vec::new(),
            external: None,
        };
        Report {
            sink: self,
            finding,
        }
    }

    pub(crate) fn into_findings(self) -> Vec<Finding> {
        self.findings
    }
}

/// What the configuration makes of a rule's findings; `None` for their own
/// severity.
fn severity(config: &Config, rule: &Rule) -> Option<Severity> {
    match config.rules.level(rule.id, rule.name)? {
        Level::Error => Some(Severity::Error),
        Level::Warning => Some(Severity::Warning),
        Level::Info => Some(Severity::Info),
        // A rule that is off does not run.
        Level::Off => None,
    }
}

/// A finding in the making.
#[must_use = "a report counts once `done` is called"]
pub struct Report<'s, 'a> {
    sink: &'s mut Sink<'a>,
    finding: Finding,
}

impl Report<'_, '_> {
    /// Another severity than the rule's.
    pub fn severity(mut self, severity: Severity) -> Self {
        self.finding.severity = severity;
        self
    }

    /// Another evidence class than the rule's.
    pub fn evidence(mut self, evidence: Evidence) -> Self {
        self.finding.evidence = evidence;
        self
    }

    /// The place of the value that causes it.
    pub fn at(mut self, span: Span) -> Self {
        self.finding.span = Some(span).filter(|span| !span.is_none());
        self
    }

    /// The object it is about.
    pub fn object(mut self, identity: &Identity) -> Self {
        self.finding.object = Some(identity.clone());
        self
    }

    /// A reason.
    pub fn detail(self, message: impl Into<EcoString>) -> Self {
        self.push(message.into(), None, None)
    }

    /// A reason with its place.
    pub fn detail_at(self, message: impl Into<EcoString>, span: Span) -> Self {
        self.push(message.into(), Some(span), None)
    }

    /// A reason about a component, with its place.
    pub fn detail_of(self, message: impl Into<EcoString>, span: Span, component: usize) -> Self {
        self.push(message.into(), Some(span), Some(component))
    }

    fn push(mut self, message: EcoString, span: Option<Span>, component: Option<usize>) -> Self {
        let component = component.and_then(|at| self.sink.linked.component(at));
        self.finding.details.push(Detail {
            message,
            span: span.filter(|span| !span.is_none()),
            component: component.map(|component| component.key.clone()),
        });
        self
    }

    /// What to do.
    pub fn help(mut self, message: impl Into<EcoString>) -> Self {
        self.finding.help = Some(message.into());
        self
    }

    /// An edit that does it.
    pub fn fix(mut self, span: Span, text: impl Into<EcoString>) -> Self {
        if !span.is_none() {
            self.finding.fix.push(Fix {
                span,
                text: text.into(),
            });
        }
        self
    }

    /// The entry of `externals` that answers it where what is missing is made
    /// outside Git.
    pub fn external(mut self, external: Option<External>) -> Self {
        self.finding.external = external;
        self
    }

    /// While components that might make what an import names could not be
    /// rendered, an error is a warning, and says so. Those that come too late
    /// for it change nothing.
    pub fn unless_made(self, imports: &[usize]) -> Self {
        let linked = self.sink.linked;
        let (mut suspects, mut late) = (Vec::new(), Vec::new());
        for import in imports {
            let (may, cannot) = linked.doubts(*import);
            suspects.extend(may);
            late.extend(cannot);
        }
        let report = self.late(&distinct(late), imports);
        let suspects = distinct(suspects);
        if suspects.is_empty() {
            return report;
        }
        let plural = if suspects.len() == 1 { "is" } else { "are" };
        let lowered = report.finding.severity.min(Severity::Warning);
        let names = words::components(linked, &suspects);
        report.severity(lowered).push(
            eco_format!("not certain: {names} {plural} not rendered here and may make it"),
            only(linked, &suspects),
            None,
        )
    }

    /// Where they are only too late because of a deadlock that is told for its own
    /// sake, that is the error.
    fn late(self, late: &[usize], imports: &[usize]) -> Self {
        if late.is_empty() {
            return self;
        }
        let linked = self.sink.linked;
        if imports.iter().all(|at| is_told_as_deadlock(linked, *at)) {
            let names = words::components(linked, late);
            let (are, wait) = match late.len() {
                1 => ("is", "is part"),
                _ => ("are", "are part"),
            };
            let lowered = self.finding.severity.min(Severity::Warning);
            return self.severity(lowered).push(
                eco_format!(
                    "not certain: {names} {are} not rendered here and may make it, but {wait} of a \
                     deadlock (FL-G002)"
                ),
                only(linked, late),
                None,
            );
        }
        let names = words::components(linked, late);
        let (are, come, wait) = match late.len() {
            1 => ("is", "comes", "it waits"),
            _ => ("are", "come", "they wait"),
        };
        self.push(
            eco_format!(
                "{names} {are} not rendered here, but {come} too late to make it: {wait} for this"
            ),
            only(linked, late),
            None,
        )
    }

    /// Hands the finding in.
    pub fn done(self) {
        let made = self.made();
        let mut finding = self.finding;
        finding.details.extend(made);
        if let Some(level) = self.sink.level {
            finding.severity = level;
        }
        self.sink.findings.push(finding);
    }
}

impl Report<'_, '_> {
    /// What a chart made has no line of its own: the release's stands for it, and
    /// this says which template it is.
    fn made(&self) -> Option<Detail> {
        let (key, wanted) = (
            self.finding.components.first()?,
            self.finding.object.as_ref()?,
        );
        let mut components = self.sink.linked.world.components.iter();
        let component = components.find(|component| component.key == *key)?;
        let mut objects = component.objects().iter();
        let object = objects.find(|object| object.identity == *wanted)?;
        let template = object.template.as_ref()?;
        let told = |detail: &Detail| detail.message.contains(template.path.as_str());
        let message = eco_format!(
            "rendered from `{}` of chart `{}`",
            template.path,
            template.chart
        );
        (!self.finding.details.iter().any(told)).then_some(Detail {
            message,
            span: None,
            component: Some(key.clone()),
        })
    }
}

/// Whether all who could make what an import names come too late only for a
/// deadlock that has other reasons.
fn is_told_as_deadlock(linked: &Linked<'_>, import: usize) -> bool {
    let Some(place) = linked.imports.get(import).map(|import| &import.place) else {
        return false;
    };
    let is_of = |late: &usize| {
        let late = linked.imports.get(*late);
        late.is_some_and(|late| late.place == *place)
    };
    let mut of = linked
        .deadlocks
        .iter()
        .filter(|deadlock| deadlock.too_late.iter().any(is_of))
        .peekable();
    of.peek().is_some()
        && of.all(|deadlock| !bootstrap_deadlock::is_told_elsewhere(linked, deadlock))
}

fn distinct(mut components: Vec<usize>) -> Vec<usize> {
    components.sort_unstable();
    components.dedup();
    components
}

/// The place of the only component of a list.
fn only(linked: &Linked<'_>, components: &[usize]) -> Option<Span> {
    match components {
        [one] => linked.component(*one).map(model::Component::span),
        _ => None,
    }
}
