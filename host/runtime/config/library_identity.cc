// SPDX-License-Identifier: MIT
#include "config/library_identity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/file.h"
#include "base/sha256.h"

namespace graphnet::config {

using base::Code;
using base::Result;
using base::Status;

namespace {

Result<std::string> file_sha256(const std::filesystem::path& path) {
  const base::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const auto failed = [&] {
    return Status(Code::kInput, "cannot read '" + path.string() + "': " + std::strerror(errno));
  };
  if (!fd.is_open()) return failed();
  base::Sha256 digest;
  std::string chunk(1U << 18U, '\0');
  while (true) {
    const ssize_t num_read = ::read(fd.get(), chunk.data(), chunk.size());
    if (num_read == 0) break;
    if (num_read < 0 && errno == EINTR) continue;
    if (num_read < 0) return failed();
    digest.update(chunk.data(), static_cast<std::size_t>(num_read));
  }
  return digest.finish();
}

}  // namespace

Result<LibraryIdentity> identify_library(const std::filesystem::path& file) {
  LibraryIdentity identity;
  // The stamp first: a change while hashing must count as a change.
  identity.stamp = file_stamp(file);
  GN_ASSIGN_OR_RETURN(identity.sha256, file_sha256(file));
  return identity;
}

std::string file_stamp(const std::filesystem::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return "";
  std::string text;
  for (const auto part :
       {static_cast<long long>(status.st_dev), static_cast<long long>(status.st_ino),
        static_cast<long long>(status.st_size), static_cast<long long>(status.st_mtim.tv_sec),
        static_cast<long long>(status.st_mtim.tv_nsec)}) {
    text += std::to_string(part) + ":";
  }
  return text;
}

bool is_sha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
}

}  // namespace graphnet::config
