// SPDX-License-Identifier: MIT
#pragma once

#include "lowering/ir/built.h"
#include "lowering/primitives.h"

namespace graphnet::tensorrt {

/// Elements along the sorted dimension that TensorRT's TopK takes.
inline constexpr std::int64_t kMostTopK = 3840;

/// The dimensions that a window spans, moves along or pads.
lowering::Shape windowed_dims(const lowering::Window& window);

/// The dimension along which a window sums everything up to its position; negative: another window.
std::int64_t running_sum_dim(lowering::Reduction kind, const lowering::Window& window,
                             const lowering::Shape& shape);

/// Whether TensorRT's pooling computes the window.
bool is_pooling(lowering::Reduction kind, lowering::Type type, const lowering::Window& window);

/// A graph of the operations that write_network.h has layers for, or each operator that TensorRT
/// cannot express. Operators that TensorRT has as a whole stay (natives.h).
lowering::ir::Built legalize(const lowering::ir::Graph& graph);

}  // namespace graphnet::tensorrt
