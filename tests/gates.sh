# shellcheck shell=bash
# What tests/run does besides setting up: ctest with its summary kept for the end, the gates, and what is said of
# them. Sourced after host/setup.sh, in the root of the source tree.

readonly sweep_labels='conformance|proof|_zoo|_timed'
readonly sanitize_seconds=1500
readonly tidy_seconds=1800
readonly gate_least=60 # a gate with less time than this is not begun
# What the sweeps see of this tree: conformance, proof, the zoo of plugins and the tests that judge by time.
readonly swept='^(CMake|host/(CMake|base|cli/.*(check|plugin)|journal|record|runtime)|plugins|sdk|configs/control)'
readonly swept_tests='^tests/(CMake|conformance|e2e/(plugin_check|tvm)|plugin_host|proof|support|tensorrt)'
gate_rows=()
gate_status=0
summaries='' skipped=''

# gate_row NAME STARTED WORDS: a row of the table of steps.
gate_row() {
  local seconds=$((SECONDS - $2))
  gate_rows+=("$(printf '  %-16s %3d:%02d min  %s' "$1" $((seconds / 60)) $((seconds % 60)) "$3")")
}

# sweeps_changed: true if what the sweeps test differs from origin/main, or if there is none to differ from.
sweeps_changed() {
  local base changed
  base=$(git merge-base HEAD origin/main 2>/dev/null) || return 0
  # Not in a pipe: grep ends at the first match, and git's broken pipe would count as no match.
  changed=$(git diff --name-only "$base" -- && git ls-files --others --exclude-standard)
  grep -qE -e "$swept" -e "$swept_tests" -e requirements <<<"$changed"
}

# --- ctest ----------------------------------------------------------------------------------

readonly ctest_log=build/tests.log
readonly ctest_row='^ *[0-9]+/[0-9]+ Test '
readonly ctest_end='^[0-9]*% tests passed'

# run_ctest ARGUMENT...: as it is, but for its summary, which print_ctest_summary prints.
run_ctest() {
  local status=0
  ctest "$@" 2>&1 | tee "$ctest_log" | sed -u "/$ctest_end/,\$d" || status=$?
  return "$status"
}

# run_tests NAME ARGUMENT...: ctest with its row of the table, what it skipped, and a second look at what failed.
run_tests() {
  local name=$1 started=$SECONDS status=0 words=ok cut=
  shift
  run_ctest --preset release "$@" || status=$?
  if was_cut; then
    cut=": $(num_not_run "$@")"
    words="NOT FINISHED$cut"
    [[ -n $(failed_tests) ]] || status=0
  fi
  ((status == 0)) || words=FAILED$cut
  summaries+=$(print_ctest_summary)$'\n'
  [[ -z $(skipped_tests) ]] || skipped+=$(why_skipped)$'\n'
  gate_row "$name" "$started" "$words"
  ((status == 0)) || ! look_again || status=0
  return "$status"
}

# run_sweeps SECONDS: as many of their tests as there is time for.
run_sweeps() {
  if (($1 < gate_least)); then
    gate_row sweeps "$SECONDS" "NOT RUN: the time of this run is used up"
    return 0
  fi
  run_tests sweeps -L "$sweep_labels" -LE slow --output-on-failure -j2 --stop-time "$(date -d "+$1 seconds" +%T)"
}

print_ctest_summary() { sed -n "/$ctest_end/,\$p" "$ctest_log"; }

readonly second_looks=5 # if more fail, the machine is not what is wrong
# Labels of tests that run whole samples, which judge by time whatever else is asked of them. Not proof: a verdict is
# right every time.
readonly second_look_labels='^(e2e|host)'

# was_cut: true if the time given to ctest was over before its tests.
was_cut() { grep -qF 'The stop time has been passed' "$ctest_log"; }

# cut_tests: numbers of those that ran at that moment: ctest, which runs two at once, has them fail.
cut_tests() {
  ! was_cut || grep -E "$ctest_row" "$ctest_log" | tail -n 2 | sed -n 's/^[^#]*#\([0-9]*\):.*\*\*\*Timeout.*/\1/p'
}

# num_not_run ARGUMENT...: of the tests that ctest had been asked for.
num_not_run() {
  local all ran
  all=$(ctest --preset release -N "$@" | sed -n 's/^Total Tests: //p')
  ran=$(($(grep -cE "$ctest_row" "$ctest_log") - $(cut_tests | wc -l)))
  echo "$((all - ran)) of $all tests were not run for want of time"
}

# failed_tests: numbers and names, "NUMBER:NAME", one per line.
failed_tests() {
  awk -F: -v cut=" $(cut_tests | paste -sd' ') " 'index(cut, " " $1 " ") == 0' \
    build/release/Testing/Temporary/LastTestsFailed.log 2>/dev/null
}

# look_again: a test that runs whole samples fails now and then where the machine does other work. Those that failed
# run twice more, each alone, so that a fault that shows now and then is likely to show again; a row of the steps names
# them. Fails if one fails again, if any other test failed, or if too many did.
look_again() {
  local started=$SECONDS looked_at failed numbers names
  looked_at=$(ctest --preset release -N -L "$second_look_labels" | sed -n 's/^ *Test *#\([0-9]*\): .*/\1/p')
  failed=$(failed_tests | awk -F: 'NR == FNR { again[$1] = 1; next } $1 in again' <(printf '%s\n' "$looked_at") -)
  [[ -n $failed ]] && (($(wc -l <<<"$failed") <= second_looks)) || return 1
  local is_all=
  [[ $(failed_tests | wc -l) != "$(wc -l <<<"$failed")" ]] || is_all=1
  numbers=$(cut -d: -f1 <<<"$failed" | paste -sd,)
  names=$(cut -d: -f2- <<<"$failed" | sed 's/  # .*//' | paste -sd' ')
  if ctest --preset release -I "0,0,0,$numbers" --repeat until-fail:2 --output-on-failure; then
    gate_row 'second look' "$started" "passed twice, and failed before: $names"
  else
    gate_row 'second look' "$started" "FAILED, some again: $names"
    return 1
  fi
  [[ -n $is_all ]]
}

# skipped_tests: names, one per line.
skipped_tests() {
  sed -n 's/^ *[0-9]*\/[0-9]* Test *#[0-9]*: \(.*[^ .]\) *\.*\*\*\*Skipped.*/\1/p' "$ctest_log"
}

# why_skipped: one line for each skipped test: its name, a tab, and why.
why_skipped() {
  awk 'NR == FNR { skipped[$0] = 1; next }
    /Testing: / {
      name = $0
      sub(/^.*Testing: /, "", name)
      reason = "no reason given"
      is_next = 0
    }
    is_next { reason = $0 == "" ? reason : $0; is_next = 0 }
    /: Skipped$/ { is_next = 1 }
    /^skipped: / { reason = substr($0, 10) }
    /^<end of output>/ && (name in skipped) {
      print name "\t" reason
      delete skipped[name]
    }
    END { for (name in skipped) print name "\tno reason given" }' \
    - build/release/Testing/Temporary/LastTest.log < <(skipped_tests)
}

# skip_reasons: one line for each reason in lines of why_skipped: how many tests, why, and one of them.
skip_reasons() {
  awk -F'\t' '{ ++count[$2]; if (!($2 in one)) one[$2] = $1 }
    END { for (reason in count) printf "  %4d  %s (%s)\n", count[reason], reason, one[reason] }' | sort -rn
}

# unwanted_skips: names in lines of why_skipped, but for tests of what this machine cannot have.
unwanted_skips() { awk -F'\t' 'NF && $1 !~ /^gpu\// && $2 !~ /^this processor / { print $1 }'; }

# --- gates ----------------------------------------------------------------------------------

# gate NAME SECONDS LEFT FUNCTION ARGUMENT...: FUNCTION gets the smaller number of seconds first. What it finds fails
# the run, and so does a gate for which its own time was too short. One that was cut because the run was late does
# not: the table says so. FUNCTION ends with 124 if time was over.
gate() {
  local name=$1 seconds=$2 left=$3 started=$SECONDS status=0 is_late=
  if ((left < seconds)); then seconds=$left is_late=1; fi
  if ((seconds < gate_least)); then
    gate_row "$name" "$started" "NOT RUN: the time of this run is used up"
    return 0
  fi
  shift 3
  gate_words=
  "$1" "$seconds" "${@:2}" || status=$?
  if ((status == 0)); then
    gate_row "$name" "$started" "ok${gate_words:+: $gate_words}"
  elif ((status == 124)) && [[ -n $is_late ]]; then
    gate_row "$name" "$started" "NOT FINISHED: $((seconds / 60)) minutes were left${gate_words:+: $gate_words}"
  else
    ((status != 124)) || gate_words="$((seconds / 60)) minutes were too short${gate_words:+: $gate_words}"
    gate_row "$name" "$started" "FAILED${gate_words:+: $gate_words}"
    gate_status=1
  fi
}

# sanitize SECONDS: units and kept inputs of the fuzzers, without libtorch, under preset asan.
sanitize() {
  local log=build/asan.log deadline=$((SECONDS + $1)) status=0 command
  echo "sanitizers: building preset asan and running its tests, at most $(($1 / 60)) minutes (log: $log)"
  : >"$log"
  for command in 'cmake --preset asan' "cmake --build --preset asan -j $(build_jobs)" \
    "ctest --preset asan -L ^(unit|fuzz)$ -j $(nproc)"; do
    # shellcheck disable=SC2086 # a list of words
    timeout $((deadline > SECONDS ? deadline - SECONDS : 1)) $command >>"$log" 2>&1 || status=$?
    ((status == 0)) || break
  done
  gate_words=$(sed -n "/$ctest_end/p" "$log")
  ((status == 0 || status == 124)) || tail -n 100 "$log" | sed 's/^/  | /'
  return "$status"
}

# tidy SECONDS [--all]
tidy() {
  local status=0
  tests/lint/tidy.sh --seconds "$@" | tee build/tidy.log || status=$?
  gate_words=$(sed -n 's/^tidy: //p' build/tidy.log | tail -n 1)
  ((status != 3)) || status=124
  return "$status"
}

print_steps() {
  printf '\nsteps\n'
  printf '%s\n' "${gate_rows[@]}"
  gate_rows=()
  gate_row sum 0 ''
  printf '%s\n' "${gate_rows[@]}"
}
