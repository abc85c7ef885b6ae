// SPDX-License-Identifier: MIT
#include "tvm_plugin/kernel_profile.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "tvm_plugin/schedule.h"

namespace graphnet::tvm {

namespace {

constexpr std::size_t kShown = 20;

struct KernelRow {
  const ArrangedKernel* kernel = nullptr;
  double seconds = 0;  ///< of all its calls
  std::optional<double> flops;
};

std::optional<double> flops_of(const Ref& module) {
  try {
    return call("s_tir.analysis.EstimateTIRFlops", module).cast<double>();
  } catch (const ffi::Error&) {
    return std::nullopt;  // loops whose extents are not constant
  }
}

KernelRow measure(const ArrangedKernel& kernel, const Target& target) {
  const double seconds =
      KernelTimer(kernel.buffers).seconds_of(module_with(kernel.schedule), target);
  return {&kernel, seconds * static_cast<double>(kernel.calls),
          flops_of(module_of(kernel.function))};
}

std::string shapes_of(const ArrangedKernel& kernel) {
  std::string text;
  for (const BufferShape& buffer : kernel.buffers) {
    text += text.empty() ? "[" : " [";
    for (std::size_t i = 0; i < buffer.shape.size(); ++i) {
      text += (i == 0 ? "" : ",") + std::to_string(buffer.shape[i]);
    }
    text += "]";
  }
  return text;
}

/// "profile_01: 812.5 us, 31.0 % in 12 calls, 55.1 GFLOP/s, product aten_linear [128,768] ...".
std::string line_of(const KernelRow& row, std::size_t rank, double total) {
  const auto calls = static_cast<long long>(row.kernel->calls);
  char text[160];
  std::snprintf(text, sizeof(text), "profile_%02zu: %.1f us, %.1f %% in %lld calls, ", rank,
                row.seconds * 1e6, 100 * row.seconds / total, calls);
  std::string line = text;
  if (row.flops) {
    const double flops = *row.flops * static_cast<double>(calls);
    std::snprintf(text, sizeof(text), "%.1f GFLOP/s, ", flops / row.seconds * 1e-9);
    line += text;
  }
  return line + row.kernel->rule + " " + row.kernel->name + " " + shapes_of(*row.kernel) + "\n";
}

}  // namespace

std::string profile_kernels(const std::vector<ArrangedKernel>& kernels, const Target& target) {
  std::vector<KernelRow> rows;
  double total = 0;
  for (const ArrangedKernel& kernel : kernels) {
    if (kernel.calls == 0) continue;  // runs in bind only
    rows.push_back(measure(kernel, target));
    total += rows.back().seconds;
  }
  std::sort(rows.begin(), rows.end(),
            [](const KernelRow& a, const KernelRow& b) { return a.seconds > b.seconds; });
  char sum[96];
  std::snprintf(sum, sizeof(sum), "profile: %zu kernels, each by itself, %.1f us together\n",
                rows.size(), total * 1e6);
  std::string text = sum;
  for (std::size_t i = 0; i < std::min(rows.size(), kShown); ++i) {
    text += line_of(rows[i], i + 1, total);
  }
  return text;
}

}  // namespace graphnet::tvm
