#!/usr/bin/env bash
# Judges a repository in a GitHub job: annotations on the lines of a pull
# request, a SARIF report, the summary of the job. The exit status is that of
# fluxlint: 0 nothing found, 1 findings, 2 could not run.
set -euo pipefail

args=(--repo "${INPUT_REPO:-.}" --fail-on "${INPUT_FAIL_ON:-error}")
if [ -n "${INPUT_BASELINE:-}" ]; then
  args+=(--baseline "$INPUT_BASELINE")
fi
# Words, split on purpose; globs stay as they are.
set -f
# shellcheck disable=SC2206
args+=(${INPUT_ARGS:-} ${INPUT_ENTRYPOINTS:-})
set +f

if [ -n "${INPUT_SARIF:-}" ]; then
  args+=(--report "sarif=$INPUT_SARIF")
fi
summary=
if [ "${INPUT_SUMMARY:-true}" = true ]; then
  summary="$(mktemp)"
  trap 'rm -f "$summary"' EXIT
  args+=(--report "markdown=$summary")
fi

status=0
fluxlint check --format github "${args[@]}" || status=$?
# What could not run has no report.
[ "$status" -lt 2 ] || exit "$status"

if [ -n "${INPUT_SARIF:-}" ]; then
  echo "sarif=$INPUT_SARIF" >>"$GITHUB_OUTPUT"
fi
if [ -n "$summary" ]; then
  cat "$summary" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$status"
