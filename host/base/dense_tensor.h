// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/dtype.h"

namespace graphnet::base {

/// A dense row-major tensor with memory of its own.
struct DenseTensor {
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;
  AlignedBuffer bytes;
};

}  // namespace graphnet::base
