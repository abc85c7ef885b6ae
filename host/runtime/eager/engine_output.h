// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>

#include "eager/engine.h"

namespace graphnet::eager {

/// A result as those see it who know no libtorch.
///
/// errors   TraceError kUnsupported for an element type that the host has no name for
EngineOutput describe_output(const at::Tensor& tensor);

/// Copies a tensor to dense row-major memory of its size.
void copy_dense_output(const at::Tensor& tensor, void* destination);

}  // namespace graphnet::eager
