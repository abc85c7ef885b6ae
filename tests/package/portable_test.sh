#!/usr/bin/env bash
# Packs what was built (tests/gpu/pack), moves the folder, and uses it there with the libtorch that GRAPHNET_TORCH names:
# nothing outside the two may be needed.
#
#   tests/package/portable_test.sh SOURCE BUILD TORCH
set -uo pipefail

source_root=$1 build=$2 torch=$(realpath "$3")
[[ -e $build/lib/graphnet/plugins/xla/libgn_xla.so ]] || {
  echo "skipped: plugin xla is not built"
  exit 77 # ctest: SKIP_RETURN_CODE
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
flunk() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

# call COMMAND...: without variables of whoever runs the tests; sets code and out.
call() {
  out=$(cd "$scratch" && env -i HOME="$scratch" PATH="$PATH" "$@" 2>&1 </dev/null)
  code=$?
}
expect_code() { [[ $code == "$1" ]] || flunk "$2: exit $code, not $1: $out"; }
expect_out() { [[ $out == *"$1"* ]] || flunk "$2: '$1' is not in: $out"; }

call "$source_root/tests/gpu/pack" --build "$build" --out "$scratch/packed"
echo "$out"
expect_code 0 pack
[[ $code == 0 ]] || exit 1
home="$scratch/another place"
mv "$scratch/packed" "$home"
sample=$home/share/graphnet/samples/transformers-auto-model/sadhaklal_mlp-iris

for program in "$home"/bin/* "$home"/lib/graphnet/plugins/*/*.so; do
  if LC_ALL=C readelf -d "$program" | grep -E '\((RPATH|RUNPATH)\)' | grep -qE '\[/|:/'; then
    flunk "$program has an absolute run path"
  fi
  found=$(env -i LD_LIBRARY_PATH="$torch/torch/lib" ldd "$program" |
    awk '$3 ~ /^\// { print $1 }' | grep -vE '^lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|torch_cpu|c10|cudart|cupti|gomp|util)[.-]')
  [[ -z $found ]] || flunk "$program needs $found"
done

call "$home/bin/graphnet" --version
expect_code 0 version
call GRAPHNET_TORCH="$torch" "$home/bin/graphnet" doctor
expect_code 0 doctor
expect_out 'nope' doctor
run=("$home/bin/graphnet" run "$sample" --config nope.yaml --protocol smoke -o "$scratch/results.jsonl")
call "${run[@]}"
expect_code 5 'run without a libtorch'
expect_out 'try: set GRAPHNET_TORCH' 'run without a libtorch'
call GRAPHNET_TORCH="$scratch" "${run[@]}"
expect_code 5 'run with a wrong GRAPHNET_TORCH'
expect_out 'GRAPHNET_TORCH names no libtorch' 'run with a wrong GRAPHNET_TORCH'
call GRAPHNET_TORCH="$torch" "${run[@]}"
expect_code 0 run
expect_out '1 ok' run
ln -s "$torch/torch" "$home/torch"
call "$home/bin/graphnet" run "$sample" --config nope.yaml --protocol smoke -o "$scratch/linked.jsonl"
expect_code 0 'run with torch/ beside bin/'
rm "$home/torch"

call "$home/tests/gpu/run"
expect_code 5 'tests/gpu/run without GRAPHNET_TORCH'
# From here on for machines without a GPU: with one, tests/gpu/run is what should be called.
compgen -G '/dev/nvidia[0-9]*' >/dev/null && exit "$((failures > 0))"
[[ -e $torch/torch/lib/libtorch_cuda.so ]] || {
  call GRAPHNET_TORCH="$torch" "$home/tests/gpu/run"
  expect_code 5 'tests/gpu/run without libtorch_cuda'
  expect_out 'has no libtorch_cuda.so' 'tests/gpu/run without libtorch_cuda'
}
# A libtorch with a CUDA part as far as the script looks.
mkdir -p "$scratch/site/torch/lib"
ln -s "$torch"/torch/lib/* "$scratch/site/torch/lib/"
ln -s "$torch/nvidia" "$scratch/site/nvidia"
ln -sf /dev/null "$scratch/site/torch/lib/libtorch_cuda.so"
call GRAPHNET_TORCH="$scratch/site" "$home/tests/gpu/run" --out "$scratch/gpu"
expect_code 5 'tests/gpu/run without a device'
expect_out 'tests/gpu/run: ' 'tests/gpu/run without a device'
expect_out 'driver' 'tests/gpu/run without a device'
# Without ctest, under a made-up driver: tests run one by one, what fails is told, nothing ends the script early.
mkdir "$scratch/tools" "$scratch/driver"
for tool in bash env dirname readlink realpath date mkdir sed tee grep timeout find sort head cat rm; do
  ln -s "$(command -v "$tool")" "$scratch/tools/"
done
ln -s "$build/tests/cuda/ready.so" "$scratch/driver/libcuda.so.1"
call PATH="$scratch/tools" LD_LIBRARY_PATH="$scratch/driver" GRAPHNET_TORCH="$scratch/site" \
  "$home/tests/gpu/run" --out "$scratch/gpu"
expect_code 1 'tests/gpu/run without ctest'
expect_out 'passed   gpu/GpuTest.FlushRuns' 'tests/gpu/run without ctest'
expect_out 'skipped  gpu/EagerOnCuda.' 'tests/gpu/run without ctest'
expect_out 'failed: tests samples' 'tests/gpu/run without ctest'
call GRAPHNET_TORCH="$torch" ctest --test-dir "$home" -L gpu
expect_code 0 'ctest in the folder'
expect_out '100% tests passed' 'ctest in the folder'
expect_out 'Skipped' 'ctest in the folder'
exit "$((failures > 0))"
