// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/dtype.h"
#include "base/result.h"

namespace graphnet::base {

/// A dense row-major tensor with memory of its own.
struct DenseTensor {
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;
  AlignedBuffer bytes;
};

/// One whose elements are not set.
///
/// errors   kEnvironment with the bytes needed
Result<DenseTensor> allocate_tensor(DType dtype, const std::vector<std::int64_t>& shape);

}  // namespace graphnet::base
