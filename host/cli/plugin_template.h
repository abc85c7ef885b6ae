// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/installation.h"

namespace graphnet::cli {

enum class TemplateKind { kCpp, kC, kLowering };

/// Writes the sources of a new plugin: a project that builds against the installed SDK and runs a
/// few operators.
///
/// folder   of that project; it must not exist
/// order    result: the files, by name
/// errors   kUsage: `name` is none for a plugin, or the folder exists; kEnvironment: this
///          installation has no templates, or the folder cannot be written
base::Result<std::vector<std::string>> write_plugin_template(
    const config::Installation& installation, TemplateKind kind, const std::string& name,
    const std::filesystem::path& folder);

}  // namespace graphnet::cli
