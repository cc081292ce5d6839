#!/usr/bin/env bash
# Puts fluxlint on the PATH of the later steps of a job: the static binary of a
# release where there is one, else a build of the action's own source.
set -euo pipefail

bin="${RUNNER_TEMP:-$(mktemp -d)}/fluxlint-bin"
mkdir -p "$bin"

download() {
  local target
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) target=x86_64-unknown-linux-musl ;;
    Linux-aarch64) target=aarch64-unknown-linux-musl ;;
    *) return 1 ;;
  esac
  [ -n "${FLUXLINT_VERSION:-}" ] && [ -n "${FLUXLINT_REPOSITORY:-}" ] || return 1
  command -v gh >/dev/null || return 1
  gh release download "$FLUXLINT_VERSION" --repo "$FLUXLINT_REPOSITORY" \
    --pattern "fluxlint-$target.tar.gz" --output - 2>/dev/null |
    tar xz -C "$bin" fluxlint
}

build() {
  command -v cargo >/dev/null || {
    echo "::error::fluxlint has no release ${FLUXLINT_VERSION:-} for this machine, and there is no cargo to build it"
    exit 2
  }
  echo "no release ${FLUXLINT_VERSION:-} for this machine; building fluxlint from source"
  # The toolchain of the machine may be older than what fluxlint needs.
  if command -v rustup >/dev/null; then
    rustup toolchain install stable --profile minimal --no-self-update
    export RUSTUP_TOOLCHAIN=stable
  fi
  cargo build --release --locked --package fluxlint \
    --manifest-path "$FLUXLINT_SOURCE/Cargo.toml" --target-dir "$bin/target"
  cp "$bin/target/release/fluxlint" "$bin/fluxlint"
}

download || build
"$bin/fluxlint" version
echo "$bin" >>"$GITHUB_PATH"
