// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>

#include "eager/program_distance.h"

namespace graphnet::eager {

/// How far `other` is from `reference`.
OutputDistance distance_of(const at::Tensor& reference, const at::Tensor& other);

}  // namespace graphnet::eager
