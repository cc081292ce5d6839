//! Which Flux release a FluxInstance installs.

use ecow::{EcoString, eco_format};
use yaml::Node;

use crate::release;
use crate::spec::text;

/// The first minor release of the Flux Operator, `0.N`, whose manifests hold a
/// minor release of Flux, `2.N`. From the directories of `config/data/flux` at
/// the operator's tags.
const SINCE: [(u32, u32); 7] = [(1, 3), (10, 4), (15, 5), (21, 6), (30, 7), (42, 8), (53, 9)];

/// `distribution.version`; where that is a range over minor releases, the newest
/// one of the manifests that `distribution.artifact` pins. Those of an operator
/// newer than the table stay a range.
pub(crate) fn version(spec: &Node) -> Option<EcoString> {
    let version = text(spec.path(&["distribution", "version"]));
    if version.as_deref().is_some_and(release::is_exact) {
        return version;
    }
    // Without a version the chart of the object says `2.x`.
    let artifact = text(spec.path(&["distribution", "artifact"]));
    let minor = artifact.as_deref().and_then(manifests);
    minor.map(|minor| eco_format!("2.{minor}.x")).or(version)
}

/// The newest minor release of Flux in an artifact of manifests, by its tag.
fn manifests(artifact: &str) -> Option<u32> {
    let (name, tag) = artifact.rsplit_once(':')?;
    if !name.ends_with("/flux-operator-manifests") {
        return None;
    }
    let tag = tag.split('@').next().unwrap_or(tag);
    let mut parts = tag.strip_prefix('v').unwrap_or(tag).split('.');
    let (major, minor) = (parts.next()?, parts.next()?.parse::<u32>().ok()?);
    let (last, newest) = SINCE.last().copied()?;
    if major != "0" || minor >= last {
        // The newest known, or one that came after this table.
        return (major == "0" && minor == last).then_some(newest);
    }
    let fits = SINCE.iter().rev().find(|(since, _)| *since <= minor);
    fits.map(|(_, flux)| *flux)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tag_of_the_manifests_bounds_a_range() {
        let of = |tag: &str| manifests(&format!("oci://ghcr.io/c/flux-operator-manifests:{tag}"));
        assert_eq!(of("v0.37.0"), Some(7));
        assert_eq!(of("v0.45.1"), Some(8));
        assert_eq!(of("v0.53.0"), Some(9));
        assert_eq!(of("v0.60.0"), None);
        assert_eq!(of("latest"), None);
        assert_eq!(manifests("oci://registry.example.org/mine:v0.37.0"), None);
    }
}
