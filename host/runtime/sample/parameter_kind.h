// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "graph/program.h"
#include "sample/tensor_meta.h"

namespace graphnet::sample {

/// What a parameter is by its annotation and its name: `Parameter` is a weight and `SymInt` an
/// extent; a name with `_parameters_` and upstream's renamed `w_0`, `w_1`, ... are weights,
/// one with `_buffers_` is a buffer, `s0`, `s1`, ... are extents, and the rest are inputs.
///
/// source   names: torch's dynamo; GraphNet graph_variable_renamer, ast_graph_variable_renamer
graph::ParameterKind parameter_kind(graph::Annotation annotation, std::string_view name);

/// The same where the metadata is known: it keeps the name from before a renaming, in
/// `original_name` or in the name of the class, which says more than `w_0` and `in_0`.
graph::ParameterKind parameter_kind(graph::Annotation annotation, const TensorMeta& meta);

}  // namespace graphnet::sample
