// SPDX-License-Identifier: MIT
#include "tensorrt/constants.h"

namespace graphnet::tensorrt {

using lowering::ir::Array;

Tensor Constants::array(Network& network, const Array& array) {
  const std::int64_t count = lowering::num_elements(array.type.shape);
  bytes_.emplace_back(static_cast<std::size_t>(count * lowering::bytes_of(array.type.type)), '\0');
  lowering::ir::write_array(array, bytes_.back().data());
  return network.constant(array.type.type, array.type.shape, bytes_.back(), "");
}

Tensor Constants::scalar(Network& network, Type type, std::int64_t rank, double value) {
  const Shape ones(static_cast<std::size_t>(rank), 1);
  return array(network, {{type, ones}, {lowering::ir::rounded(type, value)}});
}

std::string_view Constants::placeholder(Type type, const Shape& shape) {
  const std::int64_t count = lowering::num_elements(shape);
  return bytes_.emplace_back(static_cast<std::size_t>(count * lowering::bytes_of(type)), '\0');
}

}  // namespace graphnet::tensorrt
