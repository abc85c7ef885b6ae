// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sample/sample.h"

namespace graphnet::backward {

/// Whether upstream asks for a parameter's gradient: of every floating tensor, but for names (from
/// before a renaming) with running_mean, running_var, num_batches_tracked, mask, indices,
/// position_ids or anchor in them.
///
/// shapes   one per parameter, in signature order
/// source   GraphNet backward_graph_extractor
std::vector<bool> requires_grad(const sample::Sample& sample);

}  // namespace graphnet::backward
