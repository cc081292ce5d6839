//! What went wrong, or stayed unknown, while a component was rendered. Rules
//! turn these into findings; nothing here is a judgement.

use ecow::EcoString;
use yaml::{Node, Span};

use crate::{Identity, Reference};

/// What kind of fault a build ended with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fault {
    /// A file in a folder that Flux takes as a whole is no Kubernetes object.
    Undecoded,
    /// The chart that a release asks for, or a remote base, does not exist at its
    /// place, which was asked.
    Absent,
    /// Anything else.
    #[default]
    Other,
}

/// One fact about a component's rendering.
#[derive(Clone, Debug)]
pub enum Problem {
    /// `spec.path` does not exist in the source.
    PathMissing {
        /// The path, variables filled in.
        path: EcoString,
        /// Directories of the same name elsewhere in the source.
        candidates: Vec<EcoString>,
        /// The repository has the path, but the source's ignore rules leave it
        /// out: where they are written ([`Span::NONE`] for ignore files).
        ignored: Option<Span>,
        /// Where the path is written.
        span: Span,
    },
    /// The build failed.
    Build {
        /// The renderer's own message, outermost step first.
        message: EcoString,
        /// The place it failed at, when a text holds it.
        span: Option<Span>,
        /// What kind of fault it is.
        fault: Fault,
        /// Objects of Flux in files below the entry that could not be taken in:
        /// what is missing elsewhere because of this fault.
        lost: Vec<Identity>,
    },
    /// The place of a release's chart was asked and did not give it: nobody
    /// answered there, or it refused.
    ChartUnavailable {
        /// Why, as a clause.
        reason: EcoString,
        /// Where the chart is asked for.
        span: Span,
    },
    /// A variable without a default has no definition.
    UndefinedVariable {
        /// Its name.
        name: EcoString,
        /// The object that uses it.
        object: Identity,
        /// Where it is used.
        span: Span,
        /// Whether the controllers are strict: the component fails. Otherwise
        /// the empty string goes in.
        strict: bool,
    },
    /// A source of variables, or of a release's values, that is not optional and
    /// nothing renders.
    MissingSubstituteSource {
        /// The reference.
        reference: Reference,
    },
    /// Text that Flux's expander rejects: the component fails.
    UnsupportedExpression {
        /// The expression's text, shortened.
        expression: EcoString,
        /// The expander's message.
        message: EcoString,
        /// The object that holds it.
        object: Identity,
        /// Where it stands.
        span: Span,
    },
    /// A key of a substitution source that is no identifier: the component
    /// fails.
    InvalidVariableName {
        /// The key.
        name: EcoString,
        /// The object that brings it (`Kind/namespace/name`, or `substitute`).
        provider: EcoString,
        /// Where the key is written.
        span: Span,
    },
    /// Text that does not parse any more once variables are filled in.
    SubstitutedTextInvalid {
        /// The parser's message.
        message: EcoString,
        /// The object.
        object: Identity,
        /// The place of the failing line.
        span: Option<Span>,
    },
    /// `postBuild` defines no variable, so nothing is substituted.
    NoVariables {
        /// Where `postBuild` is written.
        span: Span,
    },
    /// The default of a variable that is not defined went into a CRD, whose
    /// prose is seldom meant for Flux.
    DefaultInDefinition {
        /// The expression.
        expression: EcoString,
        /// What went in.
        text: EcoString,
        /// The CRD.
        object: Identity,
        /// Where it is written.
        span: Span,
    },
    /// A text that is a number, a boolean or null once variables are filled in.
    Retyped {
        /// The object.
        object: Identity,
        /// The way to the value: keys, and `[0]` for items of lists.
        field: Vec<EcoString>,
        /// The text with its expressions.
        written: EcoString,
        /// The text before it was read again; `None` where it is long or holds
        /// what a Secret brings.
        text: Option<EcoString>,
        /// What it is read as.
        value: Node,
        /// It is quoted where it is written.
        quoted: bool,
        /// Where it is written.
        span: Span,
    },
    /// A SOPS document in a component without decryption.
    EncryptedWithoutDecryption {
        /// The object.
        object: Identity,
        /// Where it is written.
        span: Span,
    },
    /// A remote base or file that is fetched on every reconcile.
    RemoteBase {
        /// Its address.
        url: EcoString,
        /// Whether the address names a commit or tag.
        pinned: bool,
        /// Whether it could be had here.
        available: bool,
        /// Where it is written.
        span: Span,
    },
    /// A release sets values that its chart reads nowhere.
    UnreadValues {
        /// The keys at the top, and where they are set.
        keys: Vec<(EcoString, Span)>,
        /// The keys that the chart reads, sorted.
        read: Vec<EcoString>,
    },
    /// A chart makes objects that differ each time it is rendered.
    UnstableRender {
        /// The objects.
        objects: Vec<Identity>,
        /// The functions that answer differently, with the template.
        calls: Vec<(EcoString, EcoString)>,
        /// Where the chart is named.
        span: Span,
    },
    /// A part of a spec that is not modelled.
    RenderGap {
        /// What, in a few words.
        what: EcoString,
        /// Where it is written.
        span: Span,
    },
}
