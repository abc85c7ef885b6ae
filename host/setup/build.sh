# shellcheck shell=bash
# Configure and build. Part of host/setup.sh.
#
# The launcher and tests/run share build/release: the launcher builds the target graphnet_all and
# never touches GRAPHNET_BUILD_TESTS; tests/run turns the tests on and builds everything. Plugins,
# once configured, stay. So neither makes the other build again.

readonly mb_per_job=1500 # peak of one compiler with the largest header of libtorch

build_folder() { echo "$setup_root/build/release"; }

# cached NAME: value in CMake's cache.
cached() {
  local file
  file=$(build_folder)/CMakeCache.txt
  [[ -f $file ]] || return 0
  sed -n "s|^$1:[A-Z]*=||p" "$file"
}

# plugin_list PLUGIN...: what to configure: nope, those asked for, those of last time that still
# exist; separated by semicolons.
plugin_list() {
  local plugin
  for plugin in nope $(cached GRAPHNET_PLUGINS | tr ';' ' ') "$@"; do
    [[ $plugin != nope && ! -f $setup_root/plugins/$plugin/CMakeLists.txt ]] || echo "$plugin"
  done | awk '!seen[$0]++' | paste -sd';' -
}

# must_configure PLUGINS TESTS: TESTS is ON, or empty for "as it is".
must_configure() {
  [[ -f $(build_folder)/build.ninja ]] || return 0
  [[ $(cached GRAPHNET_TORCH) == "$(torch_folder)" ]] || return 0
  [[ $(cached GRAPHNET_PLUGINS) == "$1" ]] || return 0
  [[ $(cached CMAKE_HOME_DIRECTORY) == "$setup_root" ]] || return 0
  [[ -n $2 && $(cached GRAPHNET_BUILD_TESTS) != ON ]]
}

available_mb() {
  local limit=/sys/fs/cgroup/memory.max used=/sys/fs/cgroup/memory.current machine group
  machine=$(awk '/^MemAvailable:/ { print int($2 / 1024) }' /proc/meminfo)
  group=$machine
  if [[ -r $limit && $(<"$limit") != max ]]; then
    group=$((($(<"$limit") - $(<"$used")) / 1048576))
  fi
  echo $((group < machine ? group : machine))
}

build_jobs() {
  local jobs by_memory
  jobs=$(nproc)
  by_memory=$(($(available_mb) / mb_per_job))
  ((by_memory >= jobs)) || jobs=$by_memory
  echo "${CMAKE_BUILD_PARALLEL_LEVEL:-$((jobs > 0 ? jobs : 1))}"
}

describe_configure() { echo "configuring"; }

describe_build() {
  local step
  step=$(tail -c 2000 "$setup_log" | grep -ao '^\[[0-9]*/[0-9]*\]' | tail -n 1) || true
  echo "building${step:+ $step}"
}

# configure PLUGINS TESTS
configure() {
  local options=(--preset release -S "$setup_root" "-DGRAPHNET_TORCH=$(torch_folder)"
    "-DGRAPHNET_PLUGINS=$1") home
  [[ -z $2 ]] || options+=(-DGRAPHNET_BUILD_TESTS="$2")
  home=$(cached CMAKE_HOME_DIRECTORY)
  # A source tree that was moved or copied with its build folder.
  [[ -z $home || $home == "$setup_root" ]] || options+=(--fresh)
  require_cmake_version
  say "configuring with plugins ${1//;/, }"
  watch_command describe_configure cmake "${options[@]}" && return 0
  show_log_tail
  fail 5 "cmake could not configure the build" "see above" \
    "fix what it names, then the same command again"
}

# build [TARGET]
build() {
  local started=$SECONDS first='' options=()
  [[ -z ${1:-} ]] || options=(--target "$1")
  [[ -x $(build_folder)/bin/graphnet ]] || first=1
  [[ -z $first ]] || say "building with $(build_jobs) jobs (log: $setup_log)"
  if ! watch_command describe_build cmake --build "$(build_folder)" "${options[@]}" \
    -j "$(build_jobs)"; then
    show_log_tail
    fail 70 "the build failed" "see above" \
      "cmake --build build/release to repeat it; a compiler that was killed ran out of memory
(CMAKE_BUILD_PARALLEL_LEVEL=1 needs least)"
  fi
  [[ -z $first ]] || say "built in $((SECONDS - started)) s"
}
