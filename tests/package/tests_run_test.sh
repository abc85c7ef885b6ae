#!/usr/bin/env bash
# Tests tests/run and tests/gpu/pack on a machine of fakes (fake_machine.sh).
#
#   tests/package/tests_run_test.sh [CASE...]

# shellcheck disable=SC2016,SC2329 # bodies of fakes; cases are called by name
set -uo pipefail
# shellcheck source=tests/package/fake_machine.sh
source "$(dirname "${BASH_SOURCE[0]}")/fake_machine.sh"

case_tests_run() {
  mkdir -p "$tree/plugins/broken"
  touch "$tree/plugins/broken/CMakeLists.txt"
  echo 'gone==1.0 --hash=sha256:00' >"$tree/plugins/broken/requirements.txt"
  call "$tree/tests/run" -R 'a b'
  expect_code 8
  expect_err 'going on without plugin broken'
  expect_err 'not tested: broken'
  expect_call '-DGRAPHNET_PLUGINS=nope;extra -DGRAPHNET_BUILD_TESTS=ON'
  expect_call 'ctest --preset release -LE slow --output-on-failure -j2 -R a b'
  : >"$case_dir/calls"
  call "$tree/tests/run" -L slow
  expect_call 'ctest --preset release --output-on-failure -j2 -L slow'
  expect_no_call --preset\ release\ -S
  : >"$case_dir/calls"
  call "$tree/graphnet" run
  expect_no_call "$changes"
}

case_tests_bring_what_they_need() {
  echo 'tiny==1.0 --hash=sha256:00' >"$tree/tests/requirements.txt"
  mkdir -p "$tree/tests/unit/broken"
  echo 'gone==1.0 --hash=sha256:00' >"$tree/tests/unit/broken/requirements.txt"
  rm "$case_dir"/root/usr/bin/{zsh,fish}
  fake apt-get <<<'[[ $* != *fish* ]]'
  call "$tree/graphnet" run
  expect_no_call 'zsh|tests/'
  call "$tree/tests/run" -R x
  expect_call "-r $tree/tests/requirements.txt"
  expect_path "$(cache)/$(sha256sum "$tree/tests/requirements.txt" | cut -d' ' -f1)/torch"
  expect_err 'going on without gone==1.0'
  expect_call 'install zsh fish'
  expect_err 'going on without fish (their tests are skipped)'
  fake id <<<'echo 1000'
  : >"$case_dir/calls"
  call "$tree/tests/run" -R x
  expect_call 'ctest --preset release'
  expect_no_call '^apt-get'
}

case_the_summary_comes_last() {
  fake ctest <<CTEST
[[ \$* == *release* ]] || exit 0
mkdir -p Testing '$tree/build/release/Testing/Temporary'
cat >'$tree/build/release/Testing/Temporary/LastTest.log' <<LOG
1/3 Testing: gpu/A.B
Output:
x.cc:3: Skipped
no device
<end of output>
2/3 Testing: unit/C.D  # GetParam() = 1
Output:
skipped: no fish
<end of output>
LOG
echo '1/3 Test  #1: gpu/A.B ....***Skipped   0.00 sec'
echo '2/3 Test #12: unit/C.D  # GetParam() = 1 ...***Skipped   0.00 sec'
echo '3/3 Test  #3: unit/E.F ....   Passed    0.00 sec'
echo
echo '100% tests passed, 0 tests failed out of 3'
echo
echo 'Total Test time (real) =   1.00 sec'
CTEST
  call "$tree/tests/run"
  expect_code 0
  expect_call 'tidy --seconds 300'
  [[ $out == *'     1  no device (gpu/A.B)'* ]] || flunk "no reason of a unit test"
  [[ $out == *'     1  no fish (unit/C.D  # GetParam() = 1)'* ]] || flunk "no reason of a script"
  [[ $out == *$'\n\n100% tests passed, 0 tests failed out of 3\n\nTotal Test time (real) =   1.00 sec' ]] ||
    flunk "the summary is not the end"
  [[ $(grep -c 'tests passed' "$case_dir/out") == 1 ]] || flunk "the summary is there twice"
  call "$tree/tests/run" --ci
  expect_code 5
  expect_err 'tests were skipped that need no device'
  sed -i 's/skipped: no fish/skipped: this processor has no fins/' "$case_dir/bin/ctest"
  call "$tree/tests/run" --ci
  expect_code 0
  sed -i 's/^<end of output>//' "$case_dir/bin/ctest" # as if the log had no word of them
  call "$tree/tests/run" --ci
  expect_code 5
  sed -i 's/^LOG$/<end of output>\n&/' "$case_dir/bin/ctest"
  call "$tree/tests/run" --ci
  [[ $out == *'  this processor has no fins (unit/C.D  # GetParam() = 1)'* ]] || flunk "no reason of a processor"
}

# fake_failures AGAIN NUMBER...: tests 3 and 4 run samples; these numbers fail first, and then it ends with AGAIN.
fake_failures() {
  local again=$1 number lines=
  shift
  for number in "$@"; do lines+="$number:host/T.x$number  # GetParam() = 1\n"; done
  fake ctest <<CTEST
log='$tree/build/release/Testing/Temporary/LastTestsFailed.log'
mkdir -p "\$(dirname "\$log")"
case \$* in
  *asan*) exit 0 ;;
  *'-N -L ^(e2e|host)'*) printf '  Test   #3: host/A.B  # GetParam() = 1\n  Test #4: host/C.D\n\nTotal Tests: 2\n' ;;
  *'-I 0,0,0,'*) exit $again ;;
  *)
    printf '$lines' >"\$log"
    exit 8 ;;
esac
CTEST
}

case_what_runs_samples_is_looked_at_again() {
  fake_failures 0 3
  call "$tree/tests/run" --ci
  expect_code 0
  expect_call 'ctest --preset release -I 0,0,0,3 --repeat until-fail:2 --output-on-failure'
  [[ $out == *'second look '*'passed twice, and failed before: host/T.x3'* ]] || flunk "the steps do not name the test"
  fake_failures 8 3 4
  call "$tree/tests/run" --ci
  expect_code 8
  expect_call 'ctest --preset release -I 0,0,0,3,4 --repeat until-fail:2 --output-on-failure'
  [[ $out == *'second look '*'FAILED, some again: host/T.x3 host/T.x4'* ]] || flunk "the steps do not name the tests"
  fake_failures 0 3 5
  call "$tree/tests/run" --ci
  expect_code 8
  expect_call 'ctest --preset release -I 0,0,0,3 --repeat until-fail:2 --output-on-failure'
  : >"$case_dir/calls"
  fake_failures 0 5
  call "$tree/tests/run" --ci
  expect_code 8
  expect_no_call ' -I '
}

# fake_cut FAILED: the sweeps' time is over while tests 6 and 7 run; FAILED are lines of what failed.
fake_cut() {
  fake ctest <<CTEST
mkdir -p '$tree/build/release/Testing/Temporary'
case \$* in
  *-N*stop-time*) printf '\nTotal Tests: 9\n' ;;
  *-N*) exit 0 ;;
  *stop-time*)
    printf '$1' >'$tree/build/release/Testing/Temporary/LastTestsFailed.log'
    echo '1/9 Test  #5: proof/A.B ....***Timeout  120.00 sec'
    echo '2/9 Test  #6: proof/C.D ....***Timeout   1.00 sec'
    echo '3/9 Test  #7: proof/E.F ....***Timeout   0.50 sec'
    echo 'The stop time has been passed. Stopping all tests.' >&2
    echo '0% tests passed, 3 tests failed out of 3'
    exit 8 ;;
esac
CTEST
}

case_sweeps_are_cut_when_the_time_is_over() {
  fake_cut '6:proof/C.D\n7:proof/E.F\n'
  call "$tree/tests/run" --ci
  expect_code 0
  expect_call '-L conformance|proof|_zoo|_timed -LE slow --output-on-failure -j2 --stop-time '
  [[ $out == *'sweeps '*'NOT FINISHED: 8 of 9 tests were not run'* ]] || flunk "the steps do not say what was not run"
  fake_cut '5:proof/A.B\n6:proof/C.D\n7:proof/E.F\n'
  call "$tree/tests/run" --ci
  expect_code 8
  [[ $out == *'sweeps '*'FAILED: 8 of 9 tests were not run'* ]] || flunk "what failed before is lost"
}

case_gates_are_cut_and_fail_by_their_rule() {
  fake ctest <<<'exit 0'
  call "$tree/tests/run" --ci
  expect_code 0
  expect_call 'cmake --preset asan'
  expect_call 'tidy --seconds 1800 --all'
  call env GRAPHNET_CI_SECONDS=1000 "$tree/tests/run" --ci
  expect_code 0
  grep -qE 'tidy --seconds (1000|99[0-9]) --all' "$case_dir/calls" || flunk "the gate does not get what is left"
  call env GRAPHNET_CI_SECONDS=30 "$tree/tests/run" --ci
  expect_code 0
  [[ $out == *'sanitizers '*'NOT RUN'*'clang-tidy '*'NOT RUN'* ]] || flunk "it does not say what was left out"
  [[ $out == *'sweeps '*'NOT RUN'* ]] || flunk "it does not say that the sweeps were left out"
  expect_call 'ctest --preset release -LE slow|conformance|proof|_zoo|_timed'
  printf '#!/bin/sh\nexit 3\n' >"$tree/tests/lint/tidy.sh"
  call env GRAPHNET_CI_SECONDS=1000 "$tree/tests/run" --ci
  expect_code 0
  [[ $out == *'clang-tidy '*'NOT FINISHED: 16 minutes were left'* ]] || flunk "it does not say that it was cut"
  call "$tree/tests/run" --ci
  expect_code 1
  printf '#!/bin/sh\necho "tidy: 1 file"\nexit 1\n' >"$tree/tests/lint/tidy.sh"
  call "$tree/tests/run"
  expect_code 1
  [[ $out == *'clang-tidy '*'FAILED: 1 file'* ]] || flunk "it does not say what was found"
}

# git_in_tree ARGUMENT...
git_in_tree() {
  git -C "$tree" -c user.name=x -c user.email=x@x -c init.defaultBranch=main "$@" >/dev/null 2>&1
}

case_sweeps_run_where_what_they_test_has_changed() {
  local everything='ctest --preset release -LE slow --output-on-failure'
  local quick='ctest --preset release -LE slow|conformance|proof|_zoo|_timed --output-on-failure'
  fake ctest <<<'exit 0'
  call "$tree/tests/run"
  expect_call "$everything" # there is nothing to differ from
  printf 'build\n.deps\n' >"$tree/.gitignore"
  git_in_tree init && git_in_tree add -A && git_in_tree commit -m x && git_in_tree update-ref refs/remotes/origin/main HEAD
  : >"$case_dir/calls"
  call "$tree/tests/run"
  expect_code 0
  expect_call "$quick"
  [[ $out == *'sweeps '*'not run: nothing that they test has changed since origin/main'* ]] ||
    flunk "the steps do not say what was left out"
  mkdir -p "$tree/host/analysis"
  echo x >"$tree/host/analysis/x.cc"
  : >"$case_dir/calls"
  call "$tree/tests/run"
  expect_call "$quick"
  : >"$case_dir/calls"
  call "$tree/tests/run" --all
  expect_call "$everything"
  : >"$case_dir/calls"
  call "$tree/tests/run" --ci
  expect_call "$quick"
  expect_call 'ctest --preset release -L conformance|proof|_zoo|_timed -LE slow'
  : >"$case_dir/calls"
  call "$tree/tests/run" -R x
  expect_call "$everything"
  echo x >"$tree/plugins/extra/x.cc" # not even committed
  : >"$case_dir/calls"
  call "$tree/tests/run"
  expect_call "$everything"
  git_in_tree add -A && git_in_tree commit -m y
  : >"$case_dir/calls"
  call "$tree/tests/run"
  expect_call "$everything"
  (cd "$tree/host/analysis" && touch file_{1000..9999}_of_many) # more than a pipe holds, after the first that counts
  : >"$case_dir/calls"
  call "$tree/tests/run"
  expect_call "$everything"
}

case_a_plugin_that_cannot_be_tested_fails_ci() {
  fake ctest <<<'exit 0'
  call "$tree/tests/run" --ci
  expect_code 0
  mkdir -p "$tree/plugins/broken"
  touch "$tree/plugins/broken/CMakeLists.txt"
  echo 'gone==1.0 --hash=sha256:00' >"$tree/plugins/broken/requirements.txt"
  call "$tree/tests/run"
  expect_code 0
  call "$tree/tests/run" --ci
  expect_code 5
  expect_err 'not tested: broken'
}

case_packing_builds_what_it_takes() {
  mkdir -p "$tree/plugins/xla" "$tree/tests/gpu"
  touch "$tree/plugins/xla/CMakeLists.txt"
  cp "$source_root/tests/gpu/pack" "$tree/tests/gpu/"
  call "$tree/tests/gpu/pack"
  expect_call '-DGRAPHNET_PLUGINS=nope;xla -DGRAPHNET_BUILD_TESTS=ON'
  expect_call '--target portable'
  expect_call "--install $tree/build/release --prefix $tree/build/portable --component gpu"
}

run_cases "$@"
