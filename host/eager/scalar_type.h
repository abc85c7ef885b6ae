// SPDX-License-Identifier: MIT
#pragma once

#include <c10/core/ScalarType.h>

#include <optional>

#include "base/dtype.h"

namespace graphnet::eager {

at::ScalarType to_scalar_type(base::DType dtype);
/// Nothing for element types that the host has no name for.
std::optional<base::DType> from_scalar_type(at::ScalarType type);

}  // namespace graphnet::eager
