// SPDX-License-Identifier: MIT
#include "tvm_plugin/memory_plan.h"

#include <algorithm>
#include <numeric>

#include "tvm_plugin/vector_unit.h"

namespace graphnet::tvm {

namespace {

struct Placed {
  std::size_t begin = 0;
  std::size_t end = 0;
  const Lifetime* buffer = nullptr;
};

bool are_needed_together(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

/// `placed` is in order of `begin`.
std::size_t lowest_free_offset(const std::vector<Placed>& placed, const Lifetime& buffer,
                               std::size_t num_bytes) {
  std::size_t offset = 0;
  for (const Placed& each : placed) {
    if (!are_needed_together(*each.buffer, buffer)) continue;
    if (each.begin >= offset + num_bytes) break;
    offset = std::max(offset, each.end);
  }
  return offset;
}

}  // namespace

MemoryPlan plan_memory(const std::vector<Lifetime>& buffers) {
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return buffers[a].num_bytes > buffers[b].num_bytes;
  });
  MemoryPlan plan;
  plan.offsets.resize(buffers.size());
  std::vector<Placed> placed;
  for (const std::size_t i : order) {
    const std::size_t num_bytes = round_up(buffers[i].num_bytes, kBufferAlignment);
    const std::size_t begin = lowest_free_offset(placed, buffers[i], num_bytes);
    const Placed made = {begin, begin + num_bytes, &buffers[i]};
    plan.offsets[i] = begin;
    plan.num_bytes = std::max(plan.num_bytes, made.end);
    const auto behind =
        std::upper_bound(placed.begin(), placed.end(), made,
                         [](const Placed& a, const Placed& b) { return a.begin < b.begin; });
    placed.insert(behind, made);
  }
  return plan;
}

}  // namespace graphnet::tvm
