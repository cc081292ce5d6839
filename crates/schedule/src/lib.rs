//! Timed event graphs. Generic over keys: this room knows no Kubernetes.
