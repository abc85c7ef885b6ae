// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/dtype.h"

namespace graphnet::verify {

/// The outcome rule decides when an output of a plugin is accepted. This file holds the whole rule;
/// the facts that it uses are measured elsewhere:
///
/// | fact                                   | measured by                |
/// |----------------------------------------|----------------------------|
/// | dtype, shape, masks, bits, sums        | scan.h                     |
/// | elements one by one, outsize elements  | element_errors.h           |
/// | eager and plugin against float64       | float64_truth.h            |
/// | what indices select                    | indices.h                  |
/// | whether random draws are alike         | distribution.h             |

/// Bools and integers: equal to the bit, or judged by what they select.
inline bool is_exact(base::DType dtype) {
  return dtype == base::DType::kBool || base::is_integer(dtype);
}

/// Largest relative RMS error of an accepted output; complex numbers as their parts.
inline double rms_limit(base::DType dtype) {
  switch (dtype) {
    case base::DType::kFloat16:
      return 2e-2;
    case base::DType::kBFloat16:
      return 8e-2;
    case base::DType::kFloat64:
    case base::DType::kComplex128:
      return 1e-6;
    default:
      return 1e-3;
  }
}

/// An element may be off by this part of the output's RMS, beside rms_limit of itself: 30 times
/// rms_limit, but half types, whose limits are wide already, have one of their own.
inline double element_limit(base::DType dtype) {
  const bool is_half = dtype == base::DType::kFloat16 || dtype == base::DType::kBFloat16;
  return is_half ? 0.25 : 30 * rms_limit(dtype);
}

/// An error against float64 may be this many times eager's own.
///
/// source   torch's benchmarks use 2 to 10
inline constexpr double kEagerErrorFactor = 3;

/// Eager's own error at one element may be 0 by chance. It counts as at least the error that this
/// share of the elements does not exceed.
inline constexpr double kUsualErrorShare = 0.9999;

/// Largest relative RMS error of eager's own at which its error is a measure for others'. Above,
/// the output is ill-conditioned.
inline double eager_error_limit(base::DType dtype) {
  return std::max(0.1, 2 * rms_limit(dtype));
}

/// Elements of eager above this many times the median magnitude of those that are not 0 (masks of
/// attention: -3.4e38, -65504, -10000) are outsize: left out of every RMS, where they would hide
/// all others, and judged one by one as outputs of their own. The largest magnitude is left out of
/// the median, however often it is there: masks may be the most.
inline constexpr double kOutsizeFactor = 1e4;

/// Whether the float64 half of the rule exists for a dtype: float16, bfloat16, float32. A float64
/// output has no better truth than itself.
inline bool has_float64_rule(base::DType dtype) {
  return base::is_floating(dtype) && dtype != base::DType::kFloat64;
}

/// How far one element may be off.
struct ElementRule {
  base::DType dtype = base::DType::kFloat32;
  double eager_rms = 0;  ///< of the elements that are not outsize
  /// Magnitude above which an element of eager is outsize.
  double outsize_above = std::numeric_limits<double>::infinity();

  bool is_outsize(double eager) const { return std::abs(eager) > outsize_above; }

  /// Largest |plugin - eager|.
  double from_eager(double eager) const {
    const double relative = rms_limit(dtype) * std::abs(eager);
    return is_outsize(eager) ? relative : element_limit(dtype) * eager_rms + relative;
  }

  /// Largest |plugin - truth|. usual_error: what kUsualErrorShare of eager's errors do not exceed.
  double from_float64(double eager, double truth, double usual_error) const {
    const double own = std::abs(eager - truth);
    if (!is_outsize(eager)) return kEagerErrorFactor * std::max(own, usual_error);
    const bool is_sound = own <= eager_error_limit(dtype) * std::abs(truth);
    return is_sound ? kEagerErrorFactor * own : 0;
  }
};

/// An output beside the same program in float64.
struct TruthFacts {
  double eager_error = 0;  ///< relative RMS error of eager
  double ratio = 1;        ///< RMS error of the plugin / RMS error of eager
  /// Worst element: by how much of what it may be off from eager or from float64, whichever is
  /// kinder; 1 is the limit.
  double element_excess = 0;
};

inline bool is_ill_conditioned(base::DType dtype, const TruthFacts& truth) {
  return !(truth.eager_error <= eager_error_limit(dtype));
}

/// Whether a difference says nothing of the plugin on inputs or weights that are not the sample's
/// own: eager itself is not near float64 there, and the plugin is no farther from eager than eager
/// may be for a measure. What ignores its inputs or has built weights in is farther.
inline bool is_amplified(base::DType dtype, double relative_rms, const TruthFacts& truth) {
  return truth.eager_error > rms_limit(dtype) && relative_rms <= eager_error_limit(dtype);
}

/// How far two results of an output are apart, as ElementErrors has it.
struct Distance {
  double relative_rms = 0;
  double largest = 0;
};

/// Operations round as often as there are layers and terms; this many units in the last place, all
/// at the inputs, stand for all of them.
inline constexpr double kRoundings = 16;

/// How far eager moves from itself where the floats that it reads, inputs and weights, are off.
struct Movement {
  Distance one_unit;       ///< by one unit in the last place
  Distance all_roundings;  ///< by kRoundings units; 0 if not tried
};

/// Errors of a smooth program grow with what its inputs are off. One that compares its values, as
/// masked attention does, jumps where a value passes another, farther than this many times the
/// growth. Jumps of two runs are hardly ever the same ones: a plugin's may be this many times as
/// far.
inline constexpr double kJump = 2;

/// How far rounding may take a plugin, by how far eager moves.
inline double rounding_limit(double one_unit, double all_roundings) {
  const double grown = kRoundings * one_unit;
  return all_roundings > kJump * grown ? kJump * all_roundings : grown;
}

/// Whether rounding alone may take a plugin so far from eager, on inputs or weights that are not
/// the sample's own. A sample that makes much of so little is ill-conditioned there, however near
/// float64 eager happens to be.
inline bool is_rounding(base::DType dtype, const Distance& plugin, const Movement& moved) {
  const Distance& one = moved.one_unit;
  const Distance& all = moved.all_roundings;
  return plugin.relative_rms <= eager_error_limit(dtype) &&
         plugin.relative_rms <= rounding_limit(one.relative_rms, all.relative_rms) &&
         plugin.largest <= rounding_limit(one.largest, all.largest);
}

/// What the rule asks of one output whose dtype and shape are right.
struct OutputFacts {
  base::DType dtype = base::DType::kFloat32;
  bool masks_equal = true;        ///< NaN, +Inf and -Inf at the same elements
  bool values_equal = false;      ///< integers and bools
  bool selects_the_same = false;  ///< indices
  double relative_rms = 0;        ///< floats, without outsize elements
  double element_excess = 0;      ///< floats: worst element, by how much of from_eager()
  std::optional<TruthFacts> truth;
};

/// Why an output is accepted.
enum class Acceptance : std::uint8_t {
  kNone,
  kEqual,
  kNearEager,
  kNearFloat64,
  kSelection,
  kDistribution,
};

/// The decision.
///
/// | output            | accepted if                                                              |
/// |-------------------|--------------------------------------------------------------------------|
/// | integers, bools   | equal, or indices that select the same                                   |
/// | floats            | NaN and infinities are where eager's are; relative RMS error within      |
/// |                   | rms_limit, or RMS error against float64 within 3 times eager's own; and  |
/// |                   | each element within ElementRule::from_eager() or from_float64()          |
/// | ill-conditioned   | as floats, by eager alone: its error is no measure for others'           |
///
/// What is not accepted so may be by its distribution, if eager's own draws of it differ:
/// judge_random_output(), kDistribution.
inline Acceptance decide(const OutputFacts& facts) {
  if (is_exact(facts.dtype)) {
    if (facts.values_equal) return Acceptance::kEqual;
    return facts.selects_the_same ? Acceptance::kSelection : Acceptance::kNone;
  }
  if (!facts.masks_equal) return Acceptance::kNone;
  // Written so that a NaN is not within.
  const bool rms_is_near = facts.relative_rms <= rms_limit(facts.dtype);
  if (rms_is_near && facts.element_excess <= 1) return Acceptance::kNearEager;
  if (!facts.truth || is_ill_conditioned(facts.dtype, *facts.truth)) return Acceptance::kNone;
  const bool rms_is_as_good = rms_is_near || facts.truth->ratio <= kEagerErrorFactor;
  const bool is_as_good = rms_is_as_good && facts.truth->element_excess <= 1;
  return is_as_good ? Acceptance::kNearFloat64 : Acceptance::kNone;
}

}  // namespace graphnet::verify
