// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace graphnet::base {

/// Owns a file descriptor.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept;
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

 private:
  int fd_ = -1;
};

struct RegularFile {
  UniqueFd fd;
  std::uint64_t num_bytes = 0;  ///< when it was opened
};

/// Opens a regular file for reading. A named pipe is refused, not waited for.
///
/// errors   kInput if it does not exist, is no regular file or cannot be opened; the message names
///          the path and the reason
Result<RegularFile> open_regular_file(const std::filesystem::path& path);

/// Reads a whole regular file.
///
/// units    max_bytes in bytes
/// errors   kInput as open_regular_file(), also if it cannot be read or is larger than max_bytes
Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t max_bytes);

/// Writes a file so that readers see the old content or the new, never a part: temporary file in
/// the same folder, fsync, rename. Of a symbolic link the file is replaced that it names; a device
/// or a pipe is written to as it is.
///
/// errors   kEnvironment with the reason (disk full, no permission); the old file is untouched
Status write_file_atomic(const std::filesystem::path& path, std::string_view content);
/// The same of parts, one behind the other, without a copy of the whole. A process that is killed
/// on the way leaves a file `path`.XXXXXX, with six letters or digits at the end.
Status write_file_atomic(const std::filesystem::path& path,
                         const std::vector<std::string_view>& parts);

/// Writes all of `bytes`, retrying after EINTR and short writes.
///
/// errors   kEnvironment with the reason; part of the bytes may have been written
Status write_all(int fd, std::string_view bytes);

/// The folder of the running executable, symbolic links resolved.
std::filesystem::path executable_folder();

}  // namespace graphnet::base
