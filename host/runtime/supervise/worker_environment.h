// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace graphnet::supervise {

/// Variables that every start of the worker program gets, as "NAME=value": the loader looks first
/// where the libtorch is that GRAPHNET_TORCH names.
///
/// errors   kEnvironment as config::given_torch_libraries()
base::Result<std::vector<std::string>> worker_environment();

/// Says what to do where the worker's output shows that the loader found no libtorch.
void add_torch_hint(const std::string& output, base::Status& error);

}  // namespace graphnet::supervise
