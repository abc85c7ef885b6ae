// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "verify/outcome_rule.h"
#include "verify/tensor_view.h"

namespace graphnet::verify {

/// Smallest change of eager that is evidence, in multiples of the tolerance. The plugin's allowed
/// error would hide most of a smaller change.
inline constexpr double kSensitiveFactor = 10;

/// Largest part of eager's change that the plugin's may differ from it by.
inline constexpr double kMostUnfollowed = 0.1;

/// How far an output moves from one call to another, relative to the first: RMS over the elements
/// that are finite in both and not outsize (outcome_rule.h), complex numbers as their moduli.
/// Integers and bools: the share of the elements that differ. 0 if there is nothing to compare;
/// infinity if only the first is zero.
///
/// shapes   dtypes and shapes are equal
double relative_change(const TensorView& before, const TensorView& after);

/// Whether that change is enough to tell a plugin that computes from its inputs from one that does
/// not. Integers and bools are judged exactly, so that a hundredth of them is enough.
bool is_sensitive(base::DType dtype, double change);

/// An output of both sides in two calls on different inputs.
struct FourViews {
  TensorView eager_before;
  TensorView eager_after;
  TensorView plugin_before;
  TensorView plugin_after;
};

enum class Following : std::uint8_t {
  kUnvaried,  ///< eager's change says nothing
  kFollows,
  kStale,
};

struct OutputChange {
  double eager = 0;  ///< relative_change() of eager
  /// RMS of (change of the plugin - change of eager) by that of eager's change; integers and bools:
  /// the share of the elements that eager changed and the plugin left as they were.
  double unfollowed = 0;
  double moved = 0;  ///< RMS of the plugin's change by that of eager's; exact types: 1 - unfollowed
  Following following = Following::kUnvaried;
};

/// Whether the plugin's output follows its inputs as eager's does.
///
/// `accepted_error` is the plugin's relative RMS error in the first call. Where that is beyond the
/// tolerance (float64 excused it), eager's change must be larger by as much. What two outputs
/// within tolerance may differ by is never stale.
OutputChange compare_changes(const FourViews& views, double accepted_error);

}  // namespace graphnet::verify
