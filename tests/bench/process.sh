#!/usr/bin/env bash
# Whole-process cost of `graphnet run --protocol upstream`: wall time, and peak memory of supervisor and worker together.
#
#   tests/bench/process.sh [-n REPEATS] GRAPHNET SAMPLE...
#
# Memory is the proportional set size (smaps_rollup, Pss) of all processes of the run, summed and
# sampled about every 5 ms; a shorter peak is missed. Sampling costs time, so the wall time is taken
# in runs of their own. Both columns are the smallest of REPEATS (default 5): other work on the
# machine only adds.
set -euo pipefail

repeats=5
if [[ ${1:-} == -n ]]; then
  repeats=$2
  shift 2
fi
(($# >= 2)) || {
  sed -n '2,9p' "$0" >&2
  exit 2
}
graphnet=$1
shift
config=$(dirname "$(readlink -f "$0")")/../../configs/nope.yaml
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

now_us() { echo "${EPOCHREALTIME/[.,]/}"; }

start() { # sample: the run, in the background
  "$graphnet" run "$1" --config "$config" --protocol upstream -q -o "$folder/$RANDOM$RANDOM.jsonl" \
    >"$folder/out" 2>"$folder/err" &
}

finish() { # pid
  wait "$1" || {
    cat "$folder/out" "$folder/err" >&2
    exit 1
  }
}

# Prints the summed Pss of a process and its children in kB.
tree_pss() {
  local total=0 key value rest pid children
  read -r children 2>/dev/null <"/proc/$1/task/$1/children" || true
  for pid in "$1" ${children:-}; do
    while read -r key value rest; do
      if [[ $key == Pss: ]]; then
        total=$((total + value))
        break
      fi
    done 2>/dev/null <"/proc/$pid/smaps_rollup" || true
  done
  pss=$total
}

measure_wall() { # sample
  local began pid took
  wall_us=0
  for ((i = 0; i < repeats; ++i)); do
    began=$(now_us)
    start "$1"
    pid=$!
    finish "$pid"
    took=$(($(now_us) - began))
    if ((wall_us == 0 || took < wall_us)); then wall_us=$took; fi
  done
}

measure_memory() { # sample
  local pid peak
  exec {never}<> <(:)
  peak_kb=0
  for ((i = 0; i < repeats; ++i)); do
    start "$1"
    pid=$!
    peak=0
    while [[ -e /proc/$pid/smaps_rollup ]] && kill -0 "$pid" 2>/dev/null; do
      tree_pss "$pid"
      if ((pss > peak)); then peak=$pss; fi
      read -r -t 0.005 -u "$never" || true
    done
    finish "$pid"
    if ((peak_kb == 0 || peak < peak_kb)); then peak_kb=$peak; fi
  done
  exec {never}>&-
}

echo "load $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) cores, smallest of $repeats"
printf '%-60s %8s %10s\n' sample 'wall s' 'peak MiB'
for sample in "$@"; do
  measure_wall "$sample"
  measure_memory "$sample"
  printf '%-60s %8s %10s\n' "$(basename "$(dirname "$sample")")/$(basename "$sample")" \
    "$((wall_us / 1000000)).$(printf '%03d' $((wall_us / 1000 % 1000)))" "$((peak_kb / 1024))"
done
