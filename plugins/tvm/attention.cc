// SPDX-License-Identifier: MIT
#include "tvm_plugin/attention.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "graphnet/for_processor.h"
#include "tvm_plugin/attention_rows.h"
#include "tvm_plugin/vector_product.h"
#include "tvm_plugin/vector_unit.h"

namespace graphnet::tvm {

namespace {

using Kind = lowering::ir::AttentionStep;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t kRowsOfBlock = 48;
constexpr std::int64_t kBytesOfLine = 64;
constexpr std::int64_t kFloatsOfLine = kBytesOfLine / std::int64_t{sizeof(float)};

/// The scores of a block of rows and a block of keys become weights.
struct Block {
  const Attention* attention = nullptr;
  std::int64_t batch = 0;
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  std::int64_t first_key = 0;
  std::int64_t keys = 0;
  std::int64_t stride = 0;                ///< of `scores`
  std::int64_t columns = 0;               ///< of `sums`, in whole vectors
  const std::int64_t* offsets = nullptr;  ///< by step: where its operand has the first row
  float* scores = nullptr;
  float* sums = nullptr;     ///< products with values so far
  float* largest = nullptr;  ///< by row, so far
  float* totals = nullptr;   ///< the same: sum of weights
  bool* has_kept = nullptr;  ///< the same: whether a weight was not dropped

  /// Where a step's operand has this row of the block.
  std::int64_t offset_of(std::size_t index, std::int64_t row) const {
    const AttentionStep& step = attention->steps[index];
    return offsets[index] + row * step.row_stride + first_key * step.key_stride;
  }
};

/// What was summed before a larger score came is scaled down.
template <typename Vector>
GN_PART void rescale(const Block& block, std::int64_t row, float largest) {
  const Vector factor = weight_of<Vector>(Vector{} + (block.largest[row] - largest));
  block.totals[row] *= factor[0];
  float* const sums = block.sums + row * block.columns;
  for (std::int64_t i = 0; i < block.columns; i += kLanesOf<Vector>) {
    store<Vector>(sums + i, load<Vector>(sums + i) * factor);
  }
}

std::int64_t bytes_of_operand(Kind kind) {
  const bool is_condition = kind == Kind::kKeep || kind == Kind::kReplace || kind == Kind::kDrop;
  return is_condition ? 1 : std::int64_t{sizeof(float)};
}

/// Asks for what the steps have for a row. A block reads a part of each row of a large operand,
/// which no processor foresees.
GN_PART void prefetch_operands(const Block& block, std::int64_t row) {
  const std::vector<AttentionStep>& steps = block.attention->steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].key_stride == 0 || steps[i].row_stride == 0) continue;
    const std::int64_t bytes = bytes_of_operand(steps[i].kind);
    const char* const from =
        static_cast<const char*>(steps[i].operand) + block.offset_of(i, row) * bytes;
    const std::int64_t last = block.keys * bytes - 1;
    for (std::int64_t at = 0; at < last; at += kBytesOfLine) __builtin_prefetch(from + at);
    __builtin_prefetch(from + last);  // the first need not begin at a line
  }
}

template <typename Vector>
GN_PART void weigh(const Block& block) {
  const std::vector<AttentionStep>& steps = block.attention->steps;
  const auto fill = static_cast<float>(block.attention->fill);
  const bool reads_parts = block.keys < block.attention->num_keys;
  for (std::int64_t r = 0; r < block.rows; ++r) {
    float* const row = block.scores + r * block.stride;
    if (reads_parts && r + 1 < block.rows) prefetch_operands(block, r + 1);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      apply<Vector>(steps[i], block.offset_of(i, r), fill, row, block.keys);
    }
    for (std::int64_t i = block.keys; i % kLanesOf<Vector> != 0; ++i) row[i] = -kInfinity;
    const float before = block.largest[r];
    const float largest = std::max(before, largest_of<Vector>(row, block.keys));
    // As long as all are minus infinity they are compared with 0, which makes weights of 0.
    const float compared = largest == -kInfinity ? 0 : largest;
    if (block.first_key > 0 && largest != before) rescale<Vector>(block, r, compared);
    block.largest[r] = largest;
    block.totals[r] += exponentials<Vector>(row, block.keys, compared);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].kind != Kind::kDrop) continue;
      if (drop<Vector>(steps[i], block.offset_of(i, r), row, block.keys)) block.has_kept[r] = true;
    }
  }
}

/// Products and weights for one generation of processors.
struct Level {
  void (*product)(const Product& product);
  void (*weigh)(const Block& block);
};

GN_FOR_PROCESSOR("arch=x86-64-v4") void product_v4(const Product& p) {
  product<Floats16, 12>(p);
}
GN_FOR_PROCESSOR("arch=x86-64-v4") void weigh_v4(const Block& block) {
  weigh<Floats16>(block);
}
GN_FOR_PROCESSOR("arch=x86-64-v3") void product_v3(const Product& p) {
  product<Floats8, 6>(p);
}
GN_FOR_PROCESSOR("arch=x86-64-v3") void weigh_v3(const Block& block) {
  weigh<Floats8>(block);
}
void product_v1(const Product& p) {
  product<Floats4, 6>(p);
}
void weigh_v1(const Block& block) {
  weigh<Floats4>(block);
}

/// The widest vectors that the processor has and whole panels consist of.
Level level_for(std::int64_t lanes) {
  if (__builtin_cpu_supports("x86-64-v4") != 0 && lanes % 16 == 0) return {product_v4, weigh_v4};
  if (__builtin_cpu_supports("x86-64-v3") != 0 && lanes % 8 == 0) return {product_v3, weigh_v3};
  return {product_v1, weigh_v1};
}

std::int64_t num_panels(std::int64_t columns, std::int64_t lanes) {
  return round_up(columns, lanes) / lanes;
}

std::int64_t blocks_of_rows(const Attention& a) {
  return (a.rows + kRowsOfBlock - 1) / kRowsOfBlock;
}

/// Whole panels, in blocks of about one size.
std::int64_t keys_of_block(const Attention& a) {
  const std::int64_t bytes_of_key =
      (std::min(a.rows, kRowsOfBlock) + a.depth + a.columns) * std::int64_t{sizeof(float)};
  const std::int64_t most = std::max(a.cache_bytes / bytes_of_key, a.key_lanes);
  const std::int64_t panels_of_block = most / a.key_lanes;
  const std::int64_t panels = num_panels(a.num_keys, a.key_lanes);
  const std::int64_t blocks = (panels + panels_of_block - 1) / panels_of_block;
  return (panels + blocks - 1) / blocks * a.key_lanes;
}

/// From one row of scores to the next. Rows that lie a power of two apart share a few places of the
/// first-level cache.
std::int64_t stride_for(std::int64_t keys) {
  return keys % (4 * kFloatsOfLine) == 0 ? keys + kFloatsOfLine : keys;
}

/// Vectors that begin at a cache line lie in one.
struct alignas(kBytesOfLine) Line {
  float elements[kFloatsOfLine];
};
using Lines = std::unique_ptr<Line[]>;

std::size_t num_lines(std::int64_t num_floats) {
  return static_cast<std::size_t>(num_panels(num_floats, kFloatsOfLine));
}

/// What a thread computes blocks in.
class Worker {
 public:
  explicit Worker(const Attention& attention)
      : a_(attention),
        of_keys_(level_for(a_.key_lanes)),
        of_values_(level_for(a_.value_lanes)),
        rows_(std::min(a_.rows, kRowsOfBlock)),
        columns_(round_up(round_up(a_.columns, a_.value_lanes), kFloatsOfLine)),
        keys_(keys_of_block(a_)),
        stride_(stride_for(keys_)),
        scores_(new Line[num_lines(rows_ * stride_)]),
        sums_(new Line[num_lines(rows_ * columns_)]()),
        offsets_(a_.steps.size()) {}

  void run(std::int64_t index, float* out) {
    Block block = begin(index);
    for (; block.first_key < a_.num_keys; block.first_key += keys_) {
      block.keys = std::min(keys_, a_.num_keys - block.first_key);
      of_keys_.product(scores_of(block));
      of_keys_.weigh(block);
      of_values_.product(sums_of(block));
    }
    finish(block, out);
  }

 private:
  Block begin(std::int64_t index) {
    Block block;
    block.attention = &a_;
    block.batch = index / blocks_of_rows(a_);
    block.first_row = index % blocks_of_rows(a_) * kRowsOfBlock;
    block.rows = std::min(kRowsOfBlock, a_.rows - block.first_row);
    block.columns = columns_;
    block.stride = stride_;
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      offsets_[i] =
          offset_of_batch(a_.steps[i], block.batch) + block.first_row * a_.steps[i].row_stride;
    }
    block.offsets = offsets_.data();
    block.scores = scores_[0].elements;
    block.sums = sums_[0].elements;
    block.largest = largest_;
    block.totals = totals_;
    block.has_kept = has_kept_;
    std::fill_n(largest_, kRowsOfBlock, -kInfinity);
    std::fill_n(totals_, kRowsOfBlock, 0.0F);
    std::fill_n(has_kept_, kRowsOfBlock, false);
    return block;
  }

  std::int64_t offset_of_batch(const AttentionStep& step, std::int64_t batch) const {
    std::int64_t offset = 0;
    for (std::size_t i = step.batch_strides.size(); i-- > 0;) {
      offset += batch % a_.batch[i] * step.batch_strides[i];
      batch /= a_.batch[i];
    }
    return offset;
  }

  Product scores_of(const Block& block) const {
    const std::int64_t panel = a_.depth * a_.key_lanes;
    const std::int64_t first =
        block.batch * num_panels(a_.num_keys, a_.key_lanes) + block.first_key / a_.key_lanes;
    return {a_.queries + (block.batch * a_.rows + block.first_row) * a_.depth,
            a_.depth,
            block.rows,
            a_.depth,
            a_.keys + first * panel,
            num_panels(block.keys, a_.key_lanes),
            panel,
            a_.key_lanes,
            block.scores,
            stride_,
            false};
  }

  Product sums_of(const Block& block) const {
    const std::int64_t panel = a_.num_keys * a_.value_lanes;
    const std::int64_t panels = num_panels(a_.columns, a_.value_lanes);
    return {block.scores,
            stride_,
            block.rows,
            block.keys,
            a_.values + block.batch * panels * panel + block.first_key * a_.value_lanes,
            panels,
            panel,
            a_.value_lanes,
            block.sums,
            columns_,
            block.first_key > 0};
  }

  void finish(const Block& block, float* out) const {
    const bool may_drop = !a_.steps.empty() && a_.steps.back().kind == Kind::kDrop;
    for (std::int64_t r = 0; r < block.rows; ++r) {
      // Without a weight, or with none left, what was summed is the result.
      const bool is_whole = (a_.is_safe && totals_[r] == 0) || (may_drop && !has_kept_[r]);
      const float total = is_whole ? 1 : totals_[r];
      float* const to = out + (block.batch * a_.rows + block.first_row + r) * a_.columns;
      const float* const from = block.sums + r * columns_;
      for (std::int64_t c = 0; c < a_.columns; ++c) to[c] = from[c] / total;
    }
  }

  const Attention& a_;
  Level of_keys_;
  Level of_values_;
  std::int64_t rows_;     ///< of a block, at most
  std::int64_t columns_;  ///< of sums, in whole vectors of either level
  std::int64_t keys_;     ///< of a block
  std::int64_t stride_;
  Lines scores_;
  Lines sums_;  ///< zeros where no panel has a column: they are scaled with the others
  std::vector<std::int64_t> offsets_;
  float largest_[kRowsOfBlock] = {};
  float totals_[kRowsOfBlock] = {};
  bool has_kept_[kRowsOfBlock] = {};
};

}  // namespace

std::int64_t num_attention_blocks(const Attention& attention) {
  std::int64_t count = blocks_of_rows(attention);
  for (const std::int64_t extent : attention.batch) count *= extent;
  return count;
}

void run_attention(const Attention& attention, std::int64_t begin, std::int64_t end, float* out) {
  Worker worker(attention);
  for (std::int64_t i = begin; i < end; ++i) worker.run(i, out);
}

}  // namespace graphnet::tvm
