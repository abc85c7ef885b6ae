#!/usr/bin/env bash
# The repository's own evaluation (tests/evaluation) stands up to --verify, and README.md says of it what its records say.
set -euo pipefail
root=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wanted=$("$root/tests/evaluation/table.sh" "$build/bin/graphnet" "$work")
"$build/bin/graphnet" evaluate --verify "$work/evaluation"
found=$(awk '/^<!-- tests\/evaluation\/table.sh -->/ { here = 1; next } /^<!-- end -->/ { here = 0 } here' "$root/README.md")
if ! diff <(echo "$found") <(echo "$wanted"); then
  echo "README.md: put the output of tests/evaluation/table.sh between its two marks" >&2
  exit 1
fi
