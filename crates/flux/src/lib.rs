//! Flux's own objects: build one Kustomization, substitute, walk from the entrypoints.
