#!/usr/bin/env bash
# clang-tidy over the sources of host, sdk and plugins, with the checks of .clang-tidy and the compile
# commands of preset tidy: no precompiled headers, and each source includes its own
# header first, so a header that does not compile alone is found too.
#
#   tests/lint/tidy.sh [--all] [--seconds N]
#
#   (default)     what changed since the merge base with main (on main: in the last commit), the working tree
#                 included; a changed header stands for a source that includes it
#   --all         the others too, after those and in an order that differs from commit to commit
#   --seconds N   starts no check after that time (default: 3600)
#
# Exit code 1 if something was found, 3 if time was over before all that changed was checked.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
# shellcheck source=tests/lint/tools.sh
source tests/lint/tools.sh
all='' seconds=3600
while (($#)); do
  case $1 in
    --all) all=1 ;;
    --seconds) seconds=$2 && shift ;;
    *) sed -n '2,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
  esac
  shift
done
deadline=$(($(date +%s) + seconds))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# changed_files: paths from the root, one per line.
changed_files() {
  local head base='' main
  if ! head=$(git rev-parse --verify --quiet HEAD); then
    echo "tidy: there is no git history here, so no file counts as changed" >&2
    return 0
  fi
  for main in origin/main main; do
    base=$(git merge-base HEAD "$main" 2>/dev/null) && break
  done
  if [[ -z $base || $base == "$head" ]]; then
    base=$(git rev-parse --verify --quiet 'HEAD^') || base=$head # a clone of one commit
  fi
  git diff --name-only --diff-filter=d "$base" --
  git ls-files --others --exclude-standard
}

# source_for FILE: itself, or for a header the source of its name, or one that includes it.
source_for() {
  local include
  case $1 in
    *.cc) echo "$1" ;;
    *.h)
      include=$(basename "$(dirname "$1")")/$(basename "$1")
      if [[ -f ${1%.h}.cc ]]; then
        echo "${1%.h}.cc"
      else
        grep -rlF --include='*.cc' "\"$include\"" host sdk plugins | head -n 1 || true
      fi
      ;;
  esac
}

# check_one FILE: what it finds is printed at once and noted; nothing after the deadline.
check_one() {
  local found
  (($(date +%s) < deadline)) || return 0
  if ! found=$("$tidy" --quiet -p build/tidy "$1" 2>"$work/talk.$$"); then
    printf '%s\n' "${found:-$(<"$work/talk.$$")}"
    echo "$1" >>"$work/found"
  fi
  echo "$1" >>"$work/checked"
}

# check LIST: two at a time or as many as there are cores.
check() {
  export -f check_one
  export tidy=$tools/clang_tidy/data/bin/clang-tidy deadline work
  # shellcheck disable=SC2016 # for the inner shell
  xargs -r -d '\n' -n 1 -P "$(nproc)" bash -c 'check_one "$1"' check_one <"$1"
}

count() { sort -u "$@" | wc -l; }

options=()
[[ -z ${GRAPHNET_TORCH:-} ]] || options+=("-DGRAPHNET_TORCH=$(realpath "$GRAPHNET_TORCH")")
if ! cmake --preset tidy "${options[@]}" >"$work/configure" 2>&1; then
  cat "$work/configure"
  exit 1
fi
touch "$work"/{found,checked}
sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' build/tidy/compile_commands.json |
  sed -n -E "s#^$PWD/((host|sdk|plugins)/.*\.cc)\$#\1#p" | sort -u >"$work/known"
[[ $(count "$work/known") -gt 300 ]] || { echo "tidy: too few compile commands" && exit 1; }
changed_files | while read -r file; do source_for "$file"; done | sort -u |
  comm -12 - "$work/known" >"$work/changed"
started=$SECONDS
check "$work/changed"
wanted=$work/changed
if [[ -n $all ]]; then
  wanted=$work/known
  comm -23 "$work/known" "$work/changed" |
    shuf --random-source=<(yes "$(git rev-parse HEAD 2>/dev/null)") >"$work/others"
  check "$work/others"
fi
left=$(comm -23 "$work/changed" <(sort "$work/checked") | wc -l)
echo "tidy: $(count "$work/checked") of $(count "$wanted") files in $((SECONDS - started)) s," \
  "$(count "$work/found") with findings; changed: $(count "$work/changed"), not checked of those: $left"
[[ ! -s $work/found ]] || exit 1
((left == 0)) || exit 3
