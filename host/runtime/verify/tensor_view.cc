// SPDX-License-Identifier: MIT
#include "verify/tensor_view.h"

#include "base/text.h"

namespace graphnet::verify {

TensorView view_of(const base::DenseTensor& tensor) {
  return {tensor.dtype, tensor.shape, tensor.bytes.data()};
}

std::vector<TensorView> views(const std::vector<base::DenseTensor>& tensors) {
  std::vector<TensorView> all;
  for (const base::DenseTensor& tensor : tensors) all.push_back(view_of(tensor));
  return all;
}

std::int64_t count_of(const TensorView& view) {
  return base::num_elements(view.shape).value_or(0);
}

std::string position_text(const std::vector<std::int64_t>& shape, std::int64_t index) {
  std::vector<std::int64_t> position(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    position[i] = index % shape[i];
    index /= shape[i];
  }
  return base::shape_text(position);
}

}  // namespace graphnet::verify
