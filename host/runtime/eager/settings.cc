// SPDX-License-Identifier: MIT
#include "eager/settings.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <c10/core/DefaultDtype.h>
#include <dlfcn.h>
#include <xmmintrin.h>

#include <algorithm>
#include <cstdint>

#include "eager/wall.h"

namespace graphnet::eager {

namespace {

std::string on_or_off(bool on) {
  return on ? "on" : "off";
}

/// Rounding, flush-to-zero, denormals-are-zero and masks, without the flags of what has happened.
std::string rounding() {
  constexpr unsigned kHappened = 0x3F;
  const unsigned control = _mm_getcsr() & ~kHappened;
  constexpr unsigned kFlushToZero = 0x8000;
  constexpr unsigned kDenormalsAreZero = 0x40;
  constexpr const char* kRounding[] = {"to nearest", "down", "up", "to zero"};
  std::string text = kRounding[control >> 13U & 3U];
  if ((control & kFlushToZero) != 0) text += ", subnormal results are zero";
  if ((control & kDenormalsAreZero) != 0) text += ", subnormal operands are zero";
  constexpr unsigned kTraps = 0x1F80;
  if ((control & kTraps) != kTraps) text += ", exceptions trap";
  return text;
}

/// OpenMP may give a region fewer threads than it may have.
std::string dynamic_threads() {
  using GetDynamic = int (*)();
  const auto get = reinterpret_cast<GetDynamic>(::dlsym(RTLD_DEFAULT, "omp_get_dynamic"));
  return get == nullptr ? "unknown" : on_or_off(get() != 0);
}

void add_precisions(const at::Context& context, std::vector<Setting>& settings) {
  const std::pair<at::Float32Backend, const char*> backends[] = {
      {at::Float32Backend::GENERIC, "all"},
      {at::Float32Backend::CUDA, "CUDA"},
      {at::Float32Backend::MKLDNN, "oneDNN"}};
  const std::pair<at::Float32Op, const char*> ops[] = {{at::Float32Op::ALL, "operators"},
                                                       {at::Float32Op::CONV, "convolutions"},
                                                       {at::Float32Op::MATMUL, "products"}};
  for (const auto& [backend, backend_name] : backends) {
    for (const auto& [op, op_name] : ops) {
      std::string value = "unknown";
      static_cast<void>(guarded([&, chosen = std::make_pair(backend, op)] {
        value =
            std::to_string(static_cast<int>(context.float32Precision(chosen.first, chosen.second)));
      }));
      settings.push_back(
          {std::string("float32 precision of ") + backend_name + " " + op_name, value});
    }
  }
}

}  // namespace

std::vector<Setting> current_settings() {
  const at::Context& context = at::globalContext();
  std::vector<Setting> settings = {
      {"rounding", rounding()},
      {"oneDNN", on_or_off(context.userEnabledMkldnn())},
      {"threads", std::to_string(at::get_num_threads())},
      {"dynamic number of threads", dynamic_threads()},
      {"deterministic oneDNN", on_or_off(context.deterministicMkldnn())},
      {"NNPACK", on_or_off(context.userEnabledNNPACK())},
      {"flash attention", on_or_off(context.userEnabledFlashSDP())},
      {"memory-efficient attention", on_or_off(context.userEnabledMemEfficientSDP())},
      {"attention by products", on_or_off(context.userEnabledMathSDP())},
      {"cuDNN", on_or_off(context.userEnabledCuDNN())},
      {"benchmarks of cuDNN", on_or_off(context.benchmarkCuDNN())},
      {"deterministic cuDNN", on_or_off(context.deterministicCuDNN())},
      {"deterministic algorithms", on_or_off(context.deterministicAlgorithms())},
      {"float16 sums", on_or_off(context.allowFP16ReductionCPU())},
      {"packed weights only", on_or_off(context.releaseWeightsWhenPrepacking())},
      {"quantisation engine", std::to_string(static_cast<int>(context.qEngine()))},
      {"autocast", on_or_off(at::autocast::is_autocast_enabled(at::kCPU))},
      {"default type", std::string(c10::get_default_dtype().name())},
  };
  add_precisions(context, settings);
  return settings;
}

std::string changed_settings(const std::vector<Setting>& before,
                             const std::vector<Setting>& after) {
  std::string text;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    if (before[i].value == after[i].value) continue;
    if (!text.empty()) text += "; ";
    text += before[i].name + " was " + before[i].value + ", is " + after[i].value;
  }
  return text;
}

}  // namespace graphnet::eager
