#!/usr/bin/env bash
# Plugins export the three symbols of the ABI and nothing else; the command line links no libtorch, no
# CUDA and no plugin; nothing links CUDA, CUPTI or the driver but what libtorch itself brings.
set -euo pipefail
build=$1
failed=0
expected='gn_backend_compile gn_backend_run gn_plugin_query'
count=0
for library in "$build"/lib/graphnet/plugins/*/libgn_*.so; do
  count=$((count + 1))
  # Sanitizers add symbols of their own.
  found=$(nm -D --defined-only "$library" | awk '{print $3}' | grep -v '^__\(asan\|odr_asan\|ubsan\)' |
    sort | tr '\n' ' ')
  if [[ ${found% } != "$expected" ]]; then
    echo "lint: $library exports: $found"
    failed=1
  fi
done
if ((count == 0)); then
  echo "lint: no plugin found in $build"
  failed=1
fi
needed=$(readelf -d "$build/bin/graphnet" | grep NEEDED)
if grep -E 'torch|c10|cuda|cupti|gn_' <<<"$needed"; then
  echo "lint: graphnet links what only the worker may"
  failed=1
fi
# The worker and the plugins: libtorch_cpu needs libcudart and libcupti, they must not.
for program in "$build"/bin/graphnet-worker "$build"/lib/graphnet/plugins/*/libgn_*.so; do
  [[ -e $program ]] || continue
  if readelf -d "$program" | grep NEEDED | grep -iE 'cuda|cupti|nvidia|nvrtc|cublas|cudnn'; then
    echo "lint: $program links CUDA; it must be opened by name where there is any"
    failed=1
  fi
done
exit "$failed"
