// SPDX-License-Identifier: MIT
#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace graphnet::base {

namespace {

std::string error_text(int error) {
  return std::strerror(error);
}

Status input_error(const std::filesystem::path& path, const std::string& why) {
  return Status(Code::kInput, "cannot read '" + path.string() + "': " + why);
}

Status write_error(const std::filesystem::path& path, int error) {
  return Status(Code::kEnvironment, "cannot write '" + path.string() + "': " + error_text(error));
}

using Parts = std::vector<std::string_view>;

Status write_parts(int fd, const Parts& parts) {
  for (const std::string_view part : parts) GN_RETURN_IF_ERROR(write_all(fd, part));
  return Status::ok();
}

Status write_in_place(const std::filesystem::path& path, const Parts& parts) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd.is_open()) return write_error(path, errno);
  Status written = write_parts(fd.get(), parts);
  if (!written.is_ok()) written.add_context(path.string());
  return written;
}

Status write_by_rename(const std::filesystem::path& path, const Parts& parts) {
  std::string temporary = path.string() + ".XXXXXX";
  UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.is_open()) return write_error(path, errno);
  Status written = write_parts(fd.get(), parts);
  if (written.is_ok() && ::fsync(fd.get()) != 0) written = write_error(path, errno);
  if (written.is_ok() && ::fchmod(fd.get(), 0644) != 0) written = write_error(path, errno);
  if (written.is_ok() && ::rename(temporary.c_str(), path.c_str()) != 0) {
    written = write_error(path, errno);
  }
  if (!written.is_ok()) {
    ::unlink(temporary.c_str());
    written.add_context(path.string());
  }
  return written;
}

}  // namespace

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
  if (this != &other) reset(other.release());
  return *this;
}

void UniqueFd::reset(int fd) {
  if (fd_ >= 0) ::close(fd_);
  fd_ = fd;
}

Result<RegularFile> open_regular_file(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a FIFO that nobody writes to must fail below, not hang.
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.is_open()) return input_error(path, error_text(errno));
  struct stat info = {};
  if (::fstat(fd.get(), &info) != 0) return input_error(path, error_text(errno));
  if (S_ISDIR(info.st_mode)) return input_error(path, "it is a folder");
  if (!S_ISREG(info.st_mode)) return input_error(path, "it is not a regular file");
  return RegularFile{std::move(fd), static_cast<std::uint64_t>(info.st_size)};
}

Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t max_bytes) {
  GN_ASSIGN_OR_RETURN(const RegularFile file, open_regular_file(path));
  if (file.num_bytes > max_bytes) {
    return input_error(path, "it has " + std::to_string(file.num_bytes) + " bytes, the limit is " +
                                 std::to_string(max_bytes));
  }
  std::string content(file.num_bytes, '\0');
  std::size_t filled = 0;
  while (filled < content.size()) {
    const ssize_t got = ::read(file.fd.get(), content.data() + filled, content.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return input_error(path, error_text(errno));
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  content.resize(filled);
  return content;
}

Status write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return Status(Code::kEnvironment, "cannot write: " + error_text(errno));
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return Status::ok();
}

Status write_file_atomic(const std::filesystem::path& path, std::string_view content) {
  return write_file_atomic(path, Parts{content});
}

Status write_file_atomic(const std::filesystem::path& path, const Parts& parts) {
  namespace fs = std::filesystem;
  // A rename would replace the device or the link itself, as root even /dev/null.
  std::error_code failure;
  if (fs::is_other(path, failure)) return write_in_place(path, parts);
  const fs::path target = fs::canonical(path, failure);
  return write_by_rename(failure ? path : target, parts);
}

std::filesystem::path executable_folder() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

}  // namespace graphnet::base
