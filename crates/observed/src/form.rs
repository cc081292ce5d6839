//! Which of the forms a text has.

/// A form of what a cluster reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Kubernetes objects, as JSON or YAML.
    Dump,
    /// Prometheus' text format.
    Metrics,
    /// A mapping of components to durations.
    List,
}

/// The metric of both controllers that tells how long reconciliations take.
pub(crate) const METRIC: &str = "gotk_reconcile_duration_seconds";

/// Lines that are looked at to tell metrics from YAML.
const HEAD: usize = 200;

/// Whether a text is JSON.
pub(crate) fn is_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '['])
}

/// Whether a text is metrics. `name{label="value"} 1` or `name 1` is no YAML
/// mapping, and comments like `# TYPE` are rare elsewhere.
pub(crate) fn is_metrics(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.by_ref().take(HEAD).any(|line| {
        line.starts_with("# TYPE ") || line.starts_with("# HELP ") || line.starts_with(METRIC)
    })
}

/// Whether a text is the table `kubectl get` prints for people.
pub(crate) fn is_table(text: &str) -> bool {
    let head = text.lines().find(|line| !line.trim().is_empty());
    head.is_some_and(|head| {
        let mut columns = head.split_whitespace();
        let first = columns.next();
        matches!(first, Some("NAMESPACE" | "NAME")) && columns.any(|c| matches!(c, "AGE" | "READY"))
    })
}
