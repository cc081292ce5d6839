//! The order of the result.

use std::cmp::Ordering;

use ecow::{EcoString, eco_format};
use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::id::{Gvk, ResId};
use crate::kustomization::SortOptions;
use crate::options::Reorder;
use crate::resmap::ResMap;
use crate::tables;

/// Sorts as the kustomization file asks, else as the options do.
pub(crate) fn apply(
    map: &mut ResMap,
    options: Option<&SortOptions>,
    reorder: Reorder,
) -> Result<(), Error> {
    let Some(options) = options else {
        return match reorder {
            Reorder::None => Ok(()),
            Reorder::Legacy | Reorder::Unspecified => legacy(map, None),
        };
    };
    let at = |error: Error| match options.span {
        Some(span) => error.at(span),
        None => error,
    };
    match options.order.as_str() {
        "legacy" => legacy(map, options.legacy.as_ref()),
        "fifo" if options.legacy.is_some() => Err(at(Error::new(
            "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'",
        ))),
        "fifo" => Ok(()),
        _ => Err(at(Error::new(
            "the field 'sortOptions.order' must be one of [fifo, legacy]",
        ))),
    }
}

type Lists = (Vec<EcoString>, Vec<EcoString>);

fn legacy(map: &mut ResMap, lists: Option<&Lists>) -> Result<(), Error> {
    let ranks = lists.map(|(first, last)| {
        let count = i64::try_from(first.len()).unwrap_or(i64::MAX);
        let first = first.iter().zip(-count..);
        let last = last.iter().zip(1..);
        first.chain(last).collect::<FxHashMap<_, _>>()
    });
    let mut resources = map.take();
    resources.sort_by(|a, b| compare(a.id(), b.id(), ranks.as_ref()));
    map.replace_all(resources)
        .map_err(|e| e.during("SortOrderTransformer: Failed to append to resources"))
}

fn compare(a: &ResId, b: &ResId, ranks: Option<&FxHashMap<&EcoString, i64>>) -> Ordering {
    if a.gvk == b.gvk {
        return id_text(a).cmp(&id_text(b));
    }
    let by_rank = match ranks {
        None => tables::compare_types(&a.gvk, &b.gvk),
        Some(ranks) => {
            let rank = |gvk: &Gvk| ranks.get(&gvk.kind).copied().unwrap_or(0);
            let by_text = || type_text(&a.gvk).cmp(&type_text(&b.gvk));
            rank(&a.gvk).cmp(&rank(&b.gvk)).then_with(by_text)
        }
    };
    // Real namespaces come before custom kinds of that name.
    let namespaces = a.gvk.kind == "Namespace" && b.gvk.kind == "Namespace";
    if namespaces && (a.gvk.group.is_empty() || b.gvk.group.is_empty()) {
        return by_rank.reverse();
    }
    by_rank
}

/// Empty parts sort behind letters, as `~` does.
fn or<'a>(text: &'a str, placeholder: &'a str) -> &'a str {
    if text.is_empty() { placeholder } else { text }
}

fn type_text(gvk: &Gvk) -> EcoString {
    eco_format!(
        "{}_{}_{}",
        or(&gvk.group, "~G"),
        or(&gvk.version, "~V"),
        or(&gvk.kind, "~K")
    )
}

fn id_text(id: &ResId) -> EcoString {
    eco_format!(
        "{}|{}|{}",
        id.gvk,
        or(&id.namespace, "~X"),
        or(&id.name, "~N")
    )
}
