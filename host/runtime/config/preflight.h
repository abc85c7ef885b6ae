// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>

#include "base/result.h"
#include "config/manifest.h"

namespace graphnet::config {

/// Finds out, without running any code of a plugin, whether it can be loaded here: the file is a
/// whole shared library for this machine, its manifest's ABI version is served, the three symbols
/// are exported, every library in its closure is there and new enough.
///
/// `host_program` is the program that will load it and whose libraries are there already; may be
/// empty. Undefined symbols show only when it is loaded.
///
/// errors   kPlugin: not found, not a shared library, other machine, ABI major or minor, symbol
///          missing, libraries missing (all of them with who needs them), C or C++ library too old
base::Status preflight(const Manifest& manifest, const std::filesystem::path& host_program);

}  // namespace graphnet::config
