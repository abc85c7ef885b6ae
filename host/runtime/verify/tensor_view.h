// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/dense_tensor.h"
#include "base/dtype.h"

namespace graphnet::verify {

/// A dense row-major tensor, borrowed.
///
/// shapes   data: [prod(shape)] elements of dtype; may be null if there are no elements
struct TensorView {
  base::DType dtype = base::DType::kFloat32;
  std::vector<std::int64_t> shape;
  const void* data = nullptr;
};

TensorView view_of(const base::DenseTensor& tensor);
std::vector<TensorView> views(const std::vector<base::DenseTensor>& tensors);

/// Elements of shape; 0 if the shape is none.
std::int64_t count_of(const TensorView& view);

/// Row-major index as a position: "[1, 0]".
std::string position_text(const std::vector<std::int64_t>& shape, std::int64_t index);

}  // namespace graphnet::verify
