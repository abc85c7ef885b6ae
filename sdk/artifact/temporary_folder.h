// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace graphnet::artifact {

/// A new folder that only this user can read; removed with all that is in it.
class TemporaryFolder {
 public:
  /// errors   Failure UNAVAILABLE: none can be made below `parent`; empty: below TMPDIR
  ///
  /// name   the folder's name begins with "graphnet-<name>-"
  explicit TemporaryFolder(const std::string& name, const std::string& parent = "");
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

/// A file's bytes; empty if it cannot be read.
std::string read_bytes(const std::string& file);

/// errors   Failure UNAVAILABLE: it cannot be written
void write_bytes(const std::string& file, std::string_view bytes);

}  // namespace graphnet::artifact
