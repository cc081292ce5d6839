//! The order of types that sorted lists keep.

use std::cmp::Ordering;
use std::sync::OnceLock;

use ecow::EcoString;
use rustc_hash::FxHashMap;

use crate::id::Gvk;

/// Compares types: some kinds come first, some last, the others between; within
/// a place by group, version and kind.
pub fn compare_types(a: &Gvk, b: &Gvk) -> Ordering {
    rank(&a.kind)
        .cmp(&rank(&b.kind))
        .then_with(|| sort_text(a).cmp(&sort_text(b)))
}

/// Negative for the first kinds, positive for the last ones.
fn rank(kind: &EcoString) -> i32 {
    static RANKS: OnceLock<FxHashMap<EcoString, i32>> = OnceLock::new();
    let ranks = RANKS.get_or_init(|| {
        let table = include_str!("../../data/kind_order.tsv");
        let of = |place| {
            let row =
                move |line: &'static str| Some(line.split_once('\t')?).filter(|r| r.0 == place);
            table
                .lines()
                .filter_map(row)
                .map(|(_, kind)| EcoString::from(kind))
        };
        let count = i32::try_from(of("first").count()).unwrap_or(i32::MAX);
        of("first")
            .zip(-count..)
            .chain(of("last").zip(1..))
            .collect()
    });
    ranks.get(kind).copied().unwrap_or(0)
}

/// Empty parts sort behind letters, as `~` does.
fn sort_text(gvk: &Gvk) -> String {
    let or = |text: &EcoString, placeholder: &'static str| match text.as_str() {
        "" => placeholder.to_owned(),
        text => text.to_owned(),
    };
    [
        or(&gvk.group, "~G"),
        or(&gvk.version, "~V"),
        or(&gvk.kind, "~K"),
    ]
    .join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_come_first_and_webhooks_last() {
        let mut types = [
            Gvk::from_api_version(
                "admissionregistration.k8s.io/v1",
                "ValidatingWebhookConfiguration",
            ),
            Gvk::from_api_version("v1", "Pod"),
            Gvk::from_api_version("batch/v1", "Job"),
            Gvk::from_api_version("v1", "Secret"),
            Gvk::from_api_version("v1", "Namespace"),
        ];
        types.sort_by(compare_types);
        let kinds: Vec<&str> = types.iter().map(|gvk| gvk.kind.as_str()).collect();
        assert_eq!(
            kinds,
            [
                "Namespace",
                "Secret",
                "Job",
                "Pod",
                "ValidatingWebhookConfiguration"
            ]
        );
    }
}
