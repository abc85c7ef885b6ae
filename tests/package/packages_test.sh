#!/usr/bin/env bash
# The Debian packages that cpack makes, installed one after another into an empty root: the host with one plugin, another
# plugin, the SDK.
#
#   packages_test.sh BUILD TORCH_FOLDER
set -euo pipefail
build=$1
torch=$2
source=$(cd "$(dirname "$0")/../.." && pwd -P)
for tool in cpack dpkg dpkg-deb; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info" "$work/home"
touch "$root/var/lib/dpkg/status"
(cd "$build" && cpack -G DEB -B "$work/packages") >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

# The root has no C library of its own, which packages depend on.
install() {
  local name
  for name in "$@"; do
    dpkg --root="$root" --force-depends --force-script-chrootless --force-not-root --log=/dev/null \
      -i "$work"/packages/"${name}"_*.deb >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  done
}
as_user() {
  env -i HOME="$work/home" PATH="$root/usr/bin:/usr/local/bin:/usr/bin:/bin" GRAPHNET_TORCH="$torch" "$@" >"$work/out" 2>&1
}
expect() {
  grep -q -- "$1" "$work/out" || { echo "'$1' is not in:"; cat "$work/out"; exit 1; }
}

cd "$work/home"
sample=$root/usr/share/graphnet/samples/mmpose/SimpleBaseline3D
install graphnet graphnet-plugin-nope
as_user graphnet plugin list --why
expect '^nope '
expect "searched $root/usr/lib/graphnet/plugins"
as_user graphnet run "$sample" --config nope --protocol smoke
expect '^1 ok'
as_user graphnet setup nonsense && { echo "setup takes any name"; exit 1; }
expect "called 'nonsense': torch"
[[ -s $root/usr/share/man/man1/graphnet-run.1 ]] || { echo "no manual page"; exit 1; }

if [[ -f $(echo "$work"/packages/graphnet-plugin-tvm_*.deb) ]]; then
  as_user graphnet run "$sample" --config tvm && { echo "tvm runs without its package"; exit 1; }
  expect "no plugin"
  install graphnet-plugin-tvm
  as_user graphnet setup nonsense && exit 1
  expect "called 'nonsense': torch, tvm"
  as_user graphnet plugin list
  expect '^tvm '
fi

# Linked with libraries of a wheel, which each user has in a folder of their own.
if [[ -f $(echo "$work"/packages/graphnet-plugin-openvino_*.deb) ]]; then
  install graphnet-plugin-openvino
  folder=$root/usr/lib/graphnet/plugins/openvino
  LC_ALL=C readelf -d "$folder/libgn_openvino.so" | grep -E 'RUNPATH' | grep -F '/' &&
    { echo "the package has a run path of this machine"; exit 1; }
  as_user graphnet run "$sample" --config openvino && { echo "openvino runs without its wheel"; exit 1; }
  expect 'libopenvino.so.*: graphnet setup openvino'
  name=$(sha256sum "$folder/requirements.txt" | cut -d' ' -f1)
  mkdir -p "$work/home/.cache/graphnet"
  ln -s "$(readlink -f "$source/.deps/$name")" "$work/home/.cache/graphnet/$name"
  as_user graphnet plugin list
  expect '^openvino .* ok '
  as_user graphnet run "$sample" --config openvino --protocol smoke
  expect '^1 ok'
fi

install graphnet-sdk graphnet-conformance
as_user graphnet plugin new acme
as_user cmake -S acme -B acme/build -DCMAKE_PREFIX_PATH="$root/usr" || { cat "$work/out"; exit 1; }
as_user cmake --build acme/build || { cat "$work/out"; exit 1; }
as_user graphnet plugin check acme/build/lib/graphnet/plugins/acme --level 2 --junit acme.xml || { cat "$work/out"; exit 1; }
expect 'level 2  conformance passed'
grep -q 'level 1 compile' acme.xml || { echo "no JUnit:"; cat acme.xml; exit 1; }
