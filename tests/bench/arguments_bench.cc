// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <vector>

#include "sample/arguments.h"
#include "sample/mt19937.h"

namespace graphnet::sample {
namespace {

/// Standard normal deviates alone.
void Gaussians(benchmark::State& state) {
  std::vector<double> draws(static_cast<std::size_t>(state.range(0)));
  LegacyGenerator generator(kUpstreamSeed);
  for (auto _ : state) {
    generator.gaussians(draws.data(), draws.size());
    benchmark::DoNotOptimize(draws.data());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(Gaussians)->Arg(1000)->Arg(1 << 20);

/// A whole argument: draws, scaling, conversion to its dtype, clamping.
void GenerateArgument(benchmark::State& state, base::DType dtype) {
  constexpr std::int64_t kElements = 1 << 20;
  TensorMeta meta;
  meta.class_name = meta.name = "x";
  meta.shape = {kElements};
  meta.dtype = dtype;
  meta.has_mean = meta.has_std = true;
  meta.mean = 0.25;
  meta.std = 1.5;
  const std::vector<graph::Parameter> parameters = {{"x", graph::ParameterKind::kTensor, {}}};
  for (auto _ : state) {
    const auto arguments = generate_arguments({meta}, parameters, kUpstreamSeed);
    if (!arguments.is_ok()) state.SkipWithError(arguments.status().message().c_str());
    benchmark::DoNotOptimize(arguments.is_ok());
  }
  state.SetItemsProcessed(state.iterations() * kElements);
}
BENCHMARK_CAPTURE(GenerateArgument, float32, base::DType::kFloat32);
BENCHMARK_CAPTURE(GenerateArgument, float16, base::DType::kFloat16);
BENCHMARK_CAPTURE(GenerateArgument, bfloat16, base::DType::kBFloat16);

/// Integers by masked rejection: 0 to 1000.
void BoundedIntegers(benchmark::State& state) {
  LegacyGenerator generator(kUpstreamSeed);
  for (auto _ : state) benchmark::DoNotOptimize(generator.bounded(1000));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BoundedIntegers);

}  // namespace
}  // namespace graphnet::sample
