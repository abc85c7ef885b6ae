// SPDX-License-Identifier: MIT
#pragma once

#include <openvino/core/shape.hpp>
#include <openvino/core/type/element_type.hpp>

#include "graphnet/abi.h"

namespace graphnet::openvino {

/// `dynamic` for element types that the plugin does not pass on.
ov::element::Type element_type(DLDataType dtype);

/// Whether an extent is 0.
bool is_empty(const gn_value& value);

ov::Shape shape_of_value(const gn_value& value);

}  // namespace graphnet::openvino
