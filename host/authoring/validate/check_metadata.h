// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "graph/program.h"
#include "sample/tensor_meta.h"
#include "validate/constraints.h"
#include "validate/findings.h"

namespace graphnet::validate {

/// Whether each parameter has metadata of the same name and the other way round, and whether the
/// metadata describes values that there can be.
void check_metadata(const graph::Program& program, const std::vector<sample::TensorMeta>& metas,
                    std::vector<Finding>& findings);

/// Whether each constraint is the shape of a tensor, by its name or its name before a renaming.
void check_shapes(const std::vector<ShapeConstraint>& constraints,
                  const std::vector<sample::TensorMeta>& metas, std::vector<Finding>& findings);

}  // namespace graphnet::validate
