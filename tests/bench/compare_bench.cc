// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "verify/compare.h"

namespace graphnet::verify {
namespace {

constexpr std::size_t kElements = std::size_t{4} << 20U;

/// Numbers of order one; of half floats only the exponents differ from the pattern of the index.
std::vector<std::byte> numbers(base::DType dtype, std::size_t offset) {
  std::vector<std::byte> bytes(kElements * base::dtype_bytes(dtype));
  for (std::size_t i = 0; i < kElements; ++i) {
    if (dtype == base::DType::kFloat32) {
      const auto value =
          static_cast<float>(std::sin(static_cast<double>(i))) + 1e-7F * static_cast<float>(offset);
      std::memcpy(bytes.data() + 4 * i, &value, 4);
    } else {
      const auto value = static_cast<std::uint16_t>(0x3800U + (i % 0x400U) + offset);
      std::memcpy(bytes.data() + 2 * i, &value, 2);
    }
  }
  return bytes;
}

/// Both sides of one output; `offset` 0: equal bits.
void Compare(benchmark::State& state, base::DType dtype, std::size_t offset) {
  const std::vector<std::byte> eager = numbers(dtype, 0);
  const std::vector<std::byte> plugin = numbers(dtype, offset);
  const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(kElements)};
  for (auto _ : state) {
    const Comparison comparison =
        compare_outputs({{dtype, shape, eager.data()}}, {{dtype, shape, plugin.data()}});
    benchmark::DoNotOptimize(comparison.degenerate);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(eager.size()));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kElements));
}
BENCHMARK_CAPTURE(Compare, float32_equal, base::DType::kFloat32, 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Compare, float32_near, base::DType::kFloat32, 3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Compare, float16_equal, base::DType::kFloat16, 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Compare, float16_near, base::DType::kFloat16, 1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace graphnet::verify
