//! What a Kubernetes object *is*: identity, scope, discovery, selectors, quantities.
