//! Which Flux release a world is judged by, and what depends on it.

use ecow::{EcoString, eco_format};

/// The newest Flux release known here; kustomize-controller 1.9.
pub(crate) const NEWEST: &str = "2.9";

/// The first release whose controllers fail on undefined variables unless told
/// otherwise.
const STRICT_SINCE: (u32, u32) = (2, 9);

/// What a repository's own objects say about its Flux.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FluxHints {
    /// The release, possibly a range.
    pub version: Option<EcoString>,
    /// The feature gate `StrictPostBuildSubstitutions`.
    pub strict: Option<bool>,
}

impl FluxHints {
    /// Takes over what is not known yet.
    pub fn or(&mut self, other: &FluxHints) {
        self.version = self.version.take().or_else(|| other.version.clone());
        self.strict = self.strict.or(other.strict);
    }
}

/// Whether undefined variables fail a component.
pub(crate) fn is_strict(hints: &FluxHints) -> bool {
    hints
        .strict
        .unwrap_or_else(|| major_minor(hints.version.as_deref()) >= STRICT_SINCE)
}

/// The first release whose helm-controller has Helm 4 in it.
const HELM4_SINCE: (u32, u32) = (2, 8);

/// Whether helm-controller does by default what Helm 3 does.
pub(crate) fn has_helm3(hints: &FluxHints) -> bool {
    major_minor(hints.version.as_deref()) < HELM4_SINCE
}

/// The release in the form findings show: as the repository says it, the newest
/// one where it says nothing exact.
pub(crate) fn shown(hints: &FluxHints) -> EcoString {
    match hints.version.as_deref() {
        Some(version) if parse(version).is_some() => version.trim_start_matches('v').into(),
        _ => NEWEST.into(),
    }
}

/// Why that release, in a sentence.
pub(crate) fn reason(hints: &FluxHints) -> EcoString {
    match hints.version.as_deref() {
        Some(version) if parse(version).is_some() => {
            eco_format!(
                "Flux {} as the repository or the configuration says",
                shown(hints)
            )
        }
        Some(range) => eco_format!("Flux {NEWEST}, the newest known here, for {range:?}"),
        None => {
            eco_format!("Flux {NEWEST}, the newest known here: the repository names no release")
        }
    }
}

/// Whether a version names one minor release.
pub(crate) fn is_exact(version: &str) -> bool {
    parse(version).is_some()
}

fn major_minor(version: Option<&str>) -> (u32, u32) {
    version
        .and_then(parse)
        .or_else(|| parse(NEWEST))
        .unwrap_or(STRICT_SINCE)
}

/// The first two numbers of `2.6`, `v2.6.1` or `2.6.x`. `None` for a range over
/// minor releases.
fn parse(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.trim_start_matches('v').split('.');
    let major = parts.next()?.parse().ok()?;
    let minor = parts.next()?.parse().ok()?;
    Some((major, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hints(version: Option<&str>, strict: Option<bool>) -> FluxHints {
        FluxHints {
            version: version.map(EcoString::from),
            strict,
        }
    }

    #[test]
    fn strictness_follows_the_release_unless_said() {
        assert!(is_strict(&hints(None, None)));
        assert!(is_strict(&hints(Some("2.x"), None)));
        assert!(is_strict(&hints(Some("v2.9.0"), None)));
        assert!(!is_strict(&hints(Some("v2.8.3"), None)));
        assert!(!is_strict(&hints(Some("2.6.x"), None)));
        assert!(is_strict(&hints(Some("2.6.x"), Some(true))));
        assert!(!is_strict(&hints(None, Some(false))));
        assert_eq!(shown(&hints(Some("2.x"), None)), NEWEST);
        assert_eq!(shown(&hints(Some("v2.6.1"), None)), "2.6.1");
    }
}
