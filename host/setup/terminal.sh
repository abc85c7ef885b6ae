# shellcheck shell=bash
# What the set-up says and how long commands are run. Part of host/setup.sh.
#
# Everything here writes to stderr: stdout belongs to the program that is started afterwards.

heartbeat_seconds=15
setup_child=          # process group of the command that runs now
setup_child_is_apt=   # set while that command must not be killed half-way

is_terminal() { [[ -t 2 && ${TERM:-dumb} != dumb ]]; }

# Nobody can answer in CI, even where it lends a terminal.
can_ask() { [[ -t 0 && -t 2 && -z ${CI:-} ]]; }

clear_progress() { if is_terminal; then printf '\r\033[K' >&2; fi; }

say() {
  clear_progress
  printf 'graphnet: %s\n' "$*" >&2
}

# complain WHAT WHY TRY: the one form of an error message; WHY and TRY may have several lines.
complain() {
  clear_progress
  printf 'graphnet: error: %s\n' "$1" >&2
  printf '  why: %s\n' "${2//$'\n'/$'\n'       }" >&2
  printf '  try: %s\n' "${3//$'\n'/$'\n'       }" >&2
}

# fail CODE WHAT WHY TRY
fail() {
  local code=$1
  shift
  complain "$@"
  exit "$code"
}

# confirm QUESTION: asks on a terminal, otherwise goes on.
confirm() {
  local answer
  [[ -z ${setup_yes:-} ]] && can_ask || return 0
  printf 'graphnet: %s [Y/n] ' "$1" >&2
  read -r answer || answer=n
  case $answer in
    '' | [yY] | [yY][eE][sS]) return 0 ;;
    *) fail 5 "nothing was set up" "the answer was no" "./graphnet --help" ;;
  esac
}

draw_progress() {
  local columns
  columns=$(stty size <&2 2>/dev/null | cut -d' ' -f2) || columns=0
  ((columns >= 20)) || columns=80 # some terminals do not know their size
  printf '\r\033[K%.*s' $((columns - 1)) "graphnet: $1" >&2
}

# watch_command DESCRIBE COMMAND...: runs COMMAND with its output in the log. DESCRIBE is a function
# that prints one short line on how far it is: redrawn on a terminal, else said now and then, so
# that whoever watches a log knows that it lives.
watch_command() {
  local describe=$1 started=$SECONDS said=$SECONDS drawn=$SECONDS status=0 pause=0.01
  shift
  printf '\n$ %s\n' "$*" >>"$setup_log"
  # A session of its own: stopping it stops what it started too, and Ctrl-C reaches only this shell.
  setsid "$@" </dev/null >>"$setup_log" 2>&1 &
  setup_child=$!
  while kill -0 "$setup_child" 2>/dev/null; do
    if is_terminal && ((SECONDS > drawn)); then
      drawn=$SECONDS
      draw_progress "$("$describe") ($((SECONDS - started)) s)"
    elif ! is_terminal && ((SECONDS - said >= heartbeat_seconds)); then
      said=$SECONDS
      say "$("$describe") ($((SECONDS - started)) s)"
    fi
    sleep "$pause"
    ((SECONDS == started)) || pause=0.2
  done
  wait "$setup_child" || status=$?
  setup_child=
  clear_progress
  return "$status"
}

# stop CODE: for signals. A package manager that is stopped half-way leaves the system in need of
# repair, so it may finish; everything else starts again cleanly next time.
stop() {
  trap '' INT TERM HUP
  if [[ -n $setup_child && -n $setup_child_is_apt ]]; then
    say "stopping as soon as apt-get has finished"
    while kill -0 "$setup_child" 2>/dev/null; do sleep 0.2; done
  elif [[ -n $setup_child ]]; then
    kill -TERM -- "-$setup_child" 2>/dev/null || true
    wait "$setup_child" 2>/dev/null || true
  fi
  say "interrupted; the next call goes on from here"
  exit "$1"
}

# show_log_tail: what a failed command had to say, and where the rest is.
show_log_tail() {
  clear_progress
  tail -n 40 "$setup_log" | sed 's/^/  | /' >&2
  printf '  log: %s\n' "$setup_log" >&2
}

# take_lock FD FILE: the second of two set-ups waits. The lock dies with the process.
take_lock() {
  local waited=0 holder
  mkdir -p "$(dirname "$2")"
  eval "exec $1<>\"\$2\""
  if ! flock -n "$1"; then
    read -r holder <"$2" || holder=
    say "another set-up is running (process ${holder:-unknown}, lock $2); waiting for it"
    until flock -n "$1"; do
      sleep 0.2
      ((++waited % (5 * heartbeat_seconds))) || say "still waiting for it ($((waited / 5)) s)"
    done
  fi
  echo $$ >"$2"
}

# free_mb FOLDER: free megabytes where FOLDER is or will be.
free_mb() {
  local folder=$1
  while [[ ! -d $folder ]]; do folder=$(dirname "$folder"); done
  df -Pm "$folder" | awk 'NR == 2 { print $4 }' || true
}

# require_space FOLDER MB WHAT
require_space() {
  local free
  free=$(free_mb "$1")
  [[ $free =~ ^[0-9]+$ ]] || return 0 # some network file systems do not tell
  ((free >= $2)) || fail 5 "too little disk space for $3" \
    "$1 has $free MB free, $2 MB are needed" \
    "free some space; or remove .deps and set XDG_CACHE_HOME (now ${XDG_CACHE_HOME:-unset}) to a larger disk"
}
