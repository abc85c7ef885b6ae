// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace graphnet::tvm {

/// A folder of files by key, each there as a whole or not at all, whoever writes at the same time.
/// What is in it is code that runs, so it must be of this user, and nobody else may write to it.
class ArtifactCache {
 public:
  /// Tells of what is wrong with the folder; nothing that goes wrong here is an error.
  using Warn = std::function<void(const std::string&)>;

  /// folder   made if need be; empty: nothing is kept
  ArtifactCache(std::string folder, Warn warn);

  bool is_on() const { return !folder_.empty(); }
  std::optional<std::string> find(const std::string& key) const;
  /// True if the file is there afterwards.
  bool keep(const std::string& key, const std::string& bytes) const;
  /// Where the bytes of a key lie.
  std::string file_of(const std::string& key) const;

 private:
  std::string folder_;
  Warn warn_;
};

}  // namespace graphnet::tvm
