# shellcheck shell=bash
# A machine of fakes for tests of ./graphnet and tests/run: no network, nothing installed, nothing built.
# Each case has its own source tree, home and machine below one temporary folder. Sourced.

# shellcheck disable=SC2016,SC2034 # bodies of fakes; variables of the cases
source_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
for tool in cmake unzip flock setsid; do
  command -v "$tool" >/dev/null || {
    echo "skipped: there is no $tool"
    exit 77 # ctest: SKIP_RETURN_CODE
  }
done
real_cmake=$(command -v cmake)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# --- a machine of fakes ---------------------------------------------------------------------

# fake NAME: a command on PATH that notes how it was called; its body is read from stdin.
fake() {
  {
    echo '#!/usr/bin/env bash'
    echo "echo \"$1 \$*\" >>'$case_dir/calls'"
    cat
  } >"$case_dir/bin/$1"
  chmod +x "$case_dir/bin/$1"
}

fake_machine() {
  local tool header
  for tool in g++ ninja ccache mold; do fake "$tool" <<<'exit 0'; done
  fake id <<<'echo 0'
  fake uname <<<'[[ $1 == -m ]] && echo x86_64 || echo Linux'
  fake df <<<'printf "Filesystem blocks Used Available\nx 9999999 1 999999\n"'
  fake apt-get <<<'exit 0'
  fake sudo <<<'exit 1'
  fake ctest <<<'exit 8'
  fake python3 <<PIP
[[ \$* != *" download "* ]] && exit 0
while [[ \$1 != --dest ]]; do shift; done
[[ \$4 == */broken/* ]] && { echo 'no such wheel'; exit 1; }
cp '$case_dir'/wheel.whl "\$2/tiny-1.0-py3-none-any.whl"
PIP
  fake cmake <<CMAKE
build='$tree/build/release'
case \$1 in
  --version) echo 'cmake version 3.25.1' ;;
  --preset)
    printf '%s\n' "\$@" | sed -n 's/^-D\([A-Z_]*\)=/\1:STRING=/p' >"\$build/CMakeCache.txt"
    echo 'CMAKE_HOME_DIRECTORY:INTERNAL=$tree' >>"\$build/CMakeCache.txt"
    touch "\$build/build.ninja" ;;
  --build)
    [[ -e '$case_dir/build_breaks' ]] && { echo 'x.cc:1: error: oops'; exit 1; }
    mkdir -p "\$build/bin"
    printf '#!/bin/sh\nprintf "[%%s]" "\$@"\n' >"\$build/bin/graphnet"
    chmod +x "\$build/bin/graphnet" ;;
esac
CMAKE
  mkdir -p "$case_dir/root/etc" "$case_dir"/root/usr/{include,bin,sbin}
  touch "$case_dir"/root/usr/{bin/{zsh,fish,chromium},sbin/{slurmctld,munged}}
  printf 'ID=debian\nPRETTY_NAME="Debian of fakes"\n' >"$case_dir/root/etc/os-release"
  for header in boost/dll.hpp yaml-cpp/yaml.h spdlog/spdlog.h CLI/CLI.hpp nlohmann/json.hpp \
    openssl/evp.h sqlite3.h gtest/gtest.h benchmark/benchmark.h; do
    mkdir -p "$(dirname "$case_dir/root/usr/include/$header")"
    touch "$case_dir/root/usr/include/$header"
  done
}

# new_case: sets case_dir and tree.
new_case() {
  case_dir=$(mktemp -d "$scratch/case.XXXXXX")
  tree=$case_dir/tree
  mkdir -p "$case_dir"/{bin,home} "$tree"/{host,sdk,tests} "$tree"/plugins/{nope,extra}
  machine=(env -u GRAPHNET_TORCH -u XDG_CACHE_HOME -u CMAKE_BUILD_PARALLEL_LEVEL -u CI TERM=dumb
    PATH="$case_dir/bin:$PATH" HOME="$case_dir/home" GRAPHNET_SETUP_SYSROOT="$case_dir/root")
  : >"$case_dir/calls"
  cp "$source_root/graphnet" "$tree/"
  cp "$source_root"/tests/{run,gates.sh} "$tree/tests/"
  mkdir "$tree/tests/lint"
  printf '#!/bin/sh\necho "tidy $*" >>"%s"\n' "$case_dir/calls" >"$tree/tests/lint/tidy.sh"
  chmod +x "$tree/tests/lint/tidy.sh"
  cp -r "$source_root/host/setup" "$source_root/host/setup.sh" "$tree/host/"
  echo 'project(graphnet VERSION 1.2.3 LANGUAGES CXX)' >"$tree/CMakeLists.txt"
  touch "$tree/CMakePresets.json" "$tree"/plugins/{nope,extra}/CMakeLists.txt
  cat >"$tree/host/requirements.txt" <<'PINS'
#: download-mb 1
#: disk-mb 1
#: free-mb 50
#: unpack torch/lib/*
tiny==1.0 --hash=sha256:00
PINS
  echo 'tiny==1.0 --hash=sha256:00' >"$tree/plugins/extra/requirements.txt"
  fake_machine
  mkdir -p "$case_dir/wheel/torch/lib"
  touch "$case_dir/wheel/torch/lib/libtorch_cpu.so" "$case_dir/wheel/torch/setup.py"
  (cd "$case_dir/wheel" && "$real_cmake" -E tar cf ../wheel.whl --format=zip torch)
}

cache() { echo "$case_dir/home/.cache/graphnet"; }
host_tree() { echo "$(cache)/$(sha256sum "$tree/host/requirements.txt" | cut -d' ' -f1)"; }

# call PROGRAM ARGUMENT...: runs it in the fake machine; sets code, out and err.
call() {
  (cd "$case_dir" && "${machine[@]}" "$@" >"$case_dir/out" 2>"$case_dir/err" </dev/null)
  code=$?
  out=$(<"$case_dir/out")
  err=$(<"$case_dir/err")
}

# --- expectations ---------------------------------------------------------------------------

flunk() {
  echo "FAILED $current: $1"
  printf -- '--- exit %s, stdout:\n%s\n--- stderr:\n%s\n--- calls:\n%s\n' "${code:-}" "${out:-}" \
    "${err:-}" "$(<"$case_dir/calls")" | sed 's/^/    /'
  failures=$((failures + 1))
}

expect_code() { [[ $code == "$1" ]] || flunk "exit $code, not $1"; }
expect_out() { [[ $out == "$1" ]] || flunk "stdout is not '$1'"; }
expect_err() { [[ $err == *"$1"* ]] || flunk "stderr lacks '$1'"; }
expect_call() { grep -qF -- "$1" "$case_dir/calls" || flunk "no call '$1'"; }
expect_no_call() { ! grep -qE -- "$1" "$case_dir/calls" || flunk "a call matches '$1'"; }
expect_path() { [[ -e $1 ]] || flunk "$1 is missing"; }
expect_no_path() { [[ ! -e $1 ]] || flunk "$1 is there"; }
readonly changes='apt-get.* (install|update)|download|--preset|--build'

# --- all cases ------------------------------------------------------------------------------

# run_cases CASE...: those named, else every function case_*.
run_cases() {
  local cases
  mapfile -t cases < <(declare -F | sed -n 's/^declare -f case_//p')
  if (($#)); then cases=("$@"); fi
  for current in "${cases[@]}"; do
    new_case
    "case_$current"
  done
  echo "${#cases[@]} cases, $failures failed expectations"
  ((failures == 0))
}
