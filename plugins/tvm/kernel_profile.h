// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tvm_plugin/kernel_module.h"
#include "tvm_plugin/pipeline.h"

namespace graphnet::tvm {

/// What a call's kernels cost, each measured by itself on tensors of its own: lines for `info`,
/// the twenty costliest first. Its data lie in caches as they would not between other kernels, so
/// the sum is a lower bound of a call. Sorts and scatters, which are functions of this plugin, are
/// not in it.
///
/// units    us a call of the program; % of the sum; GFLOP/s of what TVM counts (nothing where it
///          cannot)
std::string profile_kernels(const std::vector<ArrangedKernel>& kernels, const Target& target);

}  // namespace graphnet::tvm
