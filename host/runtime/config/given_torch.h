// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>

#include "base/result.h"

namespace graphnet::config {

/// The folder of libraries of the libtorch that GRAPHNET_TORCH names, which holds torch/ and
/// nvidia/. If the variable is not set: of what `graphnet setup torch` has unpacked for this user,
/// for a program that is installed; else nothing, and the worker's own run path decides.
///
/// errors   kEnvironment if there is no libtorch: another one must not stand in for it
base::Result<std::optional<std::filesystem::path>> given_torch_libraries();

}  // namespace graphnet::config
