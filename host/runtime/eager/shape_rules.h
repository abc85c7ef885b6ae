// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/stack.h>

#include <set>
#include <string>
#include <vector>

#include "eager/schema_view.h"

namespace graphnet::eager {

/// Results of a call on Meta tensors: sizes, strides and element types as the CPU kernel gives
/// them. Strides matter because later views and `contiguous` depend on them.
///
/// errors   libtorch's exceptions or TraceError for arguments that the operator refuses; a rule
/// need
///          not find every mistake, the run does
using ShapeRule = c10::Stack (*)(const SchemaView& call, std::set<std::string>& notes);

/// The rule of an overload ("aten::conv2d", "aten::where.self"); null: libtorch's meta kernel does.
///
/// source   measured over all samples: what libtorch 2.11 has no C++ meta kernel for
ShapeRule find_shape_rule(const std::string& overload_name);

/// One row of the table.
struct ShapeRow {
  const char* overload_name;
  ShapeRule rule;
};

// The table in parts, one per file.
extern const std::vector<ShapeRow> kBackwardShapes;   // shape_rules_backward.cc
extern const std::vector<ShapeRow> kLayerShapes;      // shape_rules_layers.cc
extern const std::vector<ShapeRow> kElementShapes;    // shape_rules_elements.cc
extern const std::vector<ShapeRow> kReductionShapes;  // shape_rules_reductions.cc
extern const std::vector<ShapeRow> kSpectralShapes;   // shape_rules_spectral.cc

/// A dense result of an element type of its own.
at::Tensor meta_tensor(at::IntArrayRef sizes, at::ScalarType type,
                       at::MemoryFormat format = at::MemoryFormat::Contiguous);

}  // namespace graphnet::eager
