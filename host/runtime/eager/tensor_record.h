// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "eager/value_record.h"

namespace graphnet::eager {

/// A tensor as record_values() describes it.
ValueRecord record_tensor(const at::Tensor& tensor, std::int64_t most_elements);

}  // namespace graphnet::eager
