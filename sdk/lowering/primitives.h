// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "lowering/tensor.h"

namespace graphnet::lowering {

enum class Unary : std::uint8_t {
  kAbs,
  kNegate,
  kSign,
  kFloor,
  kCeil,
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kSqrt,
  kRsqrt,
  kSin,
  kCos,
  kTanh,
  kLogistic,
  kErf,
  kNot,
  kReal,
  kImag,
};

enum class Binary : std::uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kPower,
  kMaximum,
  kMinimum,
  kAnd,
  kOr,
  kXor,
  kComplex,
};

enum class Comparison : std::uint8_t { kEq, kNe, kLt, kLe, kGt, kGe };

enum class Reduction : std::uint8_t {
  kSum,
  kProduct,
  kMax,  ///< NaN if any element is
  kMin,
  kMaxNumber,  ///< what becomes of NaN does not matter
  kAnd,
  kOr,
};

/// A window over every dimension of its operand; negative padding cuts.
///
/// shapes   each: [rank]
struct Window {
  Shape size;
  Shape stride;
  Shape dilation;
  Shape low;
  Shape high;
};

/// shapes   all lists: [spatial dimensions]
struct ConvolutionAttributes {
  Shape stride;
  Shape low;  ///< padding, not negative
  Shape high;
  Shape input_dilation;
  Shape kernel_dilation;
  std::int64_t groups = 1;
};

/// Pairs of dimensions, left and right operand in the same order.
struct Contraction {
  Shape left_batch;
  Shape right_batch;
  Shape left_contracting;
  Shape right_contracting;
};

enum class Fourier : std::uint8_t { kForward, kInverse, kRealForward, kRealInverse };

}  // namespace graphnet::lowering
