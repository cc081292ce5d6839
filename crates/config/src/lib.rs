//! The typed, positioned `.fluxlint.yaml`.
