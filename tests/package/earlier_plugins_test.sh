#!/usr/bin/env bash
# Plugins that were built with the headers of earlier versions load, or are refused with both versions in the message: by
# their manifests and, where a manifest says what is not so, by the library. earlier_plugins_test.sh SOURCE BUILD
set -euo pipefail
root=$1 graphnet=$2/bin/graphnet
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

skip() {
  echo "skipped: $1"
  exit 77 # ctest: SKIP_RETURN_CODE
}

fail() {
  echo "$1:"
  cat "$work/output"
  exit 1
}

# build COMMIT FOLDER: the control as it was then, with the headers of then.
build() {
  mkdir "$2"
  git -C "$root" archive "$1" sdk/include plugins/nope | tar -x -C "$2"
  c++ -std=c++17 -fPIC -shared -fvisibility=hidden -I "$2/sdk/include" "$2/plugins/nope/plugin.cc" -o "$2/plugins/nope/libgn_nope.so"
}

# check FOLDER: level 1 of plugin check, which loads the plugin and compiles a graph.
check() {
  "$graphnet" plugin check --level 1 "$1/plugins/nope/libgn_nope.so" >"$work/output" 2>&1
}

# refuses FOLDER VERSION: the message names the plugin's version and this host's.
refuses() {
  ! check "$1" || fail "a plugin of ABI $2 passes"
  grep -q "is built for plugin ABI $2[,;] this host speaks $here" "$work/output" || fail "no message names ABI $2 and $here"
}

git -C "$root" rev-parse --verify --quiet HEAD >/dev/null || skip "earlier versions are built from the repository's history"
here=$(sed -n 's/^#define GN_ABI_M[AJIN]*OR //p' "$root/sdk/include/graphnet/abi.h" | paste -sd .)
while read -r version commit verdict; do
  if ! git -C "$root" rev-parse --verify --quiet "$commit^{commit}" >/dev/null; then
    echo "$version $commit: not in this clone"
    continue
  fi
  folder=$work/$version-$commit
  build "$commit" "$folder"
  case $verdict in
    loads) check "$folder" || fail "the plugin of ABI $version ($commit) does not load" ;;
    refuses)
      refuses "$folder" "$version"
      sed -i "s/^abi:.*/abi: { major: ${here%.*}, minor: ${here#*.} }/" "$folder/plugins/nope/plugin.yaml"
      refuses "$folder" "$version"
      ;;
  esac
  echo "$version $commit: $verdict"
done < <(sed '/^#/d' "$root/tests/package/earlier_plugins.txt")
