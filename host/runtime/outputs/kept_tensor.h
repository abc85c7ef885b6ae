// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/dtype.h"
#include "verify/tensor_view.h"

namespace graphnet::outputs {

/// A dense row-major tensor with memory of its own.
struct KeptTensor {
  base::DType dtype = base::DType::kFloat32;
  std::vector<std::int64_t> shape;
  base::AlignedBuffer bytes;

  verify::TensorView view() const { return {dtype, shape, bytes.data()}; }
};

/// Borrowed.
std::vector<verify::TensorView> views(const std::vector<KeptTensor>& tensors);

}  // namespace graphnet::outputs
