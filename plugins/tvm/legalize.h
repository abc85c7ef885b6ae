// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "lowering/ir/built.h"
#include "tvm_plugin/vector_unit.h"

namespace graphnet::tvm {

/// Floats of one vector in rules without a register tile; LLVM splits it where registers are
/// narrower.
inline constexpr std::int64_t kLanes = 16;

/// What a legalised graph is written for.
struct Forms {
  VectorUnit unit = kAvx512;  ///< decides how wide panels are
  bool has_winograd = true;   ///< convolutions of 3 x 3 taps may become Winograd's
  bool has_attention = true;  ///< attention may become one operation (attention_fusion.h)
  bool has_pairs = false;     ///< products of bfloat16 may become ir::PairedDot (paired_product.h)
};

/// The exponential of what is below is subnormal; a softmax has 0 there, as libtorch's. A product
/// with subnormal numbers is several times slower on many processors.
inline constexpr double kLogSmallestNormal = -87.33654;

/// Whether an operator of libtorch's is a softmax or has one.
bool is_softmax(std::string_view op);

/// The graph in the forms that the schedule rules know: products as [batch, rows, depth] times
/// [batch, depth, columns], convolutions channels-last on what is padded already, depthwise ones
/// with kernels [taps..., 1, out]. Or all operators that TVM has no type or operation for.
///
/// rewrites   Right sides of products become panels too, and transpositions move to where two
///            layouts meet, and Winograd's convolutions and attention are written. Without, the
///            graph stays as it is.
lowering::ir::Built legalize(const lowering::ir::Graph& graph, bool rewrites,
                             const Forms& forms = {});

}  // namespace graphnet::tvm
