//! When the objects of a chart are applied: definitions before anything is
//! rendered, hooks before and after the rest.

use model::Object;

/// Whether Helm applies an object before those of the chart's templates.
pub fn is_early(object: &Object) -> bool {
    let definitions = object.template.as_ref().is_some_and(|t| t.definitions);
    definitions || runs_at(object, "pre-install")
}

/// Whether Helm applies an object only once the others are there.
pub(crate) fn is_late(object: &Object) -> bool {
    runs_at(object, "post-install") && !runs_at(object, "pre-install")
}

/// Whether an object is no part of the release itself.
pub fn is_hook(object: &Object) -> bool {
    object.hook().is_some()
}

fn runs_at(object: &Object, event: &str) -> bool {
    let hooks = object.hook().unwrap_or_default();
    hooks.split(',').any(|hook| hook.trim() == event)
}
