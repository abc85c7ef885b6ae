// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verify/tensor_view.h"

namespace graphnet::verify {

/// What an index output selects.
enum class IndexKind : std::uint8_t {
  kOne,        ///< argmax, argmin, max, min: one element per slice
  kOrdered,    ///< sort, argsort, topk: the k-th index selects the k-th value
  kUnordered,  ///< topk with sorted=False: a set of elements per slice
};

/// Where an index output points to.
struct IndexSource {
  TensorView values;  ///< eager's; a real dtype
  /// Nothing: argmax and argmin of the flattened tensor.
  std::optional<std::size_t> dim;
  IndexKind kind = IndexKind::kOne;
};

struct IndexJudgement {
  bool accepted = false;
  std::int64_t differing = 0;  ///< indices unlike eager's; until the first that cannot be followed
  /// Largest |value selected by the plugin - value selected by eager|; infinity if only one of the
  /// two is NaN or infinite. Nothing if an index cannot be followed.
  std::optional<double> worst_gap;
  /// Row-major in the index output: the largest gap that is not allowed, else the largest gap; or
  /// the index that cannot be followed.
  std::int64_t worst_index = 0;
  std::string message;  ///< why not accepted, without a full stop; else empty
};

/// Judges indices by the values they select, so that ties do not fail.
///
/// Accepted: every index is in [0, extent of dim); for kOrdered and kUnordered no slice selects an
/// element twice; and each value selected differs from the one that eager's index selects by at
/// most the dtype's relative RMS limit (rms_limit) times the larger of that value and the RMS of
/// its slice: the plugin computed its own values, which were allowed that much of error. Integer
/// and bool values must be equal (int64 as float64). NaN equals NaN.
///
/// shapes   eager, plugin: int64 or int32, values' shape without dim or with 1 there (kOne), with
///          any extent there (others); kOne without dim: one element
/// errors   shapes or dtypes that do not fit are not accepted, with a message
IndexJudgement judge_indices(const TensorView& eager, const TensorView& plugin,
                             const IndexSource& source);

}  // namespace graphnet::verify
