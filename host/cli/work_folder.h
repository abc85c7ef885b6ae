// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"

namespace graphnet::cli {

/// A folder for a command's own files: one that the user keeps, or one that goes with this object.
class WorkFolder {
 public:
  /// keep     what `flag` names; nothing: a temporary folder
  ///
  /// errors   as make_output_folder(); kEnvironment: there is no place for temporary files
  static base::Result<WorkFolder> make(const char* flag, const std::optional<std::string>& keep);

  WorkFolder(WorkFolder&& other) noexcept
      : path_(std::move(other.path_)), is_temporary_(std::exchange(other.is_temporary_, false)) {}
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  WorkFolder(std::filesystem::path path, bool is_temporary)
      : path_(std::move(path)), is_temporary_(is_temporary) {}

  std::filesystem::path path_;
  bool is_temporary_;
};

}  // namespace graphnet::cli
