#!/usr/bin/env bash
# README.md's table of plugins is what plugins/table.sh prints.
set -euo pipefail
root=$1
wanted=$("$root/plugins/table.sh")
found=$(awk '/^<!-- plugins\/table.sh -->/ { here = 1; next } /^<!-- end -->/ { here = 0 } here' "$root/README.md")
if ! diff <(echo "$found") <(echo "$wanted"); then
  echo "README.md: put the output of plugins/table.sh between its two marks" >&2
  exit 1
fi
