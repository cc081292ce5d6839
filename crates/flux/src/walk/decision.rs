//! What decides a component: its Flux object, and what it is built from.

use std::sync::Arc;

use ecow::EcoString;
use kustomize::Documents;
use yaml::Node;

use crate::apis;
use crate::values::Provided;
use crate::walk::release;

/// What a component was, or would be, decided by.
pub(crate) struct Decision {
    pub node: Arc<Node>,
    /// Why it is not built; else what it is built from.
    pub given: Result<Given, EcoString>,
}

impl Decision {
    /// Whether the decision would be the same. Strictness matters only where a
    /// variable was found undefined.
    pub fn is_same(&self, other: &Decision, undefined: bool, apis: &apis::Asked) -> bool {
        let same = match (&self.given, &other.given) {
            (Ok(Given::Kustomization(a)), Ok(Given::Kustomization(b))) => {
                Arc::ptr_eq(&a.documents, &b.documents)
                    && a.values == b.values
                    && (a.strict == b.strict || !undefined)
            }
            (Ok(Given::Release(a)), Ok(Given::Release(b))) => a.is_same(b, apis),
            (Err(a), Err(b)) => a == b,
            _ => false,
        };
        same && (Arc::ptr_eq(&self.node, &other.node) || self.node == other.node)
    }
}

/// What a build gets.
#[derive(Clone)]
pub(crate) enum Given {
    Kustomization(Inputs),
    Release(release::Inputs),
}

/// What the build of a Kustomization gets.
#[derive(Clone)]
pub(crate) struct Inputs {
    pub documents: Arc<Documents>,
    /// What provides each entry of `substituteFrom`.
    pub values: Vec<Provided>,
    pub strict: bool,
}
