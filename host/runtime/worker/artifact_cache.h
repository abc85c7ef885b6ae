// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "journal/worker_message.h"
#include "plugin/host_services.h"

namespace graphnet::worker {

/// What an executable was made from, as a file name: graph, plugin file, options, device, threads,
/// math policy and processor, and the content of weights that the plugin may build in.
std::string artifact_key(const journal::Task& task, const plugin::Signature& signature);

/// A folder of serialized executables by key, each there as a whole or not at all, whoever writes
/// at the same time. Its files are code that runs, so the folder must belong to this user, and
/// nobody else may write to it.
class ArtifactCache {
 public:
  /// The folder is made if need be.
  ///
  /// errors   kEnvironment: cannot be made, or is not to be trusted
  static base::Result<ArtifactCache> open(const std::filesystem::path& folder);

  /// Nothing if there is no such file or it is larger than any executable.
  std::optional<std::string> find(const std::string& key) const;
  /// errors   kEnvironment: cannot be written
  base::Status keep(const std::string& key, const std::string& bytes) const;

 private:
  explicit ArtifactCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path file_of(const std::string& key) const { return folder_ / (key + ".gna"); }

  std::filesystem::path folder_;
};

}  // namespace graphnet::worker
