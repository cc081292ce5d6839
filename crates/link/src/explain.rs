//! Waits in words.

use ecow::{EcoString, eco_format};
use model::ComponentKind;
use schedule::{Graph, Link};
use yaml::Span;

use crate::{Cause, Event, Explained, How, Import, Item, Linked, Phase, Reason, Why};

impl Linked<'_> {
    /// Why a need waits for one of its producers, in a clause.
    pub fn explain(&self, link: Link) -> Option<Explained> {
        self.explain_in(&self.graph, link)
    }

    /// The same of another graph of this world.
    pub(crate) fn explain_in(&self, graph: &Graph<Event, Reason>, link: Link) -> Option<Explained> {
        let (need, producer) = graph.link(link)?;
        let component = |event| graph.key(event)?.component();
        let waiting = component(need.event).map(|(at, _)| at);
        let on = component(producer.event).map(|(at, _)| at);
        let (needy, maker) = (
            waiting.map(|at| self.name(at)).unwrap_or_default(),
            on.map(|at| self.name(at)).unwrap_or_default(),
        );
        let reason = &producer.reason;
        let import = reason.import.and_then(|at| self.imports.get(at));
        let message = match (reason.why, import) {
            (Why::Import, Some(import)) => {
                self.import_clause(import, waiting, reason, component(producer.event))
            }
            (Why::HealthCheck, Some(import)) if reason.made.is_some() => {
                self.import_clause(import, waiting, reason, component(producer.event))
            }
            (Why::Likely, Some(import)) => eco_format!(
                "{}, which `{maker}`, by its name, installs",
                self.demand(import)
            ),
            (why, import) => {
                let phase = component(need.event).map(|(_, phase)| phase);
                declared_clause(why, import, &needy, &maker, phase)
            }
        };
        Some(Explained {
            message,
            span: Some(reason.span).filter(|span| !span.is_none()),
            made: reason.made.filter(|span| !span.is_none()),
            component: waiting,
        })
    }

    fn import_clause(
        &self,
        import: &Import,
        waiting: Option<usize>,
        reason: &Reason,
        maker: Option<(usize, Phase)>,
    ) -> EcoString {
        let demand = self.demand(import);
        match maker {
            Some((at, _)) if waiting == Some(at) => {
                eco_format!("{demand}, which it makes itself, in the same step")
            }
            Some((at, Phase::Ready)) => {
                eco_format!("{demand}, which `{}` makes once it runs", self.name(at))
            }
            Some((at, _)) => {
                let how = self.how(import, at, reason.made);
                eco_format!("{demand}, which `{}` {how}", self.name(at))
            }
            None => eco_format!("{demand}, which nothing rendered here makes"),
        }
    }

    /// The verb for how a component makes what is imported.
    fn how(&self, import: &Import, maker: usize, made: Option<Span>) -> EcoString {
        let exports = self.exports.producers(&import.place);
        let export = exports
            .iter()
            .find(|export| export.component == maker && Some(export.span) == made);
        match export.map(|export| &export.how) {
            Some(How::Derived(kind)) => eco_format!("makes through its {kind}"),
            Some(How::CreateNamespace) => "creates when it installs".into(),
            _ => match import.place.item {
                Item::Crd { .. } => "installs".into(),
                _ => "applies".into(),
            },
        }
    }

    /// What a component needs, and for what: the first half of a sentence.
    pub fn demand(&self, import: &Import) -> EcoString {
        let name = self.name(import.component);
        let item = &import.place.item;
        match import.cause {
            Cause::DependsOn { .. } => eco_format!("`{name}` depends on {item}"),
            Cause::Source => eco_format!("`{name}` is fetched from {item}"),
            Cause::Substitute => eco_format!("`{name}` reads variables from {item}"),
            Cause::Values => eco_format!("`{name}` reads values from {item}"),
            Cause::ServiceAccount => eco_format!("`{name}` is applied as {item}"),
            Cause::Decryption => eco_format!("`{name}` is decrypted with {item}"),
            Cause::KubeConfig => eco_format!("`{name}` reaches its cluster with {item}"),
            Cause::Namespace => eco_format!("`{name}` has objects in {item}"),
            Cause::TargetNamespace => eco_format!("`{name}` is installed into {item}"),
            Cause::CustomResource => eco_format!("`{name}` needs {item}"),
            Cause::PodAccount => eco_format!("`{name}` has a bare Pod that runs as {item}"),
            Cause::HealthCheck => eco_format!("`{name}` waits for {item}"),
            Cause::Pod => eco_format!("`{name}` waits for pods that need {item}"),
        }
    }
}

fn declared_clause(
    why: Why,
    import: Option<&Import>,
    needy: &str,
    maker: &str,
    phase: Option<Phase>,
) -> EcoString {
    match why {
        Why::DependsOn => match import.map(|import| import.cause) {
            Some(Cause::DependsOn { ready_expr: true }) => {
                eco_format!(
                    "`{needy}` starts only once its dependency exists, which `{maker}` applies"
                )
            }
            _ => eco_format!("`{needy}` starts only when `{maker}` is ready: `dependsOn`"),
        },
        Why::AppliedBy => {
            eco_format!(
                "`{needy}` exists only once `{maker}`, which applies it, is applied as a whole"
            )
        }
        Why::Waits => eco_format!("`{needy}` is ready only when `{maker}` is: `wait: true`"),
        Why::HealthCheck => {
            eco_format!("`{needy}` is ready only when `{maker}` is: `healthChecks`")
        }
        Why::Suspect => eco_format!("`{maker}` may make it: it is not rendered here"),
        Why::Suspended => eco_format!("`{needy}` is suspended"),
        Why::Failed => eco_format!("`{needy}` cannot be built"),
        Why::Own | Why::Import | Why::Likely => match phase {
            Some(Phase::Ready) => eco_format!("`{needy}` becomes healthy"),
            _ => eco_format!("`{needy}` is applied"),
        },
    }
}

impl Linked<'_> {
    /// The name of an event: `ready(flux-system/apps)`.
    pub fn event_name(&self, event: &Event) -> EcoString {
        match event {
            Event::Component(at, phase) => {
                let phase = match phase {
                    Phase::Start => "start",
                    Phase::Applied => "applied",
                    Phase::Ready => "ready",
                };
                eco_format!("{phase}({})", self.name(*at))
            }
            Event::Unrendered(..) => "unrendered".into(),
        }
    }

    /// How a component is called in a sentence: its kind and key.
    pub fn described(&self, at: usize) -> EcoString {
        let Some(component) = self.component(at) else {
            return EcoString::new();
        };
        let key = &component.key;
        let kind = match key.kind {
            ComponentKind::Kustomization => "Kustomization",
            ComponentKind::HelmRelease => "HelmRelease",
        };
        eco_format!("{kind} `{}/{}`", key.namespace, key.name)
    }
}
