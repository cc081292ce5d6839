//! Values that a release sets and its chart reads nowhere.

use model::Problem;

use super::Request;
use crate::chart::reads::Reads;

/// The top-level values of a release that nothing reads.
pub(super) fn unread(request: &Request<'_>) -> Option<Problem> {
    let values = request.object.path(&["spec", "values"])?;
    let own = request.loaded.reads().keys()?;
    let texts = Reads::of_values(values);
    let texts = texts.keys()?;
    let keys = values.entries().iter().filter_map(|entry| {
        let key = entry.key.text()?;
        let read = own.contains(key) || texts.contains(key) || entry.value.is_null();
        (!read).then(|| (key.clone(), entry.key.span))
    });
    let keys: Vec<_> = keys.collect();
    (!keys.is_empty()).then(|| Problem::UnreadValues {
        keys,
        read: own.union(texts).cloned().collect(),
    })
}
