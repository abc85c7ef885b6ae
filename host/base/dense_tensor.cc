// SPDX-License-Identifier: MIT
#include "base/dense_tensor.h"

#include "base/text.h"

namespace graphnet::base {

Result<DenseTensor> allocate_tensor(DType dtype, const std::vector<std::int64_t>& shape) {
  const std::size_t num_bytes =
      static_cast<std::size_t>(num_elements(shape).value_or(0)) * dtype_bytes(dtype);
  DenseTensor tensor{dtype, shape, AlignedBuffer::allocate(num_bytes)};
  if (tensor.bytes.data() == nullptr) {
    return Status(Code::kEnvironment,
                  "not enough memory to keep a tensor of " + format_bytes(num_bytes));
  }
  return tensor;
}

}  // namespace graphnet::base
