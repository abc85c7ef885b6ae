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
/// errors   kPlugin. Numbers of the plugin ABI's message list: not found (E120), not a shared
///          library (E121), other machine (E122), libraries missing, all of them with who needs
///          them (E123), C or C++ library too old (E124), symbol missing (E125), ABI major (E130)
///          or minor (E131)
base::Status preflight(const Manifest& manifest, const std::filesystem::path& host_program);

}  // namespace graphnet::config
