#!/usr/bin/env bash
# Tests ./graphnet and tests/run with fakes on PATH: no network, nothing installed, nothing built.
# Each case has its own source tree, home and machine below one temporary folder.
#
#   tests/package/launcher_test.sh [CASE...]

# shellcheck disable=SC2016 # bodies of fakes
set -uo pipefail

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
  mkdir -p "$case_dir/root/etc" "$case_dir/root/usr/include"
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
  cp "$source_root/tests/run" "$tree/tests/"
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

# --- cases ----------------------------------------------------------------------------------

case_informing_never_installs() {
  local words
  rm -r "$case_dir/root/usr/include"
  for words in '' --help -h help '--yes' 'run --help' 'run -h --config extra.yaml' \
    '--color never help run'; do
    # shellcheck disable=SC2086 # a list of words
    call "$tree/graphnet" $words
    expect_code 0
    [[ $out == *544\ MB* ]] || flunk "'$words' does not name what set-up fetches"
  done
  call "$tree/graphnet" --version
  expect_out 'graphnet 1.2.3 (source tree, not built)'
  call "$tree/graphnet" doctor
  expect_code 0
  [[ $out == *libboost-dev*missing* && $out == *tiny==1.0* ]] || flunk "doctor misses something"
  call "$tree/graphnet" completion bash
  expect_code 5
  expect_out ''
  expect_no_call "$changes"
  expect_no_path "$(cache)"
  expect_no_path "$tree/build"
}

case_informing_passes_to_the_program() {
  mkdir -p "$tree/build/release/bin"
  "${machine[@]}" cmake --build x
  : >"$case_dir/calls"
  call "$tree/graphnet" --yes help 'a b'
  expect_out '[help][a b]'
  call "$tree/graphnet" run --help
  expect_out '[run][--help]'
  expect_no_call "$changes"
}

case_everything_then_nothing() {
  call "$tree/graphnet" --yes run --config nope.yaml 'a b' --yes
  expect_code 0
  expect_out '[run][--config][nope.yaml][a b][--yes]'
  expect_path "$(host_tree)/torch/lib/libtorch_cpu.so"
  expect_no_path "$(host_tree)/torch/setup.py"
  expect_no_path "$(host_tree).wheels"
  [[ $(readlink "$tree/.deps") == "$(cache)" ]] || flunk ".deps is not the cache"
  expect_call "-DGRAPHNET_TORCH=$(host_tree) -DGRAPHNET_PLUGINS=nope"
  expect_call "--build $tree/build/release --target graphnet_all"
  expect_err 'the downloaded wheels are deleted'
  expect_no_call apt-get
  : >"$case_dir/calls"
  call "$tree/graphnet" run
  expect_out '[run]'
  [[ -z $err && ! -s $case_dir/calls ]] || flunk "a second call is not silent and idle"
}

case_an_edit_builds_again() {
  call "$tree/graphnet" run
  sleep 0.05
  : >"$case_dir/calls"
  touch "$tree/host/new.cc"
  call "$tree/graphnet" run
  expect_call --build
  expect_no_call '--preset|download'
}

case_config_brings_its_plugin() {
  call "$tree/graphnet" run
  : >"$case_dir/calls"
  call "$tree/graphnet" run --config=some/folder/extra.yaml
  expect_code 0
  expect_err 'tiny==1.0'
  expect_call '-DGRAPHNET_PLUGINS=nope;extra'
  expect_path "$(cache)/$(sha256sum "$tree/plugins/extra/requirements.txt" | cut -d' ' -f1)/torch"
  : >"$case_dir/calls"
  call "$tree/graphnet" run --config nope.yaml
  expect_no_call "$changes"
}

case_without_root() {
  rm "$case_dir/root/usr/include/CLI/CLI.hpp" "$case_dir/root/usr/include/openssl/evp.h"
  fake id <<<'echo 1000'
  call "$tree/graphnet" run
  expect_code 5
  expect_err 'graphnet: error: Debian packages are missing: libcli11-dev libssl-dev'
  expect_err "  try: sudo apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 \
libcli11-dev libssl-dev"
  expect_out ''
  expect_no_call 'download|--preset'
  expect_no_path "$tree/build"
}

case_apt_updates_only_when_needed() {
  rm "$case_dir/root/usr/include/openssl/evp.h"
  call "$tree/graphnet" run
  expect_code 0
  expect_call 'apt-get -y --no-install-recommends -o DPkg::Lock::Timeout=300 install libssl-dev'
  expect_no_call 'apt-get.* update'
  fake apt-get <<<'[[ $* != *"-s "* ]]' # the simulation fails: the lists are missing
  rm -r "$tree/build"
  call "$tree/graphnet" run
  expect_code 0
  expect_call 'apt-get -o DPkg::Lock::Timeout=300 update'
}

case_apt_through_sudo() {
  rm "$case_dir/root/usr/include/openssl/evp.h"
  fake id <<<'echo 1000'
  fake sudo <<<'[[ $1 == -n ]]'
  call "$tree/graphnet" run
  expect_code 0
  expect_call 'sudo -n apt-get -y --no-install-recommends'
}

case_other_systems() {
  printf 'ID=fedora\nPRETTY_NAME="Fedora"\n' >"$case_dir/root/etc/os-release"
  call "$tree/graphnet" run
  expect_code 5
  expect_err 'why: this is Fedora on x86_64'
  printf 'ID=ubuntu\nID_LIKE=debian\n' >"$case_dir/root/etc/os-release"
  fake uname <<<'[[ $1 == -m ]] && echo aarch64 || echo Linux'
  call "$tree/graphnet" run
  expect_code 5
  expect_no_call "$changes"
  fake uname <<<'[[ $1 == -m ]] && echo x86_64 || echo Linux'
  call "$tree/graphnet" run
  expect_code 0
}

case_too_little_space() {
  fake df <<<'printf "Filesystem blocks Used Available\nx 9999999 1 10\n"'
  call "$tree/graphnet" run
  expect_code 5
  expect_err 'has 10 MB free, 50 MB are needed'
  expect_no_call "$changes"
}

case_unpack_interrupted() {
  local launcher tries=0
  # Unpacks half and then takes its time.
  fake unzip <<'UNZIP'
mkdir -p "${@: -1}/torch/lib"
exec sleep 60
UNZIP
  (cd "$case_dir" && exec "${machine[@]}" "$tree/graphnet" run >/dev/null 2>&1 </dev/null) &
  launcher=$!
  until [[ -d $(host_tree).part/torch ]] || ((++tries > 200)); do sleep 0.05; done
  kill -TERM "$launcher"
  wait "$launcher"
  code=$?
  expect_code 143
  expect_no_path "$(host_tree)"
  rm "$case_dir/bin/unzip"
  call "$tree/graphnet" run
  expect_code 0
  expect_path "$(host_tree)/torch/lib/libtorch_cpu.so"
  expect_no_path "$(host_tree).part"
}

case_damaged_wheel() {
  echo 'not a zip' >"$case_dir/wheel.whl"
  call "$tree/graphnet" run
  expect_code 5
  expect_err 'wheels could not be unpacked'
  expect_no_path "$(host_tree)"
  expect_no_path "$(host_tree).part"
}

case_second_waits_for_the_first() {
  local launcher tries=0
  mkdir -p "$tree/build"
  exec 7<>"$tree/build/setup.lock"
  flock 7
  echo 4711 >&7
  (exec 7>&-; cd "$case_dir" && exec "${machine[@]}" "$tree/graphnet" run >out 2>err </dev/null) &
  launcher=$!
  until grep -qs 'another set-up is running (process 4711' "$case_dir/err" || ((++tries > 200)); do
    sleep 0.05
  done
  ((tries <= 200)) || flunk "it does not say that it waits"
  expect_no_call 'download|--preset'
  exec 7>&-
  wait "$launcher"
  code=$?
  expect_code 0
}

case_build_failure() {
  touch "$case_dir/build_breaks"
  call "$tree/graphnet" run
  expect_code 70
  expect_err '| x.cc:1: error: oops'
  expect_err "log: $tree/build/release/setup.log"
  rm "$case_dir/build_breaks"
  call "$tree/graphnet" run
  expect_code 0
}

case_torch_of_the_user() {
  call env GRAPHNET_TORCH="$case_dir/mine" "$tree/graphnet" run
  expect_code 5
  expect_err 'mine/torch/lib/libtorch_cpu.so does not exist'
  mkdir -p "$case_dir"/mine/{nvidia,torch/{lib,include}}
  touch "$case_dir/mine/torch/lib/libtorch_cpu.so"
  call env GRAPHNET_TORCH="$case_dir/mine" "$tree/graphnet" run
  expect_code 0
  expect_call "-DGRAPHNET_TORCH=$case_dir/mine"
  expect_no_call download
}

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

case_a_plugin_that_cannot_be_tested_fails_ci() {
  fake ctest <<<'exit 0'
  call "$tree/tests/run" --all-plugins
  expect_code 0
  mkdir -p "$tree/plugins/broken"
  touch "$tree/plugins/broken/CMakeLists.txt"
  echo 'gone==1.0 --hash=sha256:00' >"$tree/plugins/broken/requirements.txt"
  call "$tree/tests/run"
  expect_code 0
  call "$tree/tests/run" --all-plugins
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

case_cuda_wheels_on_request_only() {
  mkdir -p "$tree/plugins/xla"
  touch "$tree/plugins/xla/CMakeLists.txt"
  cp "$source_root/plugins/xla/fetch-cuda" "$tree/plugins/xla/"
  printf '#: free-mb 50\n#: unpack torch/lib/*\ntiny==1.0 --hash=sha256:00\n' >"$tree/plugins/xla/requirements-cuda.txt"
  call "$tree/graphnet" run --config xla.yaml
  call "$tree/tests/run"
  expect_no_call requirements-cuda
  call "$tree/plugins/xla/fetch-cuda"
  expect_code 0
  expect_call "-r $tree/plugins/xla/requirements-cuda.txt"
  [[ $out == "$(cache)"/*/jax_plugins/xla_cuda13/xla_cuda_plugin.so ]] || flunk "prints no place"
  expect_path "${out%/jax_plugins/*}/torch/lib/libtorch_cpu.so"
  : >"$case_dir/calls"
  call "$tree/plugins/xla/fetch-cuda"
  expect_no_call download
}

mapfile -t cases < <(declare -F | sed -n 's/^declare -f case_//p')
if (($#)); then cases=("$@"); fi
for current in "${cases[@]}"; do
  new_case
  "case_$current"
done
echo "${#cases[@]} cases, $failures failed expectations"
((failures == 0))
