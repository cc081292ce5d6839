//! What a component's Flux object asks for, typed, with the place of every
//! value that a finding may have to show.

use ecow::EcoString;
use yaml::Span;

/// A duration in nanoseconds.
pub type Duration = u64;

/// A reference to another object as written, defaults applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// `apiVersion`, if written.
    pub api_version: Option<EcoString>,
    /// Kind.
    pub kind: EcoString,
    /// Namespace with the controller's default applied; empty when the
    /// controller has none (a health check without a namespace).
    pub namespace: EcoString,
    /// Name.
    pub name: EcoString,
    /// Where it is written.
    pub span: Span,
}

/// One entry of `dependsOn`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Namespace, the dependant's own by default.
    pub namespace: EcoString,
    /// Name.
    pub name: EcoString,
    /// Whether a `readyExpr` replaces the readiness check.
    pub ready_expr: bool,
    /// Where it is written.
    pub span: Span,
}

/// One entry of `substituteFrom`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubstituteSource {
    /// The ConfigMap or Secret, in the Kustomization's own namespace.
    pub reference: Reference,
    /// A missing object is tolerated.
    pub optional: bool,
}

/// One entry of `healthCheckExprs`: a kind with a readiness of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HealthExpression {
    /// `apiVersion`.
    pub api_version: EcoString,
    /// `kind`.
    pub kind: EcoString,
    /// Where the entry is written.
    pub span: Span,
}

/// `spec` of a Flux Kustomization, any API version.
#[derive(Clone, Debug, Default)]
pub struct KustomizationSpec {
    /// `dependsOn`.
    pub depends_on: Vec<Dependency>,
    /// `sourceRef`.
    pub source: Option<Reference>,
    /// `path`, as written.
    pub path: EcoString,
    /// Where `path` is written (the spec, when it is left out).
    pub path_span: Span,
    /// `interval`.
    pub interval: Option<Duration>,
    /// `retryInterval`.
    pub retry_interval: Option<Duration>,
    /// `timeout`.
    pub timeout: Option<Duration>,
    /// `wait`.
    pub wait: bool,
    /// `prune`.
    pub prune: bool,
    /// `force`.
    pub force: bool,
    /// `healthChecks`. Not read by the controller when `wait` is set.
    pub health_checks: Vec<Reference>,
    /// `healthCheckExprs`.
    pub health_expressions: Vec<HealthExpression>,
    /// `deletionPolicy`; `MirrorPrune` when left out.
    pub deletion_policy: Option<EcoString>,
    /// `targetNamespace`.
    pub target_namespace: Option<EcoString>,
    /// `postBuild` is there.
    pub post_build: bool,
    /// `postBuild.substituteFrom`.
    pub substitute_from: Vec<SubstituteSource>,
    /// `decryption` is there.
    pub decryption: bool,
    /// `decryption.secretRef`.
    pub decryption_secret: Option<Reference>,
    /// `serviceAccountName`.
    pub service_account: Option<Reference>,
    /// `kubeConfig.secretRef` or `configMapRef`.
    pub kube_config: Option<Reference>,
}

/// Half a minute: the least a health check waits, and what the controller takes
/// off the interval for its default.
const HALF_MINUTE: Duration = 30_000_000_000;

impl KustomizationSpec {
    /// How long one health check waits: `timeout`, else `interval` less 30 s,
    /// never under 30 s.
    pub fn effective_timeout(&self) -> Duration {
        self.timeout
            .unwrap_or_else(|| self.interval.unwrap_or(0).saturating_sub(HALF_MINUTE))
            .max(HALF_MINUTE)
    }

    /// How long a failed reconciliation waits: `retryInterval`, else `interval`.
    pub fn effective_retry_interval(&self) -> Option<Duration> {
        self.retry_interval.or(self.interval)
    }
}

/// `spec` of a HelmRelease, any API version.
#[derive(Clone, Debug, Default)]
pub struct HelmReleaseSpec {
    /// `dependsOn`.
    pub depends_on: Vec<Dependency>,
    /// `chart.spec.sourceRef` or `chartRef`.
    pub source: Option<Reference>,
    /// `chart.spec.chart`.
    pub chart: Option<EcoString>,
    /// `chart.spec.version`.
    pub version: Option<EcoString>,
    /// Where `version` is written.
    pub version_span: Span,
    /// `interval`.
    pub interval: Option<Duration>,
    /// `timeout`.
    pub timeout: Option<Duration>,
    /// `releaseName`, if written.
    pub release_name: Option<EcoString>,
    /// `install.timeout`, if written.
    pub install_timeout: Option<Duration>,
    /// `install.remediation.retries`; `None` when not set.
    pub install_retries: Option<i64>,
    /// The install strategy is `RetryOnFailure`.
    pub retry_on_failure: bool,
    /// `install.strategy.retryInterval`, if written.
    pub retry_interval: Option<Duration>,
    /// `install.disableWait`.
    pub disable_wait: bool,
    /// `install.disableWaitForJobs`.
    pub disable_wait_for_jobs: bool,
    /// `install.disableHooks`.
    pub disable_hooks: bool,
    /// `test.enable`: the release is ready only when its tests pass.
    pub tests: bool,
    /// `install.createNamespace`.
    pub create_namespace: bool,
    /// `targetNamespace`.
    pub target_namespace: Option<EcoString>,
    /// `valuesFrom` objects with whether each is optional.
    pub values_from: Vec<SubstituteSource>,
    /// `serviceAccountName`.
    pub service_account: Option<Reference>,
    /// `kubeConfig.secretRef` or `configMapRef`.
    pub kube_config: Option<Reference>,
}

/// What a release waits for one Helm action when nothing is written.
const RELEASE_TIMEOUT: Duration = 300_000_000_000;

impl HelmReleaseSpec {
    /// How long one installation may take: `install.timeout`, else `timeout`,
    /// else 5 minutes.
    pub fn effective_timeout(&self) -> Duration {
        self.install_timeout
            .or(self.timeout)
            .unwrap_or(RELEASE_TIMEOUT)
    }

    /// How long a failed installation waits when its strategy is
    /// `RetryOnFailure`: 5 minutes unless written.
    pub fn effective_retry_interval(&self) -> Duration {
        self.retry_interval.unwrap_or(RELEASE_TIMEOUT)
    }

    /// How often a failed installation is tried again; negative without limit.
    pub fn effective_retries(&self) -> i64 {
        if self.retry_on_failure {
            return -1;
        }
        self.install_retries.unwrap_or(0)
    }
}

/// What a component's Flux object asks for.
#[derive(Clone, Debug)]
pub enum Spec {
    /// A Kustomization.
    Kustomization(Box<KustomizationSpec>),
    /// A HelmRelease.
    HelmRelease(Box<HelmReleaseSpec>),
}

impl Spec {
    /// `dependsOn` of either kind.
    pub fn depends_on(&self) -> &[Dependency] {
        match self {
            Spec::Kustomization(spec) => &spec.depends_on,
            Spec::HelmRelease(spec) => &spec.depends_on,
        }
    }

    /// The source of either kind.
    pub fn source(&self) -> Option<&Reference> {
        match self {
            Spec::Kustomization(spec) => spec.source.as_ref(),
            Spec::HelmRelease(spec) => spec.source.as_ref(),
        }
    }

    /// `kubeConfig` of either kind.
    pub fn kube_config(&self) -> Option<&Reference> {
        match self {
            Spec::Kustomization(spec) => spec.kube_config.as_ref(),
            Spec::HelmRelease(spec) => spec.kube_config.as_ref(),
        }
    }
}
