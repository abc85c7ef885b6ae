# shellcheck shell=bash
# Set-up of a source tree: Debian packages, wheels, configure, build. Sourced by ./graphnet and
# tests/run, never run. host/setup/ has its parts.
#
#   setup_open ROOT           where the source tree is; call first
#   setup_is_done PLUGIN...   true if the last set-up still holds (takes milliseconds)
#   setup_program PLUGIN...   does what is missing for the program and these plugins
#   setup_tests               the same for every plugin that can be had, with tests and what they
#                             need; sets missed_plugins to those that cannot
#   setup_portable            what tests/gpu/pack carries to other machines
#
# Whatever fails prints its reason and ends the process: 5 for the environment, 70 for the build.

setup_here=$(dirname "${BASH_SOURCE[0]}")/setup
# shellcheck source=host/setup/terminal.sh
source "$setup_here/terminal.sh"
# shellcheck source=host/setup/packages.sh
source "$setup_here/packages.sh"
# shellcheck source=host/setup/wheels.sh
source "$setup_here/wheels.sh"
# shellcheck source=host/setup/build.sh
source "$setup_here/build.sh"

readonly build_mb=1000 # free space asked for where a build folder is made

setup_yes=      # set it before anything else to answer every question with yes
setup_for_tests= # set by setup_tests: what only tests need is had too

setup_open() {
  setup_root=$(cd -P "$1" && pwd)
  setup_log=$setup_root/build/release/setup.log
  setup_stamp=$setup_root/build/release/setup.stamp
  # Trees that are linked stay in use: another XDG_CACHE_HOME would fetch and build them once more.
  setup_cache=$(linked_cache)
  [[ -z $setup_cache ]] || return 0
  if [[ -z ${XDG_CACHE_HOME:-${HOME:-}} ]]; then
    fail 5 "no folder for downloads" "neither XDG_CACHE_HOME nor HOME is set" \
      "XDG_CACHE_HOME=/some/folder ./graphnet ..."
  fi
  setup_cache=$(realpath -m "${XDG_CACHE_HOME:-$HOME/.cache}")/graphnet
}

# stamp_text PLUGINS: what a finished set-up was made from.
stamp_text() {
  local file plugins
  IFS=';' read -ra plugins <<<"$1"
  echo "root $setup_root"
  echo "torch $(torch_folder)"
  echo "plugins ;$1;"
  while read -r file; do echo "tree $(tree_of "$file")"; done \
    < <(requirement_files "${plugins[@]}")
}

# setup_is_done PLUGIN...: compares the stamp with the machine and looks for a source that is newer
# than it. A build stays finished while its libtorch is where it was; only a GRAPHNET_TORCH that names
# another one changes that. The stamp is as old as the start of the last build, so an edit during a build counts; a
# folder is newer when something in it was added or removed. tests/ is not the program.
setup_is_done() {
  local key value plugin built='' newer
  [[ -f $setup_stamp && -x $setup_root/build/release/bin/graphnet ]] || return 1
  while read -r key value; do
    case $key in
      root) [[ $value == "$setup_root" ]] || return 1 ;;
      torch)
        [[ -d $value/torch ]] || return 1
        [[ -z ${GRAPHNET_TORCH:-} || $value == "$(torch_folder)" ]] || return 1
        ;;
      plugins) built=$value ;;
      tree) [[ -d $value ]] || return 1 ;;
    esac
  done <"$setup_stamp"
  for plugin in "$@"; do [[ $built == *";$plugin;"* ]] || return 1; done
  newer=$(cd "$setup_root" && find CMakeLists.txt CMakePresets.json host sdk plugins \
    -newer "$setup_stamp" -print -quit)
  [[ -z $newer ]]
}

# make_plan NEEDS PLUGIN...: sets the plan_ variables; NEEDS is 'build' or 'build tests'.
make_plan() {
  local needs=$1
  shift
  mapfile -t plan_trees < <(missing_trees "$@"; missing_test_trees)
  ((${#plan_trees[@]} == 0)) || needs+=' wheels'
  # shellcheck disable=SC2086 # a list of words
  mapfile -t plan_packages < <(missing_packages $needs)
  plan_optional=() # only before the first build: later they would not change much
  [[ -f $(build_folder)/build.ninja ]] || mapfile -t plan_optional < <(missing_packages optional)
  plan_tested=() # without root their tests are skipped
  [[ -z $setup_for_tests ]] || ! set_root_command ||
    mapfile -t plan_tested < <(missing_packages tested)
}

show_plan() {
  local file mb disk estimate
  local packages=("${plan_packages[@]}" "${plan_optional[@]}" "${plan_tested[@]}")
  say "this is set up first:"
  if ((${#packages[@]})); then
    estimate=$(apt_estimate "${packages[@]}")
    printf '  packages  %s\n            %s\n' "${packages[*]}" \
      "with apt-get: ${estimate:-size not known before the package lists are fetched}" >&2
  fi
  for file in "${plan_trees[@]}"; do
    mb=$(requirement_setting "$file" download-mb)
    disk=$(requirement_setting "$file" disk-mb)
    printf '  wheels    %s\n            %s MB to download, %s MB on disk in\n            %s\n' \
      "$(requirement_names "$file")" "${mb:-?}" "${disk:-?}" "$(tree_of "$file")" >&2
  done
  printf '  build     %s, with %s of %s cores\n' "$(build_folder)" "$(build_jobs)" "$(nproc)" >&2
}

# Everything that can be refused is refused before anything is fetched.
check_plan() {
  local file mb sum=0
  require_supported_system
  require_given_torch
  for file in "${plan_trees[@]}"; do
    mb=$(requirement_setting "$file" free-mb)
    sum=$((sum + ${mb:-$build_mb}))
  done
  ((sum == 0)) || require_space "$setup_cache" "$sum" "the wheels"
  [[ -f $(build_folder)/build.ninja ]] || require_space "$setup_root" "$build_mb" "the build"
  ((${#plan_packages[@]} == 0)) || require_root_for "${plan_packages[@]}"
}

# make_folder FOLDER
make_folder() {
  if mkdir -p "$1" 2>/dev/null && [[ -w $1 ]]; then return 0; fi
  fail 5 "cannot write to $1" "set-up needs it" \
    "change its owner, or use a copy of the source tree and XDG_CACHE_HOME"
}

# get_trees OPTIONAL PLUGIN...: makes missing trees and sets got_plugins. With OPTIONAL set, a
# plugin whose wheels cannot be had goes to missed_plugins; the host is never optional. What tests
# need always is: each says itself what it lacks.
get_trees() {
  local optional=$1 plugin file
  shift
  got_plugins=() missed_plugins=()
  while read -r file; do
    make_tree "$file" || exit 5
  done < <(missing_trees)
  while read -r file; do
    make_tree "$file" || say "going on without $(requirement_names "$file")"
  done < <(missing_test_trees)
  for plugin in "$@"; do
    file=$(missing_trees "$plugin" | tail -n 1)
    if [[ -n $file ]] && ! make_tree "$file"; then
      [[ -n $optional ]] || exit 5
      say "going on without plugin $plugin"
      missed_plugins+=("$plugin")
      continue
    fi
    got_plugins+=("$plugin")
  done
}

# run_plan OPTIONAL TESTS TARGET PLUGIN...
run_plan() {
  local optional=$1 tests=$2 target=$3 plugins
  shift 3
  ((${#plan_packages[@]} == 0)) || install_packages "${plan_packages[@]}"
  ((${#plan_optional[@]} == 0)) || install_optional "builds take longer" "${plan_optional[@]}"
  ((${#plan_tested[@]} == 0)) || install_optional "their tests are skipped" "${plan_tested[@]}"
  if ((${#plan_trees[@]})); then
    find_pip || fail 5 "there is no pip" "python3-pip did not bring one" "python3 -m pip --version"
    take_lock 8 "$setup_cache/lock" # other source trees fetch into the same folder
  fi
  get_trees "$optional" "$@"
  exec 8>&-
  link_deps
  plugins=$(plugin_list "${got_plugins[@]}")
  stamp_text "$plugins" >"$setup_stamp.new" # its age counts: see setup_is_done
  if must_configure "$plugins" "$tests"; then configure "$plugins" "$tests"; fi
  build "$target"
  mv "$setup_stamp.new" "$setup_stamp"
}

# carry_out OPTIONAL TESTS TARGET PLUGIN...
carry_out() {
  local needs='build' plugins=("${@:4}")
  [[ -z $2 ]] || needs='build tests'
  trap 'stop 130' INT
  trap 'stop 143' TERM HUP
  make_plan "$needs" "${plugins[@]}"
  check_plan
  if ((${#plan_packages[@]} + ${#plan_tested[@]} + ${#plan_trees[@]})) || [[ ! -f $(build_folder)/build.ninja ]]; then
    show_plan
    confirm "go on?"
  fi
  make_folder "$(build_folder)"
  make_folder "$setup_cache"
  take_lock 9 "$setup_root/build/setup.lock"
  make_plan "$needs" "${plugins[@]}" # another set-up may have done it while this one waited
  : >"$setup_log"
  run_plan "$@"
  exec 9>&- # or the program started next would hold it
  trap - INT TERM HUP
}

setup_program() {
  # Plugins of last time stay built, so their wheels must be there.
  local plugins
  IFS=';' read -ra plugins <<<"$(plugin_list "$@")"
  carry_out '' '' graphnet_all "${plugins[@]}"
}

setup_tests() {
  local file plugins=()
  for file in "$setup_root"/plugins/*/CMakeLists.txt; do
    [[ -f $file ]] && plugins+=("$(basename "$(dirname "$file")")")
  done
  setup_for_tests=1
  carry_out optional ON '' "${plugins[@]}"
}

setup_portable() {
  local plugins
  IFS=';' read -ra plugins <<<"$(plugin_list xla)"
  carry_out '' ON portable "${plugins[@]}"
}
