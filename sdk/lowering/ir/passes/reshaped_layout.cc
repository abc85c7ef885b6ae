// SPDX-License-Identifier: MIT
#include "lowering/ir/passes/reshaped_layout.h"

#include <algorithm>
#include <utility>

#include "lowering/ir/passes/layout.h"

namespace graphnet::lowering::ir {

namespace {

/// Runs of dimensions of two shapes that hold the same elements: [in begin, in end) becomes
/// [out begin, out end).
struct Run {
  std::size_t in_begin = 0;
  std::size_t in_end = 0;
  std::size_t out_begin = 0;
  std::size_t out_end = 0;
};

std::vector<Run> matching_runs(const Shape& in, const Shape& out) {
  std::vector<Run> runs;
  std::size_t i = 0;
  std::size_t o = 0;
  while (i < in.size()) {
    Run run = {i, i, o, o};
    if (o < out.size() && in[i] == out[o]) {
      runs.push_back({i, i + 1, o, o + 1});
      ++i;
      ++o;
      continue;
    }
    std::int64_t in_count = 1;
    std::int64_t out_count = 1;
    do {
      const bool take_in = o == out.size() || (i < in.size() && in_count <= out_count);
      if (take_in && i < in.size()) {
        in_count *= in[i++];
      } else if (o < out.size()) {
        out_count *= out[o++];
      }
    } while (in_count != out_count || i == run.in_begin);
    run.in_end = i;
    run.out_end = o;
    runs.push_back(run);
  }
  if (!runs.empty()) runs.back().out_end = out.size();  // only ones can be left
  return runs;
}

// Whether nothing but ones lies between two positions in memory.
bool has_only_ones(const Tensor& x, std::int64_t after, std::int64_t before) {
  for (std::int64_t p = after + 1; p < before; ++p) {
    if (x.shape[static_cast<std::size_t>(x.layout[static_cast<std::size_t>(p)])] != 1) return false;
  }
  return true;
}

}  // namespace

std::optional<Shape> reshaped_layout(const Tensor& x, const Shape& shape) {
  const Shape positions = memory_positions(x);
  std::vector<std::pair<std::int64_t, Run>> placed;
  for (const Run& run : matching_runs(x.shape, shape)) {
    std::int64_t first = -1;
    std::int64_t last = -1;
    for (std::size_t i = run.in_begin; i < run.in_end; ++i) {
      if (x.shape[i] == 1) continue;  // lies wherever it is needed
      if (last >= 0 && (positions[i] < last || !has_only_ones(x, last, positions[i]))) {
        return std::nullopt;
      }
      last = positions[i];
      if (first < 0) first = last;
    }
    // Ones stay where they were.
    placed.emplace_back(first < 0 ? positions[run.in_begin] : first, run);
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Shape layout;
  for (const auto& [position, run] : placed) {
    for (std::size_t o = run.out_begin; o < run.out_end; ++o) {
      layout.push_back(static_cast<std::int64_t>(o));
    }
  }
  return layout;
}

}  // namespace graphnet::lowering::ir
