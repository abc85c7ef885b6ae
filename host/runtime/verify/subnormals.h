// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace graphnet::verify {

/// Number of subnormal elements of an array, by their bits, so that a thread that flushes them to
/// zero counts them too. Complex numbers by their parts; 0 for integers and bools.
///
/// shapes   data: [count] of dtype; may be null if count is 0
std::int64_t count_subnormals(base::DType dtype, const void* data, std::int64_t count);

}  // namespace graphnet::verify
