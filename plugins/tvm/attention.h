// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "lowering/ir/graph.h"

namespace graphnet::tvm {

/// One step of ir::Attention with its operand.
struct AttentionStep {
  lowering::ir::AttentionStep kind = lowering::ir::AttentionStep::kAdd;
  const void* operand = nullptr;            ///< float32; a condition: bytes of 0 and 1
  std::vector<std::int64_t> batch_strides;  ///< one an extent of the batch; 0: the same for all
  std::int64_t row_stride = 0;
  std::int64_t key_stride = 0;  ///< 0 or 1
};

/// ir::Attention and its operands, dense float32 arrays.
///
/// shapes   queries: [product of batch, rows, depth]; keys: [product of batch, panels, depth,
///          key_lanes]; values: [product of batch, panels, num_keys, value_lanes]
struct Attention {
  std::vector<std::int64_t> batch;
  std::int64_t rows = 0;
  std::int64_t depth = 0;
  std::int64_t num_keys = 0;
  std::int64_t columns = 0;
  std::int64_t key_lanes = 0;
  std::int64_t value_lanes = 0;
  bool is_safe = false;
  double fill = 0;
  std::vector<AttentionStep> steps;
  const float* queries = nullptr;
  const float* keys = nullptr;
  const float* values = nullptr;
  /// A block's scores, keys and values fit into a cache of this size.
  std::int64_t cache_bytes = std::int64_t{384} << 10U;
};

/// Rows of queries are computed in blocks.
std::int64_t num_attention_blocks(const Attention& attention);

/// Blocks [begin, end), counted batch by batch. The scores of a block are never in memory as a
/// whole: keys come in blocks, too, and what was summed is scaled as a row's maximum grows.
///
/// shapes   out: [product of batch, rows, columns]
void run_attention(const Attention& attention, std::int64_t begin, std::int64_t end, float* out);

}  // namespace graphnet::tvm
