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
        let owner = |event| graph.key(event)?.owner();
        let (waiting, on) = (owner(need.event), owner(producer.event));
        let (needy, maker) = (
            waiting.map(|at| self.name(at)).unwrap_or_default(),
            on.map(|at| self.name(at)).unwrap_or_default(),
        );
        let reason = &producer.reason;
        let import = reason.import.and_then(|at| self.imports.get(at));
        let message = match (reason.why, import) {
            (Why::Import, Some(import)) => {
                self.import_clause(import, waiting, reason, graph.key(producer.event))
            }
            (Why::HealthCheck, Some(import)) if reason.made.is_some() => {
                self.import_clause(import, waiting, reason, graph.key(producer.event))
            }
            (Why::Likely, Some(import)) => {
                let does = match import.cause {
                    Cause::Controller => "runs",
                    _ => "installs",
                };
                eco_format!(
                    "{}, which `{maker}`, by its name, {does}",
                    self.demand(import)
                )
            }
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
        maker: Option<&Event>,
    ) -> EcoString {
        let demand = self.demand(import);
        match maker.and_then(|event| Some((event, event.owner()?))) {
            Some((Event::Component(..), at)) if waiting == Some(at) => {
                eco_format!("{demand}, which it makes itself, in the same step")
            }
            Some((Event::Component(_, Phase::Ready), at)) => {
                eco_format!("{demand}, which `{}` makes once it runs", self.name(at))
            }
            Some((_, at)) if waiting == Some(at) && import.acting.is_none() => {
                let how = self.how(import, at, reason.made);
                let how = match how.split_once(' ') {
                    Some((does, how)) => eco_format!("{does} itself, {how}"),
                    None => eco_format!("{how} itself"),
                };
                eco_format!("{demand}, which it {how}")
            }
            Some((_, at)) => {
                let how = self.how(import, at, reason.made);
                eco_format!("{demand}, which `{}` {how}", self.name(at))
            }
            _ => eco_format!("{demand}, which nothing rendered here makes"),
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
            _ if import.cause == Cause::Controller => "runs".into(),
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
        if let Some(object) = import.acting {
            return self.work_demand(import, object);
        }
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
            Cause::CustomResource => match self.template(import) {
                Some(path) => eco_format!("`{name}` needs {item} for its template `{path}`"),
                None => eco_format!("`{name}` needs {item}"),
            },
            Cause::PodAccount => eco_format!("`{name}` has a bare Pod that runs as {item}"),
            Cause::HealthCheck => eco_format!("`{name}` waits for {item}"),
            Cause::Pod => eco_format!("`{name}` waits for pods that need {item}"),
            Cause::Class => eco_format!("`{name}` has pods or claims of {item}"),
            Cause::Credentials if import.phase == Phase::Ready => {
                eco_format!("`{name}` waits for a source that proves itself with {item}")
            }
            Cause::Credentials => eco_format!("`{name}` is checked with {item}"),
            Cause::Upstream if import.phase == Phase::Ready => {
                eco_format!("`{name}` waits for a source that is made from {item}")
            }
            Cause::Upstream | Cause::Store | Cause::Issuer | Cause::Controller => {
                eco_format!("`{name}` needs {item}")
            }
        }
    }

    /// The chart's file that made the first object which demands an import.
    fn template(&self, import: &Import) -> Option<&EcoString> {
        let objects = self.component(import.component)?.objects();
        let object = objects.get(*import.objects.first()?)?;
        object.template.as_ref().map(|template| &template.path)
    }

    /// What an object needs for its work.
    fn work_demand(&self, import: &Import, object: usize) -> EcoString {
        let item = &import.place.item;
        let name = self.name(import.component);
        let of = self.component(import.component);
        let of = of.and_then(|component| component.objects().get(object));
        let what = of.map_or_else(EcoString::new, |object| {
            eco_format!("{}", Item::of(&object.identity))
        });
        let does = match import.cause {
            Cause::Credentials => "proves itself with",
            Cause::Upstream => "is made from",
            Cause::Store => "reads from",
            Cause::Issuer => "is signed by",
            Cause::Class => "is of",
            Cause::Controller => {
                let kind = of.map_or("", |object| object.identity.kind.as_str());
                return eco_format!("{what} of `{name}` needs the controller of {kind} objects");
            }
            _ => "runs only with",
        };
        eco_format!("{what} of `{name}` {does} {item}")
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
        Why::Waits if needy.starts_with("HelmRelease/") => {
            eco_format!("`{needy}` is ready only when `{maker}` is: Helm waits for all it installs")
        }
        Why::Waits if needy == maker => {
            eco_format!("`{needy}` is ready only when what it applies works: `wait: true`")
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
            Event::Working(at, object) => {
                let objects = self.component(*at).map_or(&[][..], |c| c.objects());
                objects.get(*object).map_or_else(EcoString::new, |object| {
                    eco_format!("working({})", object.identity)
                })
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
