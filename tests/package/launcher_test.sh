#!/usr/bin/env bash
# Tests ./graphnet on a machine of fakes (fake_machine.sh).
#
#   tests/package/launcher_test.sh [CASE...]

# shellcheck disable=SC2016,SC2329 # bodies of fakes; cases are called by name
set -uo pipefail
# shellcheck source=tests/package/fake_machine.sh
source "$(dirname "${BASH_SOURCE[0]}")/fake_machine.sh"

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

case_what_needs_no_worker_sets_nothing_up() {
  local words
  for words in report score compare 'merge -o x' 'evaluate --verify x' 'plugin list' '--json plugin info nope'; do
    # shellcheck disable=SC2086 # a list of words
    call "$tree/graphnet" $words
    expect_code 5
    expect_out ''
    expect_err "try: $tree/graphnet run --config nope.yaml"
  done
  expect_no_path "$tree/build"
  "${machine[@]}" mkdir -p "$tree/build/release/bin"
  "${machine[@]}" cmake --build x
  : >"$case_dir/calls"
  call env -u HOME "$tree/graphnet" report results
  expect_out '[report][results]'
  call "$tree/graphnet" --plugin-path x plugin list
  expect_out '[--plugin-path][x][plugin][list]'
  [[ ! -s $case_dir/calls ]] || flunk "something was set up"
  call "$tree/graphnet" plugin check nope
  expect_call --build
}

case_an_evaluation_is_set_up_for_with_a_config_only() {
  local words
  for words in 'evaluate x --config nope -o e' 'evaluate x -c nope' 'evaluate --config=nope'; do
    rm -rf "$tree/build"
    : >"$case_dir/calls"
    # shellcheck disable=SC2086 # a list of words
    call "$tree/graphnet" $words
    expect_call --build
  done
}

case_hints_name_the_command_as_typed() {
  call "$tree/graphnet" run
  printf '#!/bin/sh\nprintf %%s "$GRAPHNET_COMMAND"\n' >"$tree/build/release/bin/graphnet"
  call "$tree/graphnet" report
  expect_out "$tree/graphnet"
  cd "$tree" && call bash -c "cd '$tree' && ./graphnet report"
  expect_out ./graphnet
}

case_another_cache_folder_flips_nothing() {
  call "$tree/graphnet" run
  : >"$case_dir/calls"
  call env XDG_CACHE_HOME="$case_dir/other" "$tree/graphnet" run
  expect_out '[run]'
  [[ -z $err && ! -s $case_dir/calls ]] || flunk "a finished build is set up again"
  sleep 0.05
  touch "$tree/host/new.cc"
  call env XDG_CACHE_HOME="$case_dir/other" "$tree/graphnet" run
  expect_call --build
  expect_no_call '--preset|download'
  expect_no_path "$case_dir/other"
  [[ $(readlink "$tree/.deps") == "$(cache)" ]] || flunk ".deps is not the cache"
  rm -r "$(cache)" # gone: the new one is made
  call env XDG_CACHE_HOME="$case_dir/other" "$tree/graphnet" run
  expect_call download
  expect_path "$case_dir/other/graphnet"
}

case_a_given_torch_stays() {
  mkdir -p "$case_dir"/mine/{nvidia,torch/{lib,include}}
  touch "$case_dir/mine/torch/lib/libtorch_cpu.so"
  call env GRAPHNET_TORCH="$case_dir/mine" "$tree/graphnet" run
  : >"$case_dir/calls"
  call "$tree/graphnet" run
  expect_no_call "$changes"
  rm -r "$case_dir/mine"
  call "$tree/graphnet" run
  expect_call download
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
  [[ $out == "$(cache)"/*/jax_plugins/xla_cuda13/xla_cuda_plugin.so ]] || flunk "prints no path"
  expect_path "${out%/jax_plugins/*}/torch/lib/libtorch_cpu.so"
  : >"$case_dir/calls"
  call "$tree/plugins/xla/fetch-cuda"
  expect_no_call download
}

run_cases "$@"
