// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "eager/engine.h"

namespace graphnet::eager {

/// A result as those see it who know no libtorch.
///
/// errors   TraceError kUnsupported for an element type that the host has no name for
EngineOutput describe_output(const at::Tensor& tensor);

/// Describes all results of a run in `outputs`, which is empty before. A result of which libtorch
/// only notes that its values are conjugated or negated is replaced by a computed one: its memory
/// holds other values.
void resolve_and_describe(std::vector<at::Tensor>& results, std::vector<EngineOutput>& outputs);

/// Copies a tensor to dense row-major memory of its size.
void copy_dense_output(const at::Tensor& tensor, void* destination);

}  // namespace graphnet::eager
