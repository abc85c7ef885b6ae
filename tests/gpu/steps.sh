# shellcheck shell=bash
# Steps of tests/gpu/run: each with a time limit of its own and all under one deadline; what they write, one archive;
# what became of them, one table. Sourced.
#
# shellcheck disable=SC2034,SC2154 # run's variables
#
# Used here: $out (where archive and table go), $work (where steps write), $scratch (removed at the end), $deadline (in
# SECONDS), $mode.

readonly most_archive_bytes=$((16 << 20))
readonly archive_time=12 # seconds that are kept for the last archive
current=start
verdicts=()              # "step<TAB>result<TAB>seconds<TAB>reason"
device_runs=0            # tests that passed and samples that were measured on the device
failures=0
child=

# verdict STEP RESULT SECONDS REASON
verdict() {
  local line
  printf -v line '%s\t%s\t%s\t%s' "$1" "$2" "$3" "$(printable "$4")"
  verdicts+=("$line")
  printf '%-9s %-34s %5s s  %s\n' "$2" "$1" "$3" "$(printable "$4")"
  # What is only an aid ($soft) may fail.
  case ${soft:-}$2 in
    FAILED | 'timed out' | interrupted | cut) failures=$((failures + 1)) ;;
  esac
}

# printable TEXT: one line of at most 160 characters.
printable() {
  local text=${1//[$'\t\r\n']/ }
  text=${text//[^[:print:]]/?}
  printf '%s' "${text:0:160}"
}

table() {
  printf '%-34s %-11s %8s  %s\n' step result seconds reason
  local line step result seconds reason
  for line in "${verdicts[@]}"; do
    IFS=$'\t' read -r step result seconds reason <<<"$line"
    printf '%-34s %-11s %8s  %s\n' "$step" "$result" "$seconds" "$reason"
  done
}

# run_limited LIMIT LOG COMMAND...: its exit code; 124: it ran past the limit, 125: no time was left.
run_limited() {
  local limit=$1 log=$2 left=$((deadline - archive_time - SECONDS)) code=0
  shift 2
  ((left >= 3)) || return 125
  timeout --kill-after=5 "$((limit < left ? limit : left))" "$@" >"$log" 2>&1 </dev/null 8>&- 9>&- &
  child=$!
  wait "$child" || code=$?
  child=
  # 137: it did not end when it was told to.
  ((code != 137)) || code=124
  return "$code"
}

# last_line LOG: the last one that says something.
last_line() { grep -v '^[[:space:]]*$' "$1" 2>/dev/null | tail -n 1 || true; }

# step NAME LIMIT COMMAND...: its output goes to NAME.log; returns its exit code. $judge names a function that is given
# code and log and prints a result and a reason, for steps whose exit code does not say it all.
step() {
  local name=$1 limit=$2 code=0 started=$SECONDS result reason
  local log=$work/$name.log
  shift 2
  current=$name
  if [[ -n $dry ]]; then
    printf '== %s (%s s):' "$name" "$limit" && printf ' %q' "$@" && echo
    return 0
  fi
  run_limited "$limit" "$log" "$@" || code=$?
  case $code in
    124) result='timed out' reason="after $((SECONDS - started)) s; $(last_line "$log")" ;;
    125) result=cut reason='no time was left for it' ;;
    *) IFS=$'\t' read -r result reason < <("${judge:-judge_code}" "$code" "$log") || true ;;
  esac
  verdict "$name" "$result" "$((SECONDS - started))" "$reason"
  save
  return "$code"
}

# For most: what the exit code says. 77: there is nothing to do it with.
judge_code() {
  case $1 in
    0) printf 'passed\t\n' ;;
    77) printf 'skipped\t%s\n' "$(last_line "$2")" ;;
    *) printf 'FAILED\texit code %s; %s\n' "$1" "$(last_line "$2")" ;;
  esac
}

# not_run REASON STEP...
not_run() {
  local reason=$1 name
  shift
  for name in "$@"; do verdict "$name" 'not run' 0 "$reason"; done
}

# save: table and archive as they are by now, so that they are there whatever happens next.
save() {
  table >"$work/verdicts.txt"
  cp "$work/verdicts.txt" "$out/verdicts.txt"
  pack_up
}

# pack_up: everything as one archive; what is too large is cut to its begin and its end, the largest file first.
pack_up() {
  local archive=$out/gpu-$mode.tar.gz largest size
  while true; do
    # 1: a file grew meanwhile.
    tar -C "${work%/*}" -czf "$archive.new" "${work##*/}" 2>/dev/null || (($? == 1)) || return 0
    (($(stat -c %s "$archive.new") > most_archive_bytes)) || break
    read -r size largest < <(find "$work" -type f -printf '%s %p\n' | sort -rn | head -n 1)
    ((size > 300000)) || break
    { head -c 100000 "$largest" && printf '\n... cut, it had %s bytes ...\n' "$size" && tail -c 150000 "$largest"; } \
      >"$work/cut" && mv "$work/cut" "$largest"
  done
  mv "$archive.new" "$archive"
}

# finish CODE: the last archive, the table, the exit.
finish() {
  local code=$1
  trap - EXIT INT TERM HUP
  [[ -z $dry ]] || exit "$code"
  save
  echo
  cat "$work/verdicts.txt"
  echo
  echo "${conclusion:-}"
  echo "archive: $out/gpu-$mode.tar.gz"
  rm -rf "$scratch"
  exit "$code"
}

# heed_signals: from here on a signal ends everything with what there is.
heed_signals() {
  # A signal may come while a command's output is redirected, and the handler runs with the same redirection.
  exec 8>&1 9>&2
  trap 'interrupted 130 >&8 2>&9' INT
  trap 'interrupted 143 >&8 2>&9' TERM
  trap 'interrupted 129 >&8 2>&9' HUP
}

# interrupted CODE: told to end.
interrupted() {
  [[ -z $child ]] || kill -TERM "$child" 2>/dev/null || true
  [[ -n $dry ]] || verdict "$current" interrupted "$SECONDS" "signal $(($1 - 128))"
  conclusion='interrupted'
  finish "$1"
}
