// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

#include "base/result.h"
#include "config/manifest.h"

namespace graphnet::config {

/// Whose files may be plugins: a plugin runs with the rights of whoever starts graphnet, so nobody
/// else may be able to change it.
struct FileTrust {
  std::vector<uid_t> owners;  ///< of whom files are accepted
  /// Files accepted whatever their owner and mode, and folders with everything below
  /// (--trust-file).
  std::vector<std::filesystem::path> exempt;

  /// Owners: root, this user, and the owner of `executable_folder`, who could change graphnet
  /// itself.
  static FileTrust of_this_user(const std::filesystem::path& executable_folder);
};

/// Refuses a plugin whose manifest or library, or the folder of either, is writable by every user
/// or owned by somebody else. Symbolic links are followed. A folder with the sticky bit is no
/// better: others can add libraries beside the plugin's.
///
/// errors   kPlugin; names all such files
base::Status check_trust(const Manifest& manifest, const FileTrust& trust);

}  // namespace graphnet::config
