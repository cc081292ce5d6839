#!/usr/bin/env bash
# The hook of pre-commit: the fluxlint on the PATH, else one built from the
# source that the hook came with.
set -euo pipefail

if command -v fluxlint >/dev/null; then
  exec fluxlint check --quiet "$@"
fi
source="$(cd "$(dirname "$0")/.." && pwd)"
command -v cargo >/dev/null || {
  echo "error: fluxlint is not on the PATH, and there is no cargo to build it" >&2
  exit 2
}
cargo build --quiet --release --locked --package fluxlint --manifest-path "$source/Cargo.toml" >&2
exec "$source/target/release/fluxlint" check --quiet "$@"
