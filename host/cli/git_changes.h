// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "base/result.h"

namespace graphnet::cli {

/// All folders in which a file changed since a commit, with all of their parents up to the git tree
/// that holds `folder`: committed since the current branch left the commit's, changed in the tree,
/// removed, or new below `folder` and not ignored. Links are resolved.
///
/// errors   kInput: `folder` is in no git tree, or git knows no such commit; kEnvironment: there is
///          no git, or it fails
base::Result<std::set<std::filesystem::path>> changed_folders(const std::filesystem::path& folder,
                                                              const std::string& commit);

}  // namespace graphnet::cli
