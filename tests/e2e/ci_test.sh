#!/usr/bin/env bash
# The commands of `graphnet help ci` do what that page says: each is run as it stands there.
set -euo pipefail
build=$1
samples=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../samples" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
PATH=$build/bin:$PATH

fail() {
  echo "$1"
  cat talk.txt
  exit 1
}

graphnet help ci | sed -n 's/^    \(graphnet .*\)/\1/p' >commands
(($(wc -l <commands) >= 5)) || fail "the page has fewer commands than it should"
while read -r line; do
  if [[ $line == *' new/ --against samples '* ]]; then
    mkdir new samples
    cp -r "$samples/torchgeometric/GAT" new/
    cp -r "$samples/transformers-auto-model/sadhaklal_mlp-iris" samples/
  fi
  # shellcheck disable=SC2086 # the command is split into words as a shell would
  if $line >talk.txt 2>&1 </dev/null; then code=0; else code=$?; fi
  echo "$code $line"
  rm -rf new samples
  case $line in
    # Noise may call one of two equal runs slower; then the exit code says so.
    *slower*) ((code == 0 || code == 1)) || fail "exit code $code" ;;
    *) ((code == 0)) || fail "exit code $code" ;;
  esac
  if [[ $line == 'graphnet compare'* ]]; then
    # On a busy machine no sample may have an interval; then there is no drop to name.
    grep -qE '^smallest drop it detects: |geometric mean - over 0 samples' talk.txt || fail "the smallest drop is not printed"
  fi
done <commands
grep -q '<testsuite .*tests="1" failures="0" skipped="0"' samples.xml || fail "samples.xml has not one sound case"
grep -q '<testsuite .*tests="3"' junit.xml || fail "junit.xml has not three cases"
grep -q '<testsuite .*tests="2" failures="0"' run.xml || fail "run.xml has not two cases that passed"

# A sample that is gone is missing; a baseline that is gone is no verdict.
head -n 3 new.jsonl >short.jsonl
if graphnet compare baseline.jsonl short.jsonl --fail-on missing >talk.txt 2>&1; then code=0; else code=$?; fi
((code == 1)) || fail "exit code $code with a missing sample"
if graphnet compare none.jsonl new.jsonl >talk.txt 2>&1; then code=0; else code=$?; fi
((code == 3)) || fail "exit code $code without a baseline"
