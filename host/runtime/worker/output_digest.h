// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/json.h"
#include "worker/dense_copy.h"

namespace graphnet::worker {

/// What `--digest` keeps of each output: {"shape", "dtype", "sha256", "first4", "nan_count",
/// "inf_count", "mean", "max_abs"}; mean and largest absolute value over the finite elements, null
/// if there is none; "first4" spells what is not finite as base::json_number() does. Digests are
/// equal only on machines with the same kernels; the other fields let outputs be compared within a
/// tolerance elsewhere.
///
/// order    outputs in return order
base::Json output_digests(const std::vector<KeptOutput>& outputs);

}  // namespace graphnet::worker
