#!/usr/bin/env bash
# Every clause of sdk/ABI.md has a number of its own and names tests that exist.
# shellcheck disable=SC2016 # backticks are those of Markdown
set -euo pipefail
cd "$1"
failed=0
complain() {
  echo "lint: sdk/ABI.md: $*"
  failed=1
}
numbers=()
while IFS='|' read -r _ number _ tests _; do
  number=${number// /}
  [[ $number =~ ^[A-Z][0-9]+$ ]] || continue
  numbers+=("$number")
  [[ $tests == *'`'* ]] || complain "clause $number names no test"
  while read -r kind name; do
    if [[ $kind == fault ]]; then
      grep -qw "$name" tests/plugin_host/fault_plugin.cc || complain "$number: there is no fault $name"
      grep -rqw "\"$name\"" tests --include='*_test.cc' || complain "$number: no test runs fault $name"
    else
      suite=${name%.*}
      grep -rqE "TEST(_F|_P)?\($suite, ${name#*.}\)" tests --include='*_test.cc' || complain "$number: there is no test $name"
    fi
  done < <(grep -oE '(fault )?`[A-Za-z_.]+`' <<<"$tests" | sed -E 's/^fault `(.*)`$/fault \1/; s/^`(.*)`$/test \1/')
done < <(grep '^|' sdk/ABI.md)
repeated=$(printf '%s\n' "${numbers[@]}" | sort | uniq -d)
[[ -z $repeated ]] || complain "numbered twice: $repeated"
((${#numbers[@]} > 0)) || complain "has no clauses"
exit "$failed"
