//! The kinds of edges of the linked graph.

use link::{Cause, Event, Linked, Phase, Reason, Why};
use schedule::{Graph, Need};

/// A row of the table of edges, with imports told apart by their cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A component's phases follow each other.
    Own,
    /// `dependsOn`.
    DependsOn,
    /// `dependsOn` with a `readyExpr`.
    ReadyExpr,
    /// The parent applies the child.
    AppliedBy,
    /// The parent waits for the child.
    Waits,
    /// A health check on another component.
    CheckComponent,
    /// A health check on another component's object.
    CheckObject,
    /// A namespace of a definition stage.
    Namespace,
    /// A namespace of a chart.
    ChartNamespace,
    /// The namespace a release goes to.
    TargetNamespace,
    /// A CRD of a definition stage.
    Crd,
    /// A CRD of a chart's templates.
    ChartCrd,
    /// A CRD made at run time.
    RuntimeCrd,
    /// A source.
    Source,
    /// `substituteFrom`.
    Substitute,
    /// `valuesFrom`.
    Values,
    /// The account a component acts as.
    ServiceAccount,
    /// A decryption key.
    Decryption,
    /// A kubeconfig.
    KubeConfig,
    /// The account of a bare Pod.
    PodAccount,
    /// What pods need that are waited for.
    Pod,
    /// The class of pods or claims.
    Class,
    /// What a source is fetched with.
    Credentials,
    /// `suspend`.
    Suspended,
    /// A failed build.
    Failed,
    /// What other objects need for their work.
    Work,
    /// What only an unrendered component can bring.
    Suspect,
}

impl Kind {
    /// All kinds but the last two, which no plan has.
    pub const ALL: [Kind; 25] = [
        Kind::Own,
        Kind::DependsOn,
        Kind::ReadyExpr,
        Kind::AppliedBy,
        Kind::Waits,
        Kind::CheckComponent,
        Kind::CheckObject,
        Kind::Namespace,
        Kind::ChartNamespace,
        Kind::TargetNamespace,
        Kind::Crd,
        Kind::ChartCrd,
        Kind::RuntimeCrd,
        Kind::Source,
        Kind::Substitute,
        Kind::Values,
        Kind::ServiceAccount,
        Kind::Decryption,
        Kind::KubeConfig,
        Kind::PodAccount,
        Kind::Pod,
        Kind::Class,
        Kind::Credentials,
        Kind::Suspended,
        Kind::Failed,
    ];

    /// The kind of a need.
    pub fn of(linked: &Linked<'_>, graph: &Graph<Event, Reason>, need: &Need<Reason>) -> Kind {
        let import = need.reason.import.and_then(|at| linked.imports.get(at));
        let from = need
            .producers
            .first()
            .and_then(|p| graph.key(p.event)?.component());
        let from = from.map(|(_, phase)| phase);
        let ready = from == Some(Phase::Ready);
        match (need.reason.why, import.map(|import| import.cause)) {
            (Why::Own, _) => Kind::Own,
            (Why::AppliedBy, _) => Kind::AppliedBy,
            (Why::Waits, _) => Kind::Waits,
            (Why::Suspended, _) => Kind::Suspended,
            (Why::Failed, _) => Kind::Failed,
            (Why::Suspect | Why::Likely, _) | (_, None) => Kind::Suspect,
            (_, Some(cause)) => match cause {
                Cause::DependsOn { ready_expr: true } => Kind::ReadyExpr,
                Cause::DependsOn { .. } => Kind::DependsOn,
                Cause::HealthCheck if ready => Kind::CheckComponent,
                Cause::HealthCheck => Kind::CheckObject,
                Cause::Namespace if from == Some(Phase::Applied) => Kind::ChartNamespace,
                Cause::Namespace => Kind::Namespace,
                Cause::TargetNamespace => Kind::TargetNamespace,
                Cause::CustomResource if ready => Kind::RuntimeCrd,
                Cause::CustomResource if from == Some(Phase::Applied) => Kind::ChartCrd,
                Cause::CustomResource => Kind::Crd,
                Cause::Source => Kind::Source,
                Cause::Substitute => Kind::Substitute,
                Cause::Values => Kind::Values,
                Cause::ServiceAccount => Kind::ServiceAccount,
                Cause::Decryption => Kind::Decryption,
                Cause::KubeConfig => Kind::KubeConfig,
                Cause::PodAccount => Kind::PodAccount,
                Cause::Pod => Kind::Pod,
                Cause::Class => Kind::Class,
                Cause::Credentials => Kind::Credentials,
                Cause::Upstream | Cause::Store | Cause::Issuer | Cause::Controller => Kind::Work,
            },
        }
    }
}

/// The graph without the needs of a kind.
pub fn without(linked: &Linked<'_>, kind: Kind) -> Graph<Event, Reason> {
    let graph = &linked.graph;
    let keep = |need: &Need<Reason>| Kind::of(linked, graph, need) != kind;
    graph.adjusted(keep, |_, producer| producer.delay)
}
