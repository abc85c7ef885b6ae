// SPDX-License-Identifier: MIT
#include "tvm_plugin/artifact_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace graphnet::tvm {

namespace {

namespace fs = std::filesystem;

// Far beyond any program; a file that is larger is none.
constexpr std::uintmax_t kLargest = std::uintmax_t{1} << 30U;

/// Why files of this folder may not be run; empty if they may.
std::string distrust(const std::string& folder) {
  struct stat state = {};
  if (::stat(folder.c_str(), &state) != 0) return std::strerror(errno);
  if (!S_ISDIR(state.st_mode)) return "it is no folder";
  if (state.st_uid != ::geteuid()) return "it belongs to another user";
  if ((state.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "others may write to it";
  return "";
}

}  // namespace

ArtifactCache::ArtifactCache(std::string folder, Warn warn)
    : folder_(std::move(folder)), warn_(std::move(warn)) {
  if (folder_.empty()) return;
  std::error_code error;
  const bool is_new = fs::create_directories(folder_, error);
  if (is_new) fs::permissions(folder_, fs::perms::owner_all, error);
  const std::string reason = error ? error.message() : distrust(folder_);
  if (reason.empty()) return;
  warn_("the artifact cache '" + folder_ + "' is not used: " + reason);
  folder_.clear();
}

std::string ArtifactCache::file_of(const std::string& key) const {
  return folder_ + "/" + key + ".tvm";
}

std::optional<std::string> ArtifactCache::find(const std::string& key) const {
  const std::string file = file_of(key);
  std::error_code error;
  const std::uintmax_t size = fs::file_size(file, error);
  if (error) return std::nullopt;
  if (size > kLargest) {
    warn_("'" + file + "' is larger than any program and was not read");
    return std::nullopt;
  }
  std::ifstream stream(file, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  return bytes;
}

bool ArtifactCache::keep(const std::string& key, const std::string& bytes) const {
  const std::string file = file_of(key);
  const std::string unfinished = file + "." + std::to_string(::getpid());
  std::ofstream stream(unfinished, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  std::error_code error;
  if (stream) fs::rename(unfinished, file, error);
  if (stream && !error) return true;
  warn_("cannot write '" + file + "'");
  fs::remove(unfinished, error);
  return false;
}

}  // namespace graphnet::tvm
