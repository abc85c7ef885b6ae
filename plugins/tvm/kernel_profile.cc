// SPDX-License-Identifier: MIT
#include "tvm_plugin/kernel_profile.h"

#include <algorithm>
#include <cstdio>

#include "tvm_plugin/schedule.h"

namespace graphnet::tvm {

namespace {

constexpr std::size_t kShown = 20;

std::optional<double> flops_of(const Ref& module) {
  try {
    return call("s_tir.analysis.EstimateTIRFlops", module).cast<double>();
  } catch (const ffi::Error&) {
    return std::nullopt;  // loops whose extents are not constant
  }
}

/// Calls of one kernel on equal shapes.
struct KernelRow {
  std::string label;
  std::optional<double> flops;  ///< of one call
  double seconds = 0;           ///< of all calls
  std::int64_t calls = 0;
};

/// "product aten_linear [128,768] [1,24,768,32] [1,128,768]": what is read, then what is made.
std::string label_of(const KernelCall& call, const CallPlan& plan, const KernelNotes& notes) {
  const auto note = notes.find(call.function);
  std::string label = note == notes.end() ? call.function : note->second.rule + " " + call.function;
  for (const auto* const ids : {&call.inputs, &call.results}) {
    for (const std::int32_t id : *ids) {
      const Shape& shape = plan.values[static_cast<std::size_t>(id)].storage;
      label += " [";
      for (std::size_t i = 0; i < shape.size(); ++i) {
        label += (i == 0 ? "" : ",") + std::to_string(shape[i]);
      }
      label += "]";
    }
  }
  return label;
}

std::vector<KernelRow> rows_of(const CallPlan& plan, const CallTimes& times,
                               const KernelNotes& notes) {
  std::map<std::string, KernelRow> by_label;
  for (std::size_t i = 0; i < plan.main.size(); ++i) {
    const KernelCall& call = plan.main[i];
    const std::string label = label_of(call, plan, notes);
    KernelRow& row = by_label[label];
    row.label = label;
    row.seconds += times.seconds[i] / static_cast<double>(times.num_runs);
    ++row.calls;
    const auto note = notes.find(call.function);
    if (note != notes.end()) row.flops = note->second.flops;
  }
  std::vector<KernelRow> rows;
  for (auto& [label, row] : by_label) rows.push_back(std::move(row));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const KernelRow& a, const KernelRow& b) { return a.seconds > b.seconds; });
  return rows;
}

/// "profile_01: 812.5 us, 31.0 % in 12 calls, 55.1 GFLOP/s, product aten_linear [128,768] ...".
std::string line_of(const KernelRow& row, std::size_t rank, double total) {
  char text[160];
  std::snprintf(text, sizeof(text), "profile_%02zu: %.1f us, %.1f %% in %lld calls, ", rank,
                row.seconds * 1e6, 100 * row.seconds / total, static_cast<long long>(row.calls));
  std::string line = text;
  if (row.flops) {
    std::snprintf(text, sizeof(text), "%.1f GFLOP/s, ",
                  *row.flops * static_cast<double>(row.calls) / row.seconds * 1e-9);
    line += text;
  }
  return line + row.label + "\n";
}

}  // namespace

KernelNotes note_kernels(const std::vector<ArrangedKernel>& kernels) {
  KernelNotes notes;
  for (const ArrangedKernel& kernel : kernels) {
    notes[kernel.name] = {kernel.rule, flops_of(module_of(kernel.function))};
  }
  return notes;
}

std::string describe_profile(const CallPlan& plan, const CallTimes& times,
                             const KernelNotes& notes) {
  if (times.num_runs == 0) return "";
  const std::vector<KernelRow> rows = rows_of(plan, times, notes);
  double total = 0;
  for (const KernelRow& row : rows) total += row.seconds;
  char sum[96];
  std::snprintf(sum, sizeof(sum), "profile: %zu kernels, %.1f us together, means of %lld runs\n",
                rows.size(), total * 1e6, static_cast<long long>(times.num_runs));
  std::string text = sum;
  for (std::size_t i = 0; i < std::min(rows.size(), kShown); ++i) {
    text += line_of(rows[i], i + 1, total);
  }
  return text;
}

}  // namespace graphnet::tvm
