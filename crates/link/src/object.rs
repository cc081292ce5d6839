//! What the controller does with an object because of its marks.

use model::Object;
use yaml::Node;

/// How an object takes part in what its Kustomization does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Handling {
    /// It is applied at all. Not with `reconcile: disabled` or `ssa: Ignore`.
    pub applied: bool,
    /// Its health is waited for whenever the Kustomization is reconciled. Not
    /// with `ssa: IfNotPresent`, which skips it from the second time on.
    pub waited_for: bool,
    /// Others may set its fields: `ssa: Merge`, `IfNotPresent` or `Ignore`, or
    /// `reconcile: disabled`.
    pub shared: bool,
}

/// How kustomize-controller handles an object, by its labels or annotations
/// below `kustomize.toolkit.fluxcd.io/`.
pub fn handling(object: &Object) -> Handling {
    // Helm does not know them.
    if object.template.is_some() {
        return Handling {
            applied: true,
            waited_for: true,
            shared: false,
        };
    }
    let disabled = is_marked(object, "kustomize.toolkit.fluxcd.io/reconcile", "disabled");
    let ssa = |value| is_marked(object, "kustomize.toolkit.fluxcd.io/ssa", value);
    let applied = !disabled && !ssa("Ignore");
    let once = ssa("IfNotPresent");
    Handling {
        applied,
        waited_for: applied && !once,
        shared: !applied || once || ssa("Merge"),
    }
}

/// Whether a label or annotation has this value; the controller compares
/// without case.
fn is_marked(object: &Object, key: &str, value: &str) -> bool {
    ["labels", "annotations"].iter().any(|metadata| {
        object
            .node
            .path(&["metadata", metadata, key])
            .and_then(Node::text)
            .is_some_and(|text| text.eq_ignore_ascii_case(value))
    })
}
