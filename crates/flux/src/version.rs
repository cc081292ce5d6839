//! Which of a chart's versions a release gets.

use ecow::EcoString;
use helm::semver::{Constraint, Version};

/// The version of a chart in an HTTP repository that a text asks for: the one
/// written so, else the highest that satisfies it as a range. Nothing asks for
/// the highest that is no prerelease.
pub fn of_repository(versions: &[EcoString], asked: &str) -> Option<EcoString> {
    best(versions, asked, |version| {
        is_strict(version.trim_start_matches('v'))
    })
}

/// The version of a chart in a Helm repository of type `oci` that a range asks
/// for, which sees only tags that are versions without a `v`. A
/// [full](is_full) version is taken for a tag without a look at what tags there
/// are.
pub(crate) fn of_registry(tags: &[EcoString], asked: &str) -> Option<EcoString> {
    let tags: Vec<EcoString> = tags.iter().map(|tag| tag.replace("_", "+")).collect();
    best(&tags, asked, is_strict)
}

/// Whether a text is one version and no range.
pub(crate) fn is_full(asked: &str) -> bool {
    is_strict(asked.strip_prefix('v').unwrap_or(asked))
}

/// The tag of an OCI artifact that satisfies a range.
pub fn of_artifact(tags: &[EcoString], range: &str) -> Option<EcoString> {
    highest(tags, range, |tag| is_strict(tag.trim_start_matches('v')))
}

fn best(versions: &[EcoString], asked: &str, fits: impl Fn(&str) -> bool) -> Option<EcoString> {
    if !asked.is_empty()
        && let Some(exact) = versions.iter().find(|version| *version == asked)
    {
        return Some(exact.clone());
    }
    highest(versions, if asked.is_empty() { "*" } else { asked }, fits)
}

fn highest(versions: &[EcoString], range: &str, fits: impl Fn(&str) -> bool) -> Option<EcoString> {
    let range = Constraint::parse(range).ok()?;
    let mut best: Option<(Version, &EcoString)> = None;
    for text in versions.iter().filter(|text| fits(text)) {
        let Ok(version) = Version::parse(text) else {
            continue;
        };
        let higher = best
            .as_ref()
            .is_none_or(|(known, _)| version.compare(known).is_gt());
        if range.check(&version) && higher {
            best = Some((version, text));
        }
    }
    best.map(|(_, text)| text.clone())
}

/// Three numbers, and what may follow them.
pub(crate) fn is_strict(text: &str) -> bool {
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let core = text.get(..end).unwrap_or_default();
    let numbers = core.split('.');
    let number = |part: &str| {
        let digits = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        digits && (part.len() == 1 || !part.starts_with('0'))
    };
    numbers.clone().count() == 3 && numbers.clone().all(number) && Version::parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(versions: &[&str]) -> Vec<EcoString> {
        versions.iter().map(|v| EcoString::from(*v)).collect()
    }

    #[test]
    fn ranges_take_the_highest_and_no_prerelease() {
        let versions = list(&["1.0.0", "1.15.0-r3", "1.2.0", "v1.10.0", "latest"]);
        let of = |asked| of_repository(&versions, asked);
        assert_eq!(of("").as_deref(), Some("v1.10.0"));
        assert_eq!(of("1.2.x").as_deref(), Some("1.2.0"));
        assert_eq!(of(">=1.15.0 <1.16.0"), None);
        assert_eq!(of(">=1.15.0-0 <1.16.0").as_deref(), Some("1.15.0-r3"));
        assert_eq!(of("latest").as_deref(), Some("latest"));
        assert_eq!(of("1.10.0").as_deref(), Some("v1.10.0"));
    }

    #[test]
    fn a_registry_of_charts_knows_no_v() {
        let tags = list(&["v1.0.1"]);
        assert_eq!(of_registry(&tags, "~1.0.0"), None);
        let other = list(&["v1.0.1", "1.0.0_b"]);
        assert_eq!(of_registry(&other, "1.0.x").as_deref(), Some("1.0.0+b"));
        assert!(is_full("1.0.1") && !is_full("1.0.x"));
        assert_eq!(of_artifact(&tags, "~1.0.0").as_deref(), Some("v1.0.1"));
        assert!(!is_strict("1.2345.0067"));
    }
}
