// SPDX-License-Identifier: MIT
#include "worker/admission.h"

#include <array>
#include <cstdio>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "eager/thread_pool.h"
#include "sample/arguments.h"
#include "worker/weights.h"

namespace graphnet::worker {

namespace {

std::int64_t add_saturated(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) return std::numeric_limits<std::int64_t>::max();
  return sum;
}

std::string bytes_text(std::int64_t bytes) {
  return base::format_bytes(static_cast<unsigned long long>(bytes));
}

}  // namespace

std::int64_t needed_memory_bytes(const eager::Plan& plan) {
  std::int64_t need = kBaseMemoryBytes;
  for (const std::int64_t part : {plan.argument_bytes, plan.peak_live_bytes, plan.output_bytes,
                                  plan.output_bytes, plan.output_bytes}) {
    need = add_saturated(need, part);
  }
  return need;
}

std::string format_flop(double flop) {
  constexpr std::array<const char*, 6> kUnits = {"", "K", "M", "G", "T", "P"};
  std::size_t unit = 0;
  while (flop >= 999.5 && unit + 1 < kUnits.size()) {
    flop /= 1000;
    ++unit;
  }
  std::array<char, 48> text = {};
  std::snprintf(text.data(), text.size(), flop < 1e6 ? "%.3g" : "%.3e", flop);
  return std::string(text.data()) + " " + kUnits[unit] + "FLOP";
}

std::string refusal(const eager::Plan& plan, const Allowance& allowance) {
  const std::int64_t need = needed_memory_bytes(plan);
  if (need > allowance.memory_bytes) {
    return "skipped(memory: need " + bytes_text(need) + ", have " +
           bytes_text(allowance.memory_bytes) + ")";
  }
  if (allowance.device_bytes && need > *allowance.device_bytes) {
    return "skipped(memory: need " + bytes_text(need) + ", " + allowance.device + " has " +
           bytes_text(*allowance.device_bytes) + " free)";
  }
  if (allowance.flop > 0 && plan.flop > allowance.flop) {
    return "skipped(cost: " + format_flop(plan.flop) + " a call, limit " +
           format_flop(allowance.flop) + ")";
  }
  return "";
}

base::Result<PlanArguments> plan_arguments(const sample::Sample& sample) {
  const auto& parameters = sample.program.parameters;
  PlanArguments arguments;
  GN_ASSIGN_OR_RETURN(arguments.known,
                      sample::known_values(sample.metas, parameters, eager::kMostKnownElements));
  std::unordered_map<std::string_view, const sample::TensorMeta*> metas;
  for (const sample::TensorMeta& meta : sample.metas) metas.emplace(meta.name, &meta);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const sample::TensorMeta& meta = *metas.at(parameters[i].name);
    arguments.all.push_back(
        {meta.dtype, meta.shape, arguments.known[i].data(), is_weight(parameters[i].kind)});
  }
  return arguments;
}

base::Result<eager::Plan> plan_sample(const sample::Sample& sample) {
  GN_ASSIGN_OR_RETURN(const PlanArguments arguments, plan_arguments(sample));
  const eager::WithoutPool alone;
  return eager::plan_program(sample.program, arguments.all);
}

}  // namespace graphnet::worker
