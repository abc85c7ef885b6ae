#!/usr/bin/env bash
# The commands of sdk/README.md work as written, in this order, in an empty folder.
set -euo pipefail
root=$1
export BUILD=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SDK=$work/sdk SAMPLES=$root/samples PATH=$BUILD/bin:$PATH
cd "$work"
awk '/^```sh$/{inside=1; next} /^```$/{inside=0} inside{print}' "$root/sdk/README.md" >commands
[[ $(wc -l <commands) -ge 7 ]] || { echo "sdk/README.md has fewer commands than this test knows"; exit 1; }
bash -euxo pipefail commands >output 2>&1 || { cat output; exit 1; }
for part in 'the three functions of the ABI' 'loads, compiles and runs a graph' 'sadhaklal_mlp-iris acme ' '1 ok'; do
  grep -q -- "$part" output || { echo "'$part' is not in:"; cat output; exit 1; }
done
