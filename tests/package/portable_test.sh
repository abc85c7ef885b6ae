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
home="$scratch/another folder"
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

# All that tests/gpu/run needs, and no python3.
mkdir "$scratch/tools"
for tool in awk bash cat cp cut date dirname env find grep gzip head kill mkdir mktemp mv printf readlink realpath rm sed sort \
  stat tail tar tee timeout tr wc xargs; do
  ln -s "$(command -v "$tool")" "$scratch/tools/" 2>/dev/null || true
done
call PATH="$scratch/tools" "$home/tests/gpu/run"
expect_code 5 'tests/gpu/run without torch'
expect_out 'there is no torch: set GRAPHNET_TORCH' 'tests/gpu/run without torch'
# From here on for machines without a GPU: with one, tests/gpu/run is what should be called.
compgen -G '/dev/nvidia[0-9]*' >/dev/null && exit "$((failures > 0))"

# verdicts FOLDER: of the archive there, which must be the only file beside them.
verdicts() {
  [[ $(ls "$1") == "$(printf 'gpu-quick.tar.gz\nverdicts.txt')" ]] || flunk "$1 holds $(ls "$1")"
  tar -xzOf "$1/gpu-quick.tar.gz" gpu-quick/verdicts.txt
}
call GRAPHNET_TORCH="$torch" "$home/tests/gpu/run" --quick --out "$scratch/refused"
expect_code 5 'tests/gpu/run without a driver'
expect_out 'tests/gpu/run: no NVIDIA driver is installed' 'tests/gpu/run without a driver'
out=$(tar -tzf "$scratch/refused/gpu-quick.tar.gz")
for file in facts.log doctor.log doctor-device.log; do expect_out "gpu-quick/$file" 'archive without a driver'; done
out=$(verdicts "$scratch/refused")
expect_out 'doctor-device ' 'verdicts without a driver'
[[ $out != *GpuTest* ]] || flunk "tests were run without a driver: $out"
# A made-up driver, of which the loader knows.
mkdir "$scratch/driver"
ln -s "$build/tests/cuda/ready.so" "$scratch/driver/libcuda.so.1"
with_driver=(LD_LIBRARY_PATH="$scratch/driver" PATH="$scratch/tools")
[[ -e $torch/torch/lib/libtorch_cuda.so ]] || {
  call "${with_driver[@]}" GRAPHNET_TORCH="$torch" "$home/tests/gpu/run" --out "$scratch/cpu-only"
  expect_code 5 'tests/gpu/run without libtorch_cuda'
  expect_out 'this libtorch has no CUDA part' 'tests/gpu/run without libtorch_cuda'
}
# A libtorch with a CUDA part that can be opened, and a made-up CUPTI beside it.
mkdir -p "$scratch/site/torch/lib" "$scratch/site/nvidia/cu13/lib"
ln -s "$torch"/torch/lib/* "$scratch/site/torch/lib/"
ln -s "$torch"/nvidia/cu13/lib/libcudart* "$scratch/site/nvidia/cu13/lib/"
ln -sf "$build/tests/cuda/nvml.so" "$scratch/site/torch/lib/libtorch_cuda.so"
ln -s "$build/tests/cupti/libcupti_fake.so" "$scratch/site/nvidia/cu13/lib/libcupti.so.13"
# Tests run one by one, what fails is told, nothing ends the script early; failures are its exit code.
call "${with_driver[@]}" GRAPHNET_TORCH="$scratch/site" "$home/tests/gpu/run" --out "$scratch/gpu"
expect_code 1 'tests/gpu/run on a made-up driver'
expect_out 'steps failed' 'tests/gpu/run on a made-up driver'
out=$(verdicts "$scratch/gpu")
for row in 'doctor-device +FAILED +[0-9]+ +tracing by CUPTI: ready: ' 'doctor-device-json +passed' 'GpuTest.FlushRuns +passed' 'EagerOnCuda.[A-Za-z]+ +FAILED' 'nope-proof +FAILED +[0-9]+ +0 of 3 ok; ' \
  'xla-proof +not run +0 +no xla_cuda_plugin.so'; do
  grep -qE "^$row" <<<"$out" || flunk "'$row' is not in: $out"
done
# Told to end, it leaves what there is.
call "${with_driver[@]}" GRAPHNET_TORCH="$scratch/site" timeout --preserve-status 4 "$home/tests/gpu/run" --out "$scratch/ended"
expect_code 143 'tests/gpu/run that is told to end'
out=$(verdicts "$scratch/ended")
expect_out 'interrupted' 'tests/gpu/run that is told to end'
# So it does where the signal comes while the table is written to a file.
mkdir -p "$scratch/signal/work/gpu-quick" "$scratch/signal/out"
# shellcheck disable=SC2016 # for the inner shell
call bash -c 'set -euo pipefail
  source "$1/tests/gpu/steps.sh"
  dry= mode=quick deadline=540 out=$2/out scratch=$2/work work=$2/work/gpu-quick
  heed_signals
  eval "whole_$(declare -f table)"
  table() {
    [[ ${verdicts[-1]} == *interrupted* ]] || kill -TERM $$
    whole_table
  }
  step one 10 true' bash "$home" "$scratch/signal"
expect_code 143 'a signal while the table is written'
expect_out 'interrupted' 'a signal while the table is written'
out=$(verdicts "$scratch/signal/out")
expect_out 'one ' 'verdicts after a signal while the table was written'
# Out of time, it tells what it did not get to.
call "${with_driver[@]}" GRAPHNET_TORCH="$scratch/site" "$home/tests/gpu/run" --limit 16 --out "$scratch/late"
expect_code 1 'tests/gpu/run without time'
out=$(verdicts "$scratch/late")
expect_out 'no time was left for it' 'tests/gpu/run without time'
# Tests use the CUPTI of the libtorch in use, not that of the machine that built them.
call "${with_driver[@]}" GRAPHNET_TORCH="$scratch/site" "$home/bin/gpu_tests" --gtest_filter='GpuTest.CapturedCall*'
[[ $out != *'CUPTI error'* ]] || flunk "another CUPTI was used: $out"
call GRAPHNET_TORCH="$torch" ctest --test-dir "$home" -L gpu
expect_code 0 'ctest in the folder'
expect_out '100% tests passed' 'ctest in the folder'
expect_out 'Skipped' 'ctest in the folder'
exit "$((failures > 0))"
