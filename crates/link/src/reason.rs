//! Why one event waits for another.

use ecow::EcoString;
use yaml::Span;

/// What kind of wait it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// The phases of one component follow each other.
    Own,
    /// The dependant waits for its dependency.
    DependsOn,
    /// The Flux object is one of the parent's objects.
    AppliedBy,
    /// `wait: true`: the parent waits for what it applies.
    Waits,
    /// The parent's `healthChecks` name it.
    HealthCheck,
    /// An import and an export of it.
    Import,
    /// An import that nothing rendered meets, and a component that may.
    Suspect,
    /// A component that could not be rendered and, by its name, installs a CRD
    /// that nothing rendered installs.
    Likely,
    /// The component is suspended: it does not start.
    Suspended,
    /// Flux fails to build the component: it does not start.
    Failed,
}

impl Why {
    /// Whether the repository states this order, so that Flux keeps it instead
    /// of failing and retrying until it holds.
    pub fn is_declared(self) -> bool {
        matches!(
            self,
            Why::Own | Why::DependsOn | Why::AppliedBy | Why::Waits | Why::HealthCheck
        )
    }
}

/// Why one event waits for another. [`crate::Linked::explain`] says it in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What kind of wait it is.
    pub why: Why,
    /// The import, by index in [`crate::Linked::imports`].
    pub import: Option<usize>,
    /// Where it is demanded.
    pub span: Span,
    /// Where what is demanded is made.
    pub made: Option<Span>,
}

impl Reason {
    pub(crate) fn new(why: Why, span: Span) -> Self {
        Reason {
            why,
            import: None,
            span,
            made: None,
        }
    }
}

/// One wait in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// One clause, without a full stop.
    pub message: EcoString,
    /// Where it is demanded.
    pub span: Option<Span>,
    /// Where what is demanded is made.
    pub made: Option<Span>,
    /// The component that waits.
    pub component: Option<usize>,
}
