//! What a rule says.

use ecow::EcoString;
use model::{ComponentKey, Identity};
use yaml::Span;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Converges by luck, late, or loses something.
    Warning,
    /// Will not converge, or the API server refuses it.
    Error,
}

/// How far a finding can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Evidence {
    /// The API server or Flux will refuse.
    Authoritative,
    /// Likely, from conventions or community data.
    Heuristic,
    /// About time, not about correctness.
    Advice,
}

/// What a finding was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// The dependency graph.
    Graph,
    /// Rendering.
    Render,
    /// Kubernetes' own schemas.
    CoreSchema,
    /// A CRD of the repository.
    Crd,
    /// Community schemas.
    Catalog,
    /// A policy.
    Policy,
    /// The timed event graph.
    Timing,
}

/// One reason or further place of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// What it says.
    pub message: EcoString,
    /// Where.
    pub span: Option<Span>,
    /// Which component it is about.
    pub component: Option<ComponentKey>,
}

/// A source edit: replace a byte range of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What to replace.
    pub span: Span,
    /// With what.
    pub text: EcoString,
}

/// An entry of `externals` that would answer a finding. Only what people or
/// programs outside Git plausibly make before the bootstrap has one; a name that
/// looks misspelled has none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum External {
    /// `namespaces`.
    Namespace(EcoString),
    /// `crdGroups`.
    CrdGroup(EcoString),
    /// `substitutions`.
    Substitution {
        /// `ConfigMap` or `Secret`.
        kind: EcoString,
        /// Namespace.
        namespace: EcoString,
        /// Name.
        name: EcoString,
        /// The variable that is needed of it, where one is known.
        variable: Option<EcoString>,
    },
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule's id, `FL-G001`.
    pub rule: &'static str,
    /// The rule's name, `dangling-reference`.
    pub name: &'static str,
    /// Severity after configuration.
    pub severity: Severity,
    /// How far it can be trusted.
    pub evidence: Evidence,
    /// What it was read from.
    pub source: Question,
    /// The entrypoint's directory.
    pub entrypoint: EcoString,
    /// The components it is attributed to, primary first.
    pub components: Vec<ComponentKey>,
    /// The object it is about.
    pub object: Option<Identity>,
    /// The place of the value that causes it.
    pub span: Option<Span>,
    /// What is wrong, why, in a sentence.
    pub message: EcoString,
    /// Reasons, one a line, each with its place.
    pub details: Vec<Detail>,
    /// What to do, in a sentence.
    pub help: Option<EcoString>,
    /// Source edits that do it.
    pub fix: Vec<Fix>,
    /// The entry of `externals` that would answer it, if one may.
    pub external: Option<External>,
}
