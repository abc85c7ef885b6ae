#!/usr/bin/env bash
# graphnet setup: unpacks the wheels that requirements files pin into the user's cache folder.
#
#   fetch.sh NAME=FILE...
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=host/setup/terminal.sh
source "$here/terminal.sh"
# shellcheck source=host/setup/packages.sh
source "$here/packages.sh"
# shellcheck source=host/setup/wheels.sh
source "$here/wheels.sh"

if [[ -z ${XDG_CACHE_HOME:-${HOME:-}} ]]; then
  fail 5 "no folder for downloads" "neither XDG_CACHE_HOME nor HOME is set" \
    "XDG_CACHE_HOME=/some/folder graphnet setup ..."
fi
setup_cache=$(realpath -m "${XDG_CACHE_HOME:-$HOME/.cache}")/graphnet
mkdir -p "$setup_cache"
setup_log=$setup_cache/setup.log
trap 'stop 130' INT
trap 'stop 143' TERM HUP
take_lock 8 "$setup_cache/lock" # source trees fetch into the same folder
for part in "$@"; do
  name=${part%%=*}
  file=${part#*=}
  tree=$(tree_of "$file")
  if [[ -d $tree ]]; then
    say "$name is in $tree"
    continue
  fi
  find_pip || fail 5 "no pip" "wheels are downloaded by pip, and none starts" "apt-get install python3-pip"
  command -v unzip >/dev/null || fail 5 "no unzip" "wheels are unpacked by unzip" "apt-get install unzip"
  require_space "$setup_cache" "$(($(requirement_setting "$file" download-mb) + $(requirement_setting "$file" disk-mb)))" "$name"
  make_tree "$file" || exit 5
done
