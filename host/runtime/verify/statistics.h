// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace graphnet::verify {

/// How many elements of one side are special. Integers and bools: zeros only. A complex number is
/// NaN if a part is, else infinite (counted as positive) if a part is, zero if both parts are,
/// subnormal if its modulus is.
struct ValueCounts {
  std::int64_t nan = 0;
  std::int64_t positive_infinity = 0;
  std::int64_t negative_infinity = 0;
  std::int64_t zero = 0;
  std::int64_t subnormal = 0;  ///< by the smallest normal number of the output's own dtype
};

/// One pair of elements that differ.
struct WorstPair {
  std::int64_t index = 0;  ///< row-major
  double eager = 0;        ///< complex: the modulus
  double plugin = 0;
  double error = 0;            ///< |plugin - eager| in float64; infinity if the masks differ here
  bool mask_mismatch = false;  ///< NaN or an infinity on one side that the other has not
};

/// What is reported of one output beside the verdicts. "Finite pairs" are those finite on both
/// sides; all differences are float64 ones of the stored values.
struct Statistics {
  ValueCounts eager;
  ValueCounts plugin;
  std::int64_t finite_pairs = 0;
  std::int64_t mask_mismatches = 0;  ///< pairs whose NaN, +Inf or -Inf differ
  std::int64_t differing = 0;        ///< pairs neither == nor both NaN; mask mismatches included
  /// Over finite pairs; nothing if there are none.
  std::optional<double> max_error;
  std::optional<double> mean_error;
  std::optional<double> rms_error;
  /// max |plugin - eager| / |eager| over finite pairs whose eager is not 0; nothing if there are
  /// none, and for integers and bools.
  std::optional<double> max_relative_error;
  /// <eager, plugin> / (||eager|| ||plugin||) over finite pairs; nothing if a norm is 0, and for
  /// integers, bools and complex numbers.
  std::optional<double> cosine;
  /// Finite pairs by their distance in units in the last place of the output's own dtype: [0] equal
  /// values, [k] distances from 2^(k-1) to 2^k - 1; ends with the last bin that is not empty. Real
  /// floating-point dtypes only, else empty. +0 and -0 are one value.
  std::vector<std::int64_t> ulp_histogram;
  /// At most 8: mask mismatches by index, then the largest errors (equal ones by index).
  std::vector<WorstPair> worst;
};

}  // namespace graphnet::verify
