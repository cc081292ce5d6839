//! The user's own rules, and what they accept.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::rules::is_rule;
use crate::{Date, Level, Pattern, Spanned};

/// A rule of your own: an expression in CEL that must be true for every object
/// it matches.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Assertion {
    /// A short name, shown with its findings.
    pub name: String,
    /// Which objects it is about. Left out: all.
    #[serde(default, rename = "match")]
    #[schemars(rename = "match")]
    pub matches: Match,
    /// The expression; `object` is the rendered object.
    pub expr: Spanned<String>,
    /// What to say when it is false.
    #[serde(default)]
    pub message: Option<String>,
    /// What its findings count as. Default error.
    #[serde(default)]
    pub severity: Option<Level>,
    /// Whether it is an error that nothing matches. Default false.
    #[serde(default)]
    pub must_match: bool,
}

/// Which objects an assertion is about. `*` stands for any text; what is left
/// out matches any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Match {
    /// API group.
    #[serde(default)]
    pub group: Option<Pattern>,
    /// Kind.
    #[serde(default)]
    pub kind: Option<Pattern>,
    /// Namespace.
    #[serde(default)]
    pub namespace: Option<Pattern>,
    /// Name.
    #[serde(default)]
    pub name: Option<Pattern>,
    /// The component that applies it.
    #[serde(default)]
    pub component: Option<Pattern>,
}

/// Findings that are accepted. A finding is left out when all that is given
/// matches; an entry that matches nothing is reported.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ignore {
    /// The rule's id or name.
    pub rule: Spanned<String>,
    /// The component: `namespace/name` of a Kustomization or
    /// `HelmRelease/namespace/name`. `*` stands for any text.
    #[serde(default)]
    pub component: Option<Pattern>,
    /// The object: `Kind/namespace/name`, or `Kind/name` without a namespace.
    /// `*` stands for any text.
    #[serde(default)]
    pub object: Option<Pattern>,
    /// Why it is accepted, for those who read the file later.
    #[serde(default)]
    pub reason: Option<String>,
    /// The last day on which the entry holds.
    #[serde(default)]
    pub until: Option<Date>,
}

impl Ignore {
    /// Whether a finding is meant: its rule, the components it is attributed
    /// to, its object. Dates are not looked at.
    pub fn matches(
        &self,
        id: &str,
        name: &str,
        components: &[impl AsRef<str>],
        object: Option<&str>,
    ) -> bool {
        let component = |pattern: &Pattern| components.iter().any(|c| pattern.matches(c.as_ref()));
        let about = |pattern: &Pattern| object.is_some_and(|object| pattern.matches(object));
        is_rule(&self.rule, id, name)
            && self.component.as_ref().is_none_or(component)
            && self.object.as_ref().is_none_or(about)
    }

    /// Whether it no longer holds on `today`.
    pub fn is_over(&self, today: Date) -> bool {
        self.until.is_some_and(|until| until < today)
    }
}
