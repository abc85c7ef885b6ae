// SPDX-License-Identifier: MIT
#include "eager/live_cost.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "eager/flop_count.h"
#include "eager/tape_flow.h"

namespace graphnet::eager {

namespace {

/// Where the elements of a tensor lie in its storage.
///
/// units    elements
struct Geometry {
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
};

/// Calls that read rows of an operand which other operands choose.
struct GatherRow {
  std::string_view name;
  std::size_t source;
};
constexpr GatherRow kGathers[] = {
    {"aten::embedding", 0},      {"aten::embedding_bag", 0}, {"aten::index.Tensor", 0},
    {"aten::index_select", 0},   {"aten::gather", 0},        {"aten::take", 0},
    {"aten::take_along_dim", 0}, {"aten::grid_sampler", 0},  {"aten::masked_select", 0}};

bool is_gathered(const std::string& name, std::size_t operand) {
  return std::any_of(std::begin(kGathers), std::end(kGathers), [&](const GatherRow& row) {
    return row.name == name && row.source == operand;
  });
}

/// Elements of one argument that are read, each counted once. Reads with holes in between count by
/// the largest of them only.
class ReadElements {
 public:
  void add(const Geometry& read) {
    std::int64_t distinct = 1;
    std::int64_t span = 1;
    for (std::size_t i = 0; i < read.sizes.size(); ++i) {
      if (read.sizes[i] == 0) return;
      if (read.strides[i] != 0) distinct *= read.sizes[i];
      span += (read.sizes[i] - 1) * read.strides[i];
    }
    if (distinct >= span) {
      runs_.emplace_back(read.offset, read.offset + span);
    } else {
      largest_ = std::max(largest_, distinct);
    }
  }

  std::int64_t count() const {
    std::vector<std::pair<std::int64_t, std::int64_t>> runs = runs_;
    std::sort(runs.begin(), runs.end());
    std::int64_t total = 0;
    std::int64_t end = 0;
    for (const auto& [first, last] : runs) {
      if (last > end) total += last - std::max(first, end);
      end = std::max(end, last);
    }
    return std::max(total, largest_);
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> runs_;
  std::int64_t largest_ = 0;
};

/// Follows where views lie and collects reads of arguments.
class ReadCollector {
 public:
  ReadCollector(const Tape& tape, const std::vector<at::Tensor>& arguments)
      : tape_(tape), arguments_(arguments), reads_(arguments.size()) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      geometry_[static_cast<Slot>(i)] = {arguments[i].sizes().vec(), arguments[i].strides().vec(),
                                         arguments[i].storage_offset()};
    }
  }

  void read(Slot slot) {
    if (slot == kNoSlot || tape_.owner(slot) >= static_cast<Slot>(arguments_.size())) return;
    reads_[static_cast<std::size_t>(tape_.owner(slot))].add(geometry_.at(slot));
  }

  /// Remembers views of arguments; true if all that the call gives are views.
  bool enter(const Instruction& instruction, const RecordedCall& call) {
    bool is_view = false;
    for (std::size_t i = 0; i < instruction.results.size(); ++i) {
      const Slot slot = instruction.results[i];
      if (slot == kNoSlot || tape_.owner(slot) == slot) continue;
      is_view = true;
      const RecordedTensor& result = call.results[i];
      geometry_[slot] = {result.sizes, result.strides, result.offset};
    }
    return is_view;
  }

  std::int64_t bytes() const {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      total += reads_[i].count() * static_cast<std::int64_t>(arguments_[i].element_size());
    }
    return total;
  }

 private:
  const Tape& tape_;
  const std::vector<at::Tensor>& arguments_;
  std::unordered_map<Slot, Geometry> geometry_;  // of arguments and their views
  std::vector<ReadElements> reads_;
};

}  // namespace

LiveCost live_cost(const Tape& tape, const std::vector<RecordedCall>& calls,
                   const std::vector<at::Tensor>& arguments, const std::vector<bool>& is_weight,
                   const std::vector<std::int64_t>& output_bytes) {
  std::vector<bool> is_input = is_weight;
  is_input.flip();
  const TapeFlow needed = needed_for(tape, tape.results());
  const TapeFlow affected = affected_by(tape, is_input);
  LiveCost cost;
  ReadCollector collector(tape, arguments);
  const std::vector<Instruction>& instructions = tape.instructions();
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const bool is_view = collector.enter(instructions[i], calls[i]);
    if (is_view || !needed.instructions[i] || !affected.instructions[i]) continue;
    cost.flop += calls[i].flop;
    if (is_product(*calls[i].overload)) cost.product_flop += calls[i].flop;
    for (std::size_t k = 0; k < instructions[i].operands.size(); ++k) {
      if (is_gathered(calls[i].overload->name, k)) continue;
      for (const Slot slot : instructions[i].operands[k].slots) collector.read(slot);
    }
  }
  cost.bytes = collector.bytes();
  for (std::size_t i = 0; i < output_bytes.size(); ++i) {
    if (tape.owner(tape.results()[i]) < static_cast<Slot>(arguments.size())) continue;
    if (__builtin_add_overflow(cost.bytes, output_bytes[i], &cost.bytes)) {
      cost.bytes = std::numeric_limits<std::int64_t>::max();
    }
  }
  return cost;
}

}  // namespace graphnet::eager
