// SPDX-License-Identifier: MIT
#include "tvm_plugin/attention.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "graphnet/for_processor.h"
#include "tvm_plugin/legalize.h"
#include "tvm_plugin/vector_unit.h"

namespace graphnet::tvm {

namespace {

using Kind = lowering::ir::AttentionStep;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
// A block's scores, what it reads of keys and values, and its sums fit into a cache of 512 KiB.
constexpr std::int64_t kRowsOfBlock = 48;
constexpr std::int64_t kKeysOfBlock = 512;  // whole panels

/// As many bytes as a vector has lanes.
template <typename Vector>
struct BytesOf;
template <>
struct BytesOf<Floats4> {
  using Type = signed char __attribute__((vector_size(4)));
};
template <>
struct BytesOf<Floats8> {
  using Type = signed char __attribute__((vector_size(8)));
};
template <>
struct BytesOf<Floats16> {
  using Type = signed char __attribute__((vector_size(16)));
};

template <typename Vector>
constexpr std::int64_t kLanesOf = sizeof(Vector) / sizeof(float);

/// A left side times panels. Panels are `panel_step` elements apart, rows of each `lanes`.
struct Product {
  const float* left = nullptr;
  std::int64_t left_stride = 0;
  std::int64_t rows = 0;
  std::int64_t depth = 0;
  const float* panels = nullptr;
  std::int64_t num_panels = 0;
  std::int64_t panel_step = 0;
  std::int64_t lanes = 0;
  float* out = nullptr;
  std::int64_t out_stride = 0;
  bool adds = false;  ///< to what is there
};

/// The scores of a block of rows and a block of keys become weights.
struct Block {
  const Attention* attention = nullptr;
  std::int64_t batch = 0;
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
  std::int64_t first_key = 0;
  std::int64_t keys = 0;
  std::int64_t stride = 0;   ///< of `scores`
  std::int64_t columns = 0;  ///< of `sums`, in whole panels
  float* scores = nullptr;
  float* sums = nullptr;     ///< products with values so far
  float* largest = nullptr;  ///< by row, so far
  float* totals = nullptr;   ///< the same: sum of weights
  bool* has_kept = nullptr;  ///< the same: whether a weight was not dropped
};

template <typename Vector>
GN_PART Vector load(const float* from) {
  Vector value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}
template <typename Vector>
GN_PART void store(float* to, const Vector& value) {
  std::memcpy(to, &value, sizeof(value));
}

/// Sums of kRows x kVectors vectors stay in registers.
template <typename Vector, int kRows, int kVectors>
GN_PART void product_tile(const Product& p, const float* left, const float* panel, float* out) {
  constexpr std::int64_t kLanes = kLanesOf<Vector>;
  const std::int64_t left_stride = p.left_stride;
  const std::int64_t lanes = p.lanes;
  Vector sums[kRows][kVectors] = {};
  for (std::int64_t k = 0; k < p.depth; ++k) {
    Vector right[kVectors];
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) right[v] = load<Vector>(panel + v * kLanes);
#pragma GCC unroll 12
    for (int r = 0; r < kRows; ++r) {
      const float value = left[r * left_stride];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) sums[r][v] += value * right[v];
    }
    ++left;
    panel += lanes;
  }
#pragma GCC unroll 12
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) {
      float* const to = out + r * p.out_stride + v * kLanes;
      store<Vector>(to, p.adds ? load<Vector>(to) + sums[r][v] : sums[r][v]);
    }
  }
}

/// As many rows as there are, at most kRows.
template <typename Vector, int kRows, int kVectors>
GN_PART void product_rows(const Product& p, std::int64_t rows, const float* left,
                          const float* panel, float* out) {
  if constexpr (kRows > 1) {
    if (rows < kRows) return product_rows<Vector, kRows - 1, kVectors>(p, rows, left, panel, out);
  }
  product_tile<Vector, kRows, kVectors>(p, left, panel, out);
}

template <typename Vector, int kRows, int kVectors>
GN_PART void product_columns(const Product& p, const float* panel, float* out) {
  for (std::int64_t row = 0; row < p.rows; row += kRows) {
    product_rows<Vector, kRows, kVectors>(p, p.rows - row, p.left + row * p.left_stride, panel,
                                          out + row * p.out_stride);
  }
}

template <typename Vector, int kRows>
GN_PART void product(const Product& p) {
  constexpr std::int64_t kLanes = kLanesOf<Vector>;
  for (std::int64_t i = 0; i < p.num_panels; ++i) {
    std::int64_t lane = 0;
    const auto panel = [&] { return p.panels + i * p.panel_step + lane; };
    const auto out = [&] { return p.out + i * p.lanes + lane; };
    for (; lane + 2 * kLanes <= p.lanes; lane += 2 * kLanes) {
      product_columns<Vector, kRows, 2>(p, panel(), out());
    }
    if (lane < p.lanes) product_columns<Vector, kRows, 1>(p, panel(), out());
  }
}

/// exp of what is not above 0; no subnormal results. NaN stays.
///
/// source   Cephes expf, as in vector_math.cc
template <typename Vector>
GN_PART Vector weight_of(const Vector& x) {
  using Integers = decltype(Vector{} < Vector{});
  constexpr float kRounds = 12582912.0F;  // 1.5 times 2 to 23: what is added to it gets whole
  const Vector shifted = x * 1.44269504088896341F + kRounds;
  const Vector n = shifted - kRounds;
  const Vector r = x - n * 0.693359375F - n * -2.12194440e-4F;
  Vector p = r * 1.9875691500e-4F + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  const auto power = reinterpret_cast<Vector>((reinterpret_cast<Integers>(shifted) + 127) << 23);
  const Vector value = (p * r * r + r + 1.0F) * power;
  return x < static_cast<float>(kLogSmallestNormal) ? Vector{} : value;
}

/// Elements of a step's operand from `first` on; those beyond `count` are 0.
template <typename Vector>
GN_PART Vector operand_of(const AttentionStep& step, std::int64_t offset, std::int64_t first,
                          std::int64_t count) {
  const float* const from =
      static_cast<const float*>(step.operand) + offset + first * step.key_stride;
  Vector value = {};
  if (step.key_stride == 0) return value + *from;
  const std::int64_t there = std::min(count - first, kLanesOf<Vector>);
  if (there == kLanesOf<Vector>) return load<Vector>(from);
  std::memcpy(&value, from, static_cast<std::size_t>(there) * sizeof(float));
  return value;
}

/// The same of a condition; those beyond `count` hold.
template <typename Vector>
GN_PART auto condition_of(const AttentionStep& step, std::int64_t offset, std::int64_t first,
                          std::int64_t count) {
  using Integers = decltype(Vector{} < Vector{});
  using Bytes = typename BytesOf<Vector>::Type;
  const auto* const from =
      static_cast<const signed char*>(step.operand) + offset + first * step.key_stride;
  Bytes bytes = Bytes{} + 1;
  const std::int64_t there = std::min(count - first, kLanesOf<Vector>);
  if (step.key_stride == 0) {
    bytes = Bytes{} + *from;
  } else if (there == kLanesOf<Vector>) {
    std::memcpy(&bytes, from, sizeof(bytes));
  } else {
    std::memcpy(&bytes, from, static_cast<std::size_t>(there));
  }
  return __builtin_convertvector(bytes, Integers) != 0;
}

/// Calls body(vector, first) for all vectors of a row; what it returns replaces them.
template <typename Vector, typename Body>
GN_PART void change(float* row, std::int64_t count, const Body& body) {
  for (std::int64_t i = 0; i < count; i += kLanesOf<Vector>) {
    store<Vector>(row + i, body(load<Vector>(row + i), i));
  }
}

/// A step before the softmax, on one row.
template <typename Vector>
GN_PART void apply(const AttentionStep& step, std::int64_t offset, float fill, float* row,
                   std::int64_t count) {
  const auto number = [&](std::int64_t i) __attribute__((always_inline)) {
    return operand_of<Vector>(step, offset, i, count);
  };
  const auto holds = [&](std::int64_t i) __attribute__((always_inline)) {
    return condition_of<Vector>(step, offset, i, count);
  };
  const auto each = [&](const auto& body) __attribute__((always_inline)) {
    change<Vector>(row, count, body);
  };
  const Vector filled = Vector{} + fill;
  using Index = std::int64_t;
  switch (step.kind) {
    case Kind::kMultiply:
      return each([&](Vector x, Index i) __attribute__((always_inline)) { return x * number(i); });
    case Kind::kAdd:
      return each([&](Vector x, Index i) __attribute__((always_inline)) { return x + number(i); });
    case Kind::kSubtract:
      return each([&](Vector x, Index i) __attribute__((always_inline)) { return x - number(i); });
    case Kind::kMaximum:  // NaN on either side stays
      return each([&](Vector x, Index i) __attribute__((always_inline)) {
        const Vector other = number(i);
        const Vector larger = x > other ? x : other;
        return x != x ? x : larger;
      });
    case Kind::kKeep:
      return each([&](Vector x, Index i)
                      __attribute__((always_inline)) { return holds(i) ? x : filled; });
    case Kind::kReplace:
      return each([&](Vector x, Index i)
                      __attribute__((always_inline)) { return holds(i) ? filled : x; });
    case Kind::kDrop:
      return;
  }
}

template <typename Vector, typename Combine>
GN_PART float across(const Vector& x, const Combine& combine) {
  float result = x[0];
#pragma GCC unroll 16
  for (std::int64_t i = 1; i < kLanesOf<Vector>; ++i) result = combine(result, x[i]);
  return result;
}

/// The largest that is a number: a NaN reaches the row's sum in any case.
template <typename Vector>
GN_PART float largest_of(const float* row, std::int64_t count) {
  Vector largest = Vector{} - kInfinity;
  for (std::int64_t i = 0; i < count; i += kLanesOf<Vector>) {
    const Vector x = load<Vector>(row + i);
    largest = x > largest ? x : largest;
  }
  return across(largest, [](float a, float b) { return b > a ? b : a; });
}

/// Weights of one row relative to its largest score; their sum.
template <typename Vector>
GN_PART float exponentials(float* row, std::int64_t count, float largest) {
  Vector sum = {};
  change<Vector>(
      row, count, [&](Vector x, std::int64_t) __attribute__((always_inline)) {
        const Vector weight = weight_of<Vector>(x - largest);
        sum += weight;
        return weight;
      });
  return across(sum, [](float a, float b) { return a + b; });
}

/// Whether anything is left.
template <typename Vector>
GN_PART bool drop(const AttentionStep& step, std::int64_t offset, float* row, std::int64_t count) {
  decltype(Vector{} < Vector{}) kept = {};
  change<Vector>(
      row, count, [&](Vector x, std::int64_t i) __attribute__((always_inline)) {
        const auto drops = condition_of<Vector>(step, offset, i, count);
        kept |= ~drops;
        return drops ? Vector{} : x;
      });
  bool has_any = false;
  for (std::int64_t i = 0; i < kLanesOf<Vector>; ++i) has_any = has_any || kept[i] != 0;
  return has_any;
}

/// Where a step's operand has this row of the block.
std::int64_t offset_in(const AttentionStep& step, const Block& block, std::int64_t row) {
  std::int64_t offset =
      (block.first_row + row) * step.row_stride + block.first_key * step.key_stride;
  std::int64_t rest = block.batch;
  for (std::size_t i = step.batch_strides.size(); i-- > 0;) {
    const std::int64_t extent = block.attention->batch[i];
    offset += rest % extent * step.batch_strides[i];
    rest /= extent;
  }
  return offset;
}

/// What was summed before a larger score came is scaled down.
template <typename Vector>
GN_PART void rescale(const Block& block, std::int64_t row, float largest) {
  const Vector factor = weight_of<Vector>(Vector{} + (block.largest[row] - largest));
  block.totals[row] *= factor[0];
  change<Vector>(
      block.sums + row * block.columns,
      block.columns, [&](Vector x, std::int64_t) __attribute__((always_inline)) {
        return x * factor;
      });
}

template <typename Vector>
GN_PART void weigh(const Block& block) {
  const Attention& a = *block.attention;
  for (std::int64_t r = 0; r < block.rows; ++r) {
    float* const row = block.scores + r * block.stride;
    for (const AttentionStep& step : a.steps) {
      apply<Vector>(step, offset_in(step, block, r), static_cast<float>(a.fill), row, block.keys);
    }
    for (std::int64_t i = block.keys; i % kLanesOf<Vector> != 0; ++i) row[i] = -kInfinity;
    const float before = block.largest[r];
    const float largest = std::max(before, largest_of<Vector>(row, block.keys));
    // As long as all are minus infinity they are compared with 0, which makes weights of 0.
    const float compared = largest == -kInfinity ? 0 : largest;
    if (block.first_key > 0 && largest != before) rescale<Vector>(block, r, compared);
    block.largest[r] = largest;
    block.totals[r] += exponentials<Vector>(row, block.keys, compared);
    for (const AttentionStep& step : a.steps) {
      if (step.kind != Kind::kDrop) continue;
      if (drop<Vector>(step, offset_in(step, block, r), row, block.keys)) block.has_kept[r] = true;
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
Level level_for(const Attention& a) {
  const auto fits = [&](std::int64_t lanes) {
    return a.key_lanes % lanes == 0 && a.value_lanes % lanes == 0;
  };
  if (__builtin_cpu_supports("x86-64-v4") != 0 && fits(16)) return {product_v4, weigh_v4};
  if (__builtin_cpu_supports("x86-64-v3") != 0 && fits(8)) return {product_v3, weigh_v3};
  return {product_v1, weigh_v1};
}

std::int64_t num_panels(std::int64_t columns, std::int64_t lanes) {
  return round_up(columns, lanes) / lanes;
}

std::int64_t blocks_of_rows(const Attention& a) {
  return (a.rows + kRowsOfBlock - 1) / kRowsOfBlock;
}

/// What a thread computes blocks in.
class Worker {
 public:
  explicit Worker(const Attention& attention)
      : a_(attention),
        level_(level_for(attention)),
        columns_(round_up(a_.columns, a_.value_lanes)),
        stride_(round_up(std::min(a_.num_keys, kKeysOfBlock), a_.key_lanes)),
        scores_(new float[static_cast<std::size_t>(std::min(a_.rows, kRowsOfBlock) * stride_)]),
        sums_(new float[static_cast<std::size_t>(std::min(a_.rows, kRowsOfBlock) * columns_)]) {}

  void run(std::int64_t index, float* out) {
    Block block = begin(index);
    for (; block.first_key < a_.num_keys; block.first_key += kKeysOfBlock) {
      block.keys = std::min(kKeysOfBlock, a_.num_keys - block.first_key);
      level_.product(scores_of(block));
      level_.weigh(block);
      level_.product(sums_of(block));
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
    block.scores = scores_.get();
    block.sums = sums_.get();
    block.largest = largest_;
    block.totals = totals_;
    block.has_kept = has_kept_;
    std::fill_n(largest_, kRowsOfBlock, -kInfinity);
    std::fill_n(totals_, kRowsOfBlock, 0.0F);
    std::fill_n(has_kept_, kRowsOfBlock, false);
    return block;
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
      const float* const from = sums_.get() + r * columns_;
      for (std::int64_t c = 0; c < a_.columns; ++c) to[c] = from[c] / total;
    }
  }

  const Attention& a_;
  Level level_;
  std::int64_t columns_;
  std::int64_t stride_;
  std::unique_ptr<float[]> scores_;
  std::unique_ptr<float[]> sums_;
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
