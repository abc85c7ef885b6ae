// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <string>

#include "lowering/ir/array.h"
#include "tensorrt/network.h"

namespace graphnet::tensorrt {

/// Constants that the writer makes up. A network borrows their bytes until its engine is built.
class Constants {
 public:
  /// All extents 1.
  Tensor scalar(Network& network, Type type, std::int64_t rank, double value);
  Tensor array(Network& network, const lowering::ir::Array& array);
  /// Zeros in place of weights that are known later only.
  std::string_view placeholder(Type type, const Shape& shape);

 private:
  std::deque<std::string> bytes_;  ///< never moved
};

}  // namespace graphnet::tensorrt
