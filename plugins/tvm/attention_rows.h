// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "graphnet/for_processor.h"
#include "tvm_plugin/attention.h"
#include "tvm_plugin/legalize.h"
#include "tvm_plugin/vector_product.h"

/// From scores to weights, a row at a time, as parts of functions for one generation of processors.
/// A row has whole vectors; what lies behind its last key is nobody's.
namespace graphnet::tvm {

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

/// What a step's operand has for the keys of a row. Beyond the last key: 0.
template <typename Vector>
struct Numbers {
  const float* from;

  GN_PART Vector splat() const { return Vector{} + *from; }
  GN_PART Vector whole(std::int64_t first) const { return load<Vector>(from + first); }
  GN_PART Vector part(std::int64_t first, std::int64_t count) const {
    Vector value = {};
    std::memcpy(&value, from + first, static_cast<std::size_t>(count) * sizeof(float));
    return value;
  }
};

/// The same of a condition. Beyond the last key it holds.
template <typename Vector>
struct Conditions {
  using Integers = decltype(Vector{} < Vector{});
  using Bytes = typename BytesOf<Vector>::Type;
  const signed char* from;

  GN_PART static Integers wide(const Bytes& bytes) {
    return __builtin_convertvector(bytes, Integers) != 0;
  }
  GN_PART Integers splat() const { return wide(Bytes{} + *from); }
  GN_PART Integers whole(std::int64_t first) const {
    Bytes bytes;
    std::memcpy(&bytes, from + first, sizeof(bytes));
    return wide(bytes);
  }
  GN_PART Integers part(std::int64_t first, std::int64_t count) const {
    Bytes bytes = Bytes{} + 1;
    std::memcpy(&bytes, from + first, static_cast<std::size_t>(count));
    return wide(bytes);
  }
};

/// body(vector, operand) replaces each vector of a row. Only the last one asks how many keys there
/// are: with that question in each, a step took as long as the exponentials.
///
/// key_stride   0: the operand is one for all keys; otherwise 1
template <typename Vector, typename Operand, typename Body>
GN_PART void change(const Operand& operand, std::int64_t key_stride, float* row, std::int64_t count,
                    const Body& body) {
  constexpr std::int64_t kWidth = kLanesOf<Vector>;
  std::int64_t i = 0;
  if (key_stride == 0) {
    const auto splat = operand.splat();
    for (; i < count; i += kWidth) store<Vector>(row + i, body(load<Vector>(row + i), splat));
    return;
  }
  for (; i + kWidth <= count; i += kWidth) {
    store<Vector>(row + i, body(load<Vector>(row + i), operand.whole(i)));
  }
  if (i < count) store<Vector>(row + i, body(load<Vector>(row + i), operand.part(i, count - i)));
}

/// A step before the softmax, on one row.
///
/// offset   of the row in the step's operand
template <typename Vector>
GN_PART void apply(const AttentionStep& step, std::int64_t offset, float fill, float* row,
                   std::int64_t count) {
  using Kind = lowering::ir::AttentionStep;
  using Integers = decltype(Vector{} < Vector{});
  const auto numbers = [&](const auto& body) __attribute__((always_inline)) {
    const Numbers<Vector> operand = {static_cast<const float*>(step.operand) + offset};
    change<Vector>(operand, step.key_stride, row, count, body);
  };
  const auto conditions = [&](const auto& body) __attribute__((always_inline)) {
    const Conditions<Vector> operand = {static_cast<const signed char*>(step.operand) + offset};
    change<Vector>(operand, step.key_stride, row, count, body);
  };
  const Vector filled = Vector{} + fill;
  switch (step.kind) {
    case Kind::kMultiply:
      return numbers([](Vector x, Vector y) __attribute__((always_inline)) { return x * y; });
    case Kind::kAdd:
      return numbers([](Vector x, Vector y) __attribute__((always_inline)) { return x + y; });
    case Kind::kSubtract:
      return numbers([](Vector x, Vector y) __attribute__((always_inline)) { return x - y; });
    case Kind::kMaximum:  // NaN on either side stays
      return numbers([](Vector x, Vector y) __attribute__((always_inline)) {
        const Vector larger = x > y ? x : y;
        return x != x ? x : larger;
      });
    case Kind::kKeep:
      return conditions([&](Vector x, Integers holds)
                            __attribute__((always_inline)) { return holds ? x : filled; });
    case Kind::kReplace:
      return conditions([&](Vector x, Integers holds)
                            __attribute__((always_inline)) { return holds ? filled : x; });
    case Kind::kDrop:
      return;
  }
}

/// Of vectors or numbers, the larger: `a` where one is NaN.
template <typename Value>
GN_PART Value larger_of(const Value& a, const Value& b) {
  return b > a ? b : a;
}

/// combine() over the elements of a vector: of its halves, and so on.
template <typename Vector, typename Combine>
GN_PART float across(const Vector& x, const Combine& combine) {
  if constexpr (kLanesOf<Vector> == 4) {
    return combine(combine(x[0], x[2]), combine(x[1], x[3]));
  } else {
    using Half = std::conditional_t<kLanesOf<Vector> == 16, Floats8, Floats4>;
    Half halves[2];
    std::memcpy(halves, &x, sizeof(halves));
    return across<Half>(combine(halves[0], halves[1]), combine);
  }
}

/// The largest that is a number: a NaN reaches the row's sum in any case. In four parts, of which
/// none waits for another.
template <typename Vector>
GN_PART float largest_of(const float* row, std::int64_t count) {
  constexpr std::int64_t kWidth = kLanesOf<Vector>;
  const Vector least = Vector{} - std::numeric_limits<float>::infinity();
  Vector parts[4] = {least, least, least, least};
  std::int64_t i = 0;
  for (; i + 4 * kWidth <= count; i += 4 * kWidth) {
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p) parts[p] = larger_of(parts[p], load<Vector>(row + i + p * kWidth));
  }
  for (; i < count; i += kWidth) parts[0] = larger_of(parts[0], load<Vector>(row + i));
  const auto larger = [](const auto& a, const auto& b) __attribute__((always_inline)) {
    return larger_of(a, b);
  };
  return across(larger(larger(parts[0], parts[1]), larger(parts[2], parts[3])), larger);
}

/// Weights of one row relative to its largest score; their sum.
template <typename Vector>
GN_PART float exponentials(float* row, std::int64_t count, float largest) {
  Vector sum = {};
  for (std::int64_t i = 0; i < count; i += kLanesOf<Vector>) {
    const Vector weight = weight_of<Vector>(load<Vector>(row + i) - largest);
    store<Vector>(row + i, weight);
    sum += weight;
  }
  return across(
      sum, [](const auto& a, const auto& b) __attribute__((always_inline)) { return a + b; });
}

/// Whether anything is left.
template <typename Vector>
GN_PART bool drop(const AttentionStep& step, std::int64_t offset, float* row, std::int64_t count) {
  using Integers = decltype(Vector{} < Vector{});
  Integers kept = {};
  const Conditions<Vector> operand = {static_cast<const signed char*>(step.operand) + offset};
  change<Vector>(
      operand, step.key_stride, row,
      count, [&](Vector x, Integers drops) __attribute__((always_inline)) {
        kept |= ~drops;
        return drops ? Vector{} : x;
      });
  bool has_any = false;
  for (std::int64_t i = 0; i < kLanesOf<Vector>; ++i) has_any = has_any || kept[i] != 0;
  return has_any;
}

}  // namespace graphnet::tvm
