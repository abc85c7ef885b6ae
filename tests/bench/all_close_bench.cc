// SPDX-License-Identifier: MIT
// The fused pass against the 64 calls of at::allclose that it replaces, in one run.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include <ctime>

#include "verify/compare.h"

namespace graphnet::verify {
namespace {

double cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

TensorView view(const at::Tensor& tensor) {
  return {base::DType::kFloat32, tensor.sizes().vec(), tensor.data_ptr()};
}

/// Outputs of `state.range(0)` float32 elements, relative error 1e-6, on one thread. Counters: how
/// many times as long the 64 calls take as the fused pass, and its elements a second; CPU time.
void FusedAgainst64AllClose(benchmark::State& state) {
  at::set_num_threads(1);
  const std::int64_t count = state.range(0);
  const at::Tensor eager = at::randn({count});
  const at::Tensor plugin = eager * (1 + 1e-6 * at::randn({count}));
  const std::int64_t repeats = 1 + 20'000'000 / count;
  double fused = 0;
  double separate = 0;
  for (auto _ : state) {
    const double start = cpu_seconds();
    for (std::int64_t i = 0; i < repeats; ++i) {
      benchmark::DoNotOptimize(compare_outputs({view(eager)}, {view(plugin)}).degenerate);
    }
    const double middle = cpu_seconds();
    for (const ToleranceLevel& level : tolerance_levels()) {
      benchmark::DoNotOptimize(at::allclose(plugin, eager, level.rtol, level.atol));
    }
    fused += (middle - start) / static_cast<double>(repeats);
    separate += cpu_seconds() - middle;
  }
  state.counters["ratio"] = separate / fused;
  state.counters["elements_per_s"] =
      static_cast<double>(count) * static_cast<double>(state.iterations()) / fused;
}
BENCHMARK(FusedAgainst64AllClose)->Arg(1000)->Arg(100'000)->Iterations(20);
BENCHMARK(FusedAgainst64AllClose)->Arg(10'000'000)->Iterations(1);

}  // namespace
}  // namespace graphnet::verify
