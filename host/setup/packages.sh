# shellcheck shell=bash
# Debian packages: which are missing, how large they are, how they get installed.
# Part of host/setup.sh.

# package, how its presence is seen ('tool NAME' on PATH, 'header NAME', or 'program NAME' where
# packages put them), who needs it. Headers are looked for, not packages: what was installed by other
# means is as good. 'tested' is what tests use that are skipped without it.
readonly package_table='
g++                 tool    g++                    build
cmake               tool    cmake                  build
ninja-build         tool    ninja                  build
libboost-dev        header  boost/dll.hpp          build
libyaml-cpp-dev     header  yaml-cpp/yaml.h        build
libspdlog-dev       header  spdlog/spdlog.h        build
libcli11-dev        header  CLI/CLI.hpp            build
nlohmann-json3-dev  header  nlohmann/json.hpp      build
libssl-dev          header  openssl/evp.h          build
libsqlite3-dev      header  sqlite3.h              build
libgtest-dev        header  gtest/gtest.h          tests
libbenchmark-dev    header  benchmark/benchmark.h  tests
unzip               tool    unzip                  wheels
ccache              tool    ccache                 optional
mold                tool    mold                   optional
slurm-wlm           program slurmctld              tested
munge               program munged                 tested
zsh                 program zsh                    tested
fish                program fish                   tested
chromium            program chromium               tested'

readonly minimum_cmake=3.25
readonly apt_options=(-y --no-install-recommends -o DPkg::Lock::Timeout=300)

# Tests point this at a folder that plays the machine's root.
sysroot=${GRAPHNET_SETUP_SYSROOT:-}

# os_release KEY
os_release() {
  [[ -r $sysroot/etc/os-release ]] || return 0
  sed -n "s/^$1=\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" "$sysroot/etc/os-release"
}

is_supported_system() {
  [[ $(uname -s) == Linux && $(uname -m) == x86_64 ]] || return 1
  [[ " $(os_release ID) $(os_release ID_LIKE) " == *" debian "* ]]
}

system_name() {
  local name
  name=$(os_release PRETTY_NAME)
  echo "${name:-$(uname -s)} on $(uname -m)"
}

require_supported_system() {
  is_supported_system || fail 5 "no set-up for this system" \
    "this is $(system_name); set-up knows Debian and its relatives (Ubuntu, Mint, ...) on x86_64" \
    "a Debian container or machine; the package names are in host/setup/packages.sh"
}

# has_part KIND NAME
has_part() {
  local folder folders=(/usr/include /usr/local/include /usr/include/x86_64-linux-gnu)
  case $1 in
    tool)
      command -v "$2" >/dev/null
      return
      ;;
    program) folders=(/usr/bin /usr/sbin) ;;
  esac
  for folder in "${folders[@]}"; do
    [[ -e $sysroot$folder/$2 ]] && return 0
  done
  return 1
}

# find_pip: sets pip_command; a pip that cannot start (an empty version manager's stub) is no pip.
find_pip() {
  local candidate
  for candidate in 'python3 -m pip' pip3 pip; do
    read -ra pip_command <<<"$candidate"
    "${pip_command[@]}" --version >/dev/null 2>&1 && return 0
  done
  pip_command=()
  return 1
}

# missing_packages NEED...: names, one per line, for the given needs (third column of the table).
missing_packages() {
  local package kind name need
  while read -r package kind name need; do
    [[ -n $package && " $* " == *" $need "* ]] || continue
    has_part "$kind" "$name" || echo "$package"
  done <<<"$package_table"
  if [[ " $* " == *" wheels "* ]] && ! find_pip; then echo python3-pip; fi
}

# apt_estimate PACKAGE...: download and disk size in apt's words; nothing if apt cannot tell yet.
apt_estimate() {
  LC_ALL=C apt-get "${apt_options[@]}" -o Debug::NoLocking=1 --assume-no install "$@" 2>/dev/null |
    sed -n -e 's/^Need to get \(.*\) of archives.*/\1 to download/p' \
      -e 's/^After this operation, \(.*\) of additional disk space.*/\1 on disk/p' |
    paste -sd, - | sed 's/,/, /g' || true
}

# set_root_command: sets root_command to what makes apt-get run as root; fails where nothing does.
set_root_command() {
  root_command=()
  [[ $(id -u) == 0 ]] && return 0
  root_command=(sudo -n)
  command -v sudo >/dev/null && sudo -n apt-get --version >/dev/null 2>&1
}

# require_root_for PACKAGE...
require_root_for() {
  set_root_command || fail 5 "Debian packages are missing: $*" \
    "installing them takes root, and sudo without a password is not to be had here" \
    "sudo apt-get install ${apt_options[*]} $*
then the same graphnet command again (after 'sudo apt-get update' if a package is not found)"
}

describe_apt() { echo "apt-get: $(tail -n 1 "$setup_log" | tr -d '\r')"; }

run_apt() {
  local status=0
  setup_child_is_apt=1
  DEBIAN_FRONTEND=noninteractive \
    watch_command describe_apt "${root_command[@]}" apt-get "$@" || status=$?
  setup_child_is_apt=
  return "$status"
}

# install_now PACKAGE...: package lists are fetched only if without them it does not work.
install_now() {
  LC_ALL=C apt-get -s "${apt_options[@]}" install "$@" >/dev/null 2>&1 &&
    run_apt "${apt_options[@]}" install "$@" && return 0
  say "fetching the package lists"
  run_apt -o DPkg::Lock::Timeout=300 update || true # a dead third-party source is not our end
  run_apt "${apt_options[@]}" install "$@"
}

# install_packages PACKAGE...
install_packages() {
  require_root_for "$@"
  command -v apt-get >/dev/null || fail 5 "Debian packages are missing: $*" \
    "there is no apt-get on PATH" "install them in the way this system is managed"
  say "installing $*"
  install_now "$@" && return 0
  show_log_tail
  fail 5 "the packages could not be installed" "apt-get failed, see above" \
    "apt-get update && apt-get install ${apt_options[*]} $* (as root)"
}

# install_optional CONSEQUENCE PACKAGE...: their absence stops nothing, and one that cannot be had
# does not cost the others.
install_optional() {
  local consequence=$1 package missed=()
  shift
  if ! set_root_command || ! command -v apt-get >/dev/null; then
    missed=("$@")
  elif ! install_now "$@"; then
    for package in "$@"; do
      run_apt "${apt_options[@]}" install "$package" || missed+=("$package")
    done
  fi
  ((${#missed[@]} == 0)) || say "going on without ${missed[*]} ($consequence)"
}

require_cmake_version() {
  local version
  version=$(cmake --version | sed -n '1s/^cmake version //p')
  [[ $(printf '%s\n' "$minimum_cmake" "$version" | sort -V | head -n 1) == "$minimum_cmake" ]] ||
    fail 5 "cmake $version is too old" "the build needs $minimum_cmake or newer" \
      "put a newer cmake on PATH"
}
