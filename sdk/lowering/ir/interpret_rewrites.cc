// SPDX-License-Identifier: MIT
#include "lowering/ir/interpret_rewrites.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace graphnet::lowering::ir {

namespace {

std::size_t spot(std::int64_t position) {
  return static_cast<std::size_t>(position);
}

Number element_at(const Array& x, const Shape& index) {
  const Shape strides = strides_of(x.type.shape);
  return x.elements[spot(
      std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0}))];
}

template <typename Element>
Array for_each_result(const TensorType& out, Element each) {
  Array result = {out, {}};
  for_each_index(out.shape, [&](const Shape& index) { result.elements.push_back(each(index)); });
  return result;
}

// ---- Winograd's convolution ----

// What tiles, kernels and sums are multiplied with along both dimensions.
constexpr long double kA = kWinogradNear;
constexpr long double kB = kWinogradFar;
constexpr long double kA2 = kA * kA;
constexpr long double kB2 = kB * kB;
constexpr long double kAB2 = kA * kB2;
constexpr long double kBA2 = kB * kA2;
constexpr long double kA2B2 = kA2 * kB2;
constexpr long double kInputFactors[6][6] = {
    {kA2B2, 0, -kA2 - kB2, 0, 1, 0}, {0, -kAB2, -kB2, kA, 1, 0}, {0, kAB2, -kB2, -kA, 1, 0},
    {0, -kBA2, -kA2, kB, 1, 0},      {0, kBA2, -kA2, -kB, 1, 0}, {0, kA2B2, 0, -kA2 - kB2, 0, 1}};
constexpr long double kNear = 2 * kA2 * (kA2 - kB2);
constexpr long double kFar = 2 * kB2 * (kB2 - kA2);
constexpr long double kKernelFactors[6][3] = {
    {1 / kA2B2, 0, 0},
    {1 / kNear, kA / kNear, kA2 / kNear},
    {1 / kNear, -kA / kNear, kA2 / kNear},
    {1 / kFar, kB / kFar, kB2 / kFar},
    {1 / kFar, -kB / kFar, kB2 / kFar},
    {0, 0, 1},
};
constexpr long double kA3 = kA2 * kA;
constexpr long double kB3 = kB2 * kB;
constexpr long double kOutputFactors[4][6] = {{1, 1, 1, 1, 1, 0},
                                              {0, kA, -kA, kB, -kB, 0},
                                              {0, kA2, kA2, kB2, kB2, 0},
                                              {0, kA3, -kA3, kB3, -kB3, 1}};

/// The sum of element_at(i, j), each times row `point` / 6 of the factors along one dimension and
/// row `point` % 6 along the other.
template <std::size_t kRows, std::size_t kTaps, typename Element>
Number both_ways(const long double (&factors)[kRows][kTaps], std::int64_t point, Element element) {
  Number sum = 0;
  for (std::size_t i = 0; i < kTaps; ++i) {
    for (std::size_t j = 0; j < kTaps; ++j) {
      const long double factor =
          factors[spot(point / kWinogradReach)][i] * factors[spot(point % kWinogradReach)][j];
      if (factor != 0) {
        sum += factor * element(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
      }
    }
  }
  return sum;
}

// ---- attention ----

/// Operands of one batch: scores and weights of one row after another.
class Rows {
 public:
  Rows(const Attention& operation, const std::vector<const Array*>& operands)
      : operation_(operation), in_(operands), num_keys_(operands[2]->type.extent(2)) {}

  /// Weights of row `row` of one batch.
  std::vector<long double> weights(const Shape& batch, std::int64_t row) const {
    std::vector<long double> scores;
    for (std::int64_t key = 0; key < num_keys_; ++key) scores.push_back(score(batch, row, key));
    // A NaN reaches the sum in any case.
    constexpr long double kInfinity = std::numeric_limits<long double>::infinity();
    long double largest = -kInfinity;
    for (const long double each : scores) largest = std::max(largest, each);
    if (operation_.is_safe && largest == -kInfinity) largest = 0;
    for (long double& each : scores) each = std::exp(each - largest);
    long double sum = std::accumulate(scores.begin(), scores.end(), 0.0L);
    if (operation_.is_safe && sum == 0) sum = 1;
    for (std::int64_t key = 0; key < num_keys_; ++key) {
      scores[spot(key)] = is_dropped(batch, row, key) ? 0 : scores[spot(key)] / sum;
    }
    return scores;
  }

  std::int64_t position_of(const Shape& batch) const {
    std::int64_t position = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      position = position * operation_.batch[i] + batch[i];
    }
    return position;
  }

 private:
  long double score(const Shape& batch, std::int64_t row, std::int64_t key) const {
    const Array& queries = *in_[0];
    const Array& keys = *in_[1];
    const std::int64_t lanes = keys.type.extent(3);
    const std::int64_t b = position_of(batch);
    long double sum = 0;
    for (std::int64_t i = 0; i < queries.type.extent(2); ++i) {
      sum += element_at(queries, {b, row, i}).real() *
             element_at(keys, {b, key / lanes, i, key % lanes}).real();
    }
    for (std::size_t i = 0; i < operation_.steps.size(); ++i) {
      sum = stepped(i, sum, batch, row, key);
    }
    return sum;
  }

  long double stepped(std::size_t step, long double x, const Shape& batch, std::int64_t row,
                      std::int64_t key) const {
    const long double operand = operand_of(step, batch, row, key);
    switch (static_cast<AttentionStep>(operation_.steps[step])) {
      case AttentionStep::kMultiply:
        return x * operand;
      case AttentionStep::kAdd:
        return x + operand;
      case AttentionStep::kSubtract:
        return x - operand;
      case AttentionStep::kMaximum:
        if (std::isnan(x) || std::isnan(operand)) return NAN;
        return std::max(x, operand);
      case AttentionStep::kKeep:
        return operand != 0 ? x : operation_.fill;
      case AttentionStep::kReplace:
        return operand != 0 ? operation_.fill : x;
      case AttentionStep::kDrop:
        return x;
    }
    return x;
  }

  bool is_dropped(const Shape& batch, std::int64_t row, std::int64_t key) const {
    const bool drops = !operation_.steps.empty() &&
                       operation_.steps.back() == static_cast<std::int64_t>(AttentionStep::kDrop);
    return drops && operand_of(operation_.steps.size() - 1, batch, row, key) != 0;
  }

  long double operand_of(std::size_t step, const Shape& batch, std::int64_t row,
                         std::int64_t key) const {
    const Array& operand = *in_[step + 3];
    Shape index = batch;
    index.insert(index.end(), {row, key});
    for (std::size_t i = 0; i < index.size(); ++i) {
      if (operand.type.shape[i] == 1) index[i] = 0;
    }
    return element_at(operand, index).real();
  }

  const Attention& operation_;
  const std::vector<const Array*>& in_;
  std::int64_t num_keys_;
};

}  // namespace

Array winograd_input(const WinogradInput& each, const Array& x, const TensorType& out) {
  return for_each_result(out, [&](const Shape& index) {
    const std::int64_t tile = index[1];
    const Shape first = {tile / each.tiles[1] % each.tiles[0] * kWinogradTile - each.low[0],
                         tile % each.tiles[1] * kWinogradTile - each.low[1]};
    const std::int64_t batch = tile / (each.tiles[0] * each.tiles[1]);
    return both_ways(kInputFactors, index[0], [&](std::int64_t i, std::int64_t j) {
      const std::int64_t row = first[0] + i;
      const std::int64_t column = first[1] + j;
      const bool is_there =
          row >= 0 && row < x.type.extent(1) && column >= 0 && column < x.type.extent(2);
      return is_there ? element_at(x, {batch, row, column, index[2]}) : Number(0);
    });
  });
}

Array winograd_kernel(const WinogradKernel& each, const Array& kernel, const TensorType& out) {
  return for_each_result(out, [&](const Shape& index) {
    const std::int64_t channel = index[1] * each.lanes + index[3];
    if (channel >= kernel.type.extent(0)) return Number(0);
    return both_ways(kKernelFactors, index[0], [&](std::int64_t i, std::int64_t j) {
      return element_at(kernel, {channel, index[2], i, j});
    });
  });
}

Array winograd_output(const WinogradOutput& each, const Array& sums, const TensorType& out) {
  const std::int64_t across = num_winograd_tiles(each.extents[2]);
  return for_each_result(out, [&](const Shape& index) {
    const std::int64_t row =
        index[0] * num_winograd_tiles(each.extents[1]) + index[1] / kWinogradTile;
    const std::int64_t tile = row * across + index[2] / kWinogradTile;
    const std::int64_t point = index[1] % kWinogradTile * kWinogradReach + index[2] % kWinogradTile;
    return both_ways(kOutputFactors, point, [&](std::int64_t i, std::int64_t j) {
      return element_at(sums, {i * kWinogradReach + j, tile, index[3]});
    });
  });
}

Array attention(const Attention& each, const std::vector<const Array*>& operands,
                const TensorType& out) {
  const Rows rows(each, operands);
  const Array& values = *operands[2];
  const std::int64_t lanes = values.type.extent(3);
  Array result = {out, {}};
  Shape outer = each.batch;
  outer.push_back(out.extent(1));
  for_each_index(outer, [&](const Shape& index) {
    const Shape batch(index.begin(), index.end() - 1);
    const std::vector<long double> weights = rows.weights(batch, index.back());
    for (std::int64_t column = 0; column < each.columns; ++column) {
      Number sum = 0;
      for (std::int64_t key = 0; key < values.type.extent(2); ++key) {
        sum += weights[spot(key)] *
               element_at(values, {rows.position_of(batch), column / lanes, key, column % lanes});
      }
      result.elements.push_back(sum);
    }
  });
  return result;
}

}  // namespace graphnet::lowering::ir
