// SPDX-License-Identifier: MIT
#include "writer/place_sample.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace graphnet::writer {

namespace fs = std::filesystem;
using base::Code;
using base::Status;

namespace {

Status failed_with(const std::string& what, const fs::path& folder, const std::error_code& error) {
  return Status(Code::kEnvironment,
                "cannot " + what + " '" + folder.string() + "': " + error.message());
}

std::error_code last_error() {
  return {errno, std::generic_category()};
}

/// Absolute, so that it has a parent, without a final separator.
fs::path place_of(const fs::path& folder) {
  std::error_code ignored;
  const fs::path path = fs::absolute(folder, ignored).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

/// A folder beside another one, removed at the end with all that is in it.
class Staging {
 public:
  explicit Staging(const fs::path& beside) {
    const fs::path parent = beside.parent_path();
    std::error_code error;
    fs::create_directories(parent, error);
    std::string pattern = (parent / ".graphnet-XXXXXX").string();
    if (!error && ::mkdtemp(pattern.data()) == nullptr) error = last_error();
    if (error) {
      status_ = failed_with("write into", parent, error);
    } else {
      path_ = pattern;
    }
  }
  ~Staging() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  const Status& status() const { return status_; }
  /// Not there yet. mkdtemp() makes folders for the owner alone, which samples are not.
  fs::path sample() const { return path_ / "sample"; }

 private:
  Status status_;
  fs::path path_;
};

}  // namespace

Status check_no_folders(const fs::path& folder) {
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  while (!error && entry != fs::directory_iterator()) {
    std::error_code unknown;
    if (entry->is_directory(unknown)) {
      return Status(Code::kInput, "'" + folder.string() + "' holds the folder '" +
                                      entry->path().filename().string() +
                                      "', which is not its own");
    }
    entry.increment(error);
  }
  return error ? failed_with("read", folder, error) : Status::ok();
}

Status write_new_sample(const sample::Sample& sample, TextStyle style, const fs::path& folder,
                        const FileTexts& others) {
  const fs::path place = place_of(folder);
  std::error_code error;
  if (fs::symlink_status(place, error).type() != fs::file_type::not_found) {
    return Status(Code::kUsage, "'" + folder.string() + "' is there already")
        .add_hint("remove it, or write to another folder");
  }
  const Staging staging(place);
  GN_RETURN_IF_ERROR(staging.status());
  GN_RETURN_IF_ERROR(write_sample(sample, style, staging.sample(), others));
  fs::rename(staging.sample(), place, error);
  return error ? failed_with("write", folder, error) : Status::ok();
}

Status replace_sample(const sample::Sample& sample, TextStyle style) {
  std::error_code error;
  const fs::path place = fs::canonical(sample.folder, error);
  if (error) return failed_with("write", sample.folder, error);
  GN_RETURN_IF_ERROR(check_no_folders(place));
  const Staging staging(place);
  GN_RETURN_IF_ERROR(staging.status());
  GN_RETURN_IF_ERROR(write_sample(sample, style, staging.sample()));
  // The C library has renameat2() as of 2.28.
  const std::string made = staging.sample().string();
  if (::syscall(SYS_renameat2, AT_FDCWD, made.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) ==
      0) {
    return Status::ok();
  }
  return failed_with("exchange", sample.folder, last_error());
}

Status remove_sample(const fs::path& folder) {
  const fs::path place = place_of(folder);
  GN_RETURN_IF_ERROR(check_no_folders(place));
  const Staging staging(place);
  GN_RETURN_IF_ERROR(staging.status());
  std::error_code error;
  fs::rename(place, staging.sample(), error);
  return error ? failed_with("remove", folder, error) : Status::ok();
}

}  // namespace graphnet::writer
