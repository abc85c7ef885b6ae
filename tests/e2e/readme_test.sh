#!/usr/bin/env bash
# README.md stays true: its one-sample command prints the block that follows it, numbers aside.
set -euo pipefail
root=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"

# Numbers, units, names of machine and file vary; so does the padding around them. Other tests run beside this
# one: a noisy or flagged result has remarks behind its verdict, a note, and is in no mean.
mask() {
  sed -E '/^note: /d; s/^graphnet [0-9.]+ /graphnet V /; s/cpu [^,]*,/cpu CPU,/; s/[0-9]+ threads?/N threads/; s/[0-9]+(\.[0-9]+)?( (ns|us|ms|s|%)|x)/#\2/g
    s/# (ns|us|ms|s)\b/# T/g; s/± # %/± #/; s/results: .*/results: FILE/
    s/^(nope is|no speedup) .*/SENTENCE/; s/^nope .*/nope MEAN/; s/ +/ /g; s/mean [+-]#/mean #/
    s/\[[0-9., ]+\] (same|faster|slower|noise|unstable) eager( .*|,.*)?$/[INTERVAL] TIMING eager/'
}

command=$(grep -m1 '^\./graphnet run samples/' README.md)
awk '/^\.\/graphnet run samples\//{found=1; next} found && /^```$/{fence++; next} found && fence==2{print} fence==3{exit}' \
  README.md | mask >"$work/wanted"
# shellcheck disable=SC2086 # the command is split into words as a shell would
"$build/bin/graphnet" ${command#./graphnet } -o "$work/results.jsonl" 2>"$work/talk" | mask >"$work/found"
[[ -s $work/wanted ]] || { echo "no output block found in README.md"; exit 1; }
diff -u "$work/wanted" "$work/found"
