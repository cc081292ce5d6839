//! The types of `check --format json`. Keys are an interface: they are only ever added.

use schemars::JsonSchema;
use serde::Serialize;

/// Goes up when a key changes its meaning; added keys do not count.
pub const SCHEMA_VERSION: u32 = 1;

/// The result of one run of `check`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// The version of fluxlint.
    pub version: String,
    /// The version of this format.
    pub schema_version: u32,
    /// How long the run took, in milliseconds.
    pub elapsed_ms: u64,
    /// One item an entrypoint, in the order they were asked for.
    pub entrypoints: Vec<EntrypointResult>,
    /// What the run says about itself: settings without effect, say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<NoticeResult>,
}

/// The result for one entrypoint.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntrypointResult {
    /// Its directory, relative to the repository's root; `.` for the root.
    pub entrypoint: String,
    /// The Kubernetes release it was judged for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kube_release: Option<String>,
    /// What was taken as given and stands in no file: how the entrypoint is
    /// bootstrapped, which releases it was judged for.
    pub assumptions: Vec<NoticeResult>,
    /// What was taken on trust.
    pub externals: ExternalsResult,
    /// Errors first, then by file, line, column and rule.
    pub findings: Vec<FindingResult>,
    /// How long a bootstrap takes; null when it cannot be told.
    pub timing: Option<TimingResult>,
    /// All components, roots first.
    pub components: Vec<ComponentResult>,
}

/// What the configuration declares to exist outside Git.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExternalsResult {
    /// How many entries there are.
    pub entries: usize,
    /// The entries that nothing needed.
    pub unused: Vec<NoticeResult>,
}

/// A message and the place it is about.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NoticeResult {
    /// The message.
    pub message: String,
    /// File, relative to the repository's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// One finding.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingResult {
    /// The rule's id: `FL-G001`.
    pub rule: String,
    /// The rule's name: `dangling-reference`.
    pub name: String,
    /// How bad it is.
    pub severity: SeverityName,
    /// How far it can be trusted.
    pub evidence: EvidenceName,
    /// What it was read from.
    pub source: SourceName,
    /// The entrypoint's directory.
    pub entrypoint: String,
    /// The component it is about: `namespace/name` of a Kustomization or
    /// `HelmRelease/namespace/name`. Empty when it is about the entrypoint.
    pub component: String,
    /// All components it is attributed to, the primary one first.
    pub components: Vec<String>,
    /// The object it is about: `Kind/namespace/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// File of the value that causes it, relative to the repository's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in characters, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// What is wrong, in a sentence.
    pub message: String,
    /// Reasons and further places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub detail: Vec<DetailResult>,
    /// What to do, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Edits of source files that do it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fix: Vec<FixResult>,
    /// With a base: whether the base has it too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub existing: Option<bool>,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SeverityName {
    /// Will not converge, or the API server refuses it.
    Error,
    /// Converges by luck, late, or loses something.
    Warning,
    /// Worth knowing.
    Info,
}

/// How far a finding can be trusted.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EvidenceName {
    /// The API server or Flux will refuse.
    Authoritative,
    /// Likely, from conventions or community data.
    Heuristic,
    /// About time, not about correctness.
    Advice,
}

/// What a finding was read from.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SourceName {
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
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DetailResult {
    /// What it says.
    pub message: String,
    /// File, relative to the repository's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The component it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
}

/// An edit: put `text` in place of the bytes `start..end` of `file`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FixResult {
    /// File, relative to the repository's root.
    pub file: String,
    /// Offset in bytes of the first byte to replace.
    pub start: u32,
    /// Offset in bytes behind the last byte to replace.
    pub end: u32,
    /// The new text.
    pub text: String,
}

/// How long a bootstrap takes. Times are nanoseconds after its start.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimingResult {
    /// Whether everything is rendered and counted; otherwise `bound` is "at
    /// least".
    pub complete: bool,
    /// The worst case; null where there is no bound.
    pub bound: Option<u64>,
    /// The best case.
    pub best: u64,
    /// The chain of waits that the bound comes from.
    pub critical_path: Vec<PathStepResult>,
    /// All events.
    pub events: Vec<EventResult>,
}

/// One wait of the critical path.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PathStepResult {
    /// The event that is waited for.
    pub event: String,
    /// When it fires in the worst case.
    pub at: u64,
    /// What this wait adds.
    pub added: u64,
    /// Why.
    pub reason: String,
}

/// When an event fires.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventResult {
    /// The event.
    pub event: String,
    /// In the best case.
    pub earliest: u64,
    /// In the worst case; null without a bound.
    pub latest: Option<u64>,
    /// How much later it may fire without moving the bound.
    pub slack: Option<u64>,
}

/// One component.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComponentResult {
    /// `namespace/name` of a Kustomization or `HelmRelease/namespace/name`.
    pub component: String,
    /// The component that applies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The cluster its objects go to, where it is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The source its files come from: `Kind/namespace/name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The directory in the source that is built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How it was rendered: `kustomize` or `helm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub render_mode: Option<String>,
    /// Present when it is suspended.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub suspended: bool,
    /// Whether its objects are known.
    pub rendered: bool,
    /// How many objects it has.
    pub objects: usize,
    /// Why its objects cannot be known here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_rendered: Option<String>,
    /// Why Flux will fail to render it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
