// SPDX-License-Identifier: MIT
#include "cli/output_file.h"

#include <unistd.h>

#include "base/text.h"
#include "cli/path_list.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Status;

namespace {

/// The folder in which `path` stands.
fs::path parent_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

Status check_parent(const std::string& flag, const fs::path& path) {
  std::error_code ignored;
  const fs::path folder = parent_of(path);
  if (fs::is_directory(folder, ignored)) return Status::ok();
  Status error(Code::kUsage,
               flag + " " + path.string() + ": there is no folder '" + folder.string() + "'");
  suggest_beside(error, folder);
  return error.add_hint(base::shell_command({"mkdir", "-p", folder.string()}));
}

}  // namespace

Status check_path_text(const std::string& flag, const std::optional<std::string>& path) {
  if (!path || !path->empty()) return Status::ok();
  return Status(Code::kUsage, flag + " names nothing: its value is empty")
      .add_hint("a variable of the shell may be unset");
}

Status make_output_folder(const std::string& flag, const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return Status::ok();
  GN_RETURN_IF_ERROR(check_parent(flag, (folder / "").lexically_normal().parent_path()));
  fs::create_directory(folder, error);
  if (!error) return Status::ok();
  return Status(Code::kEnvironment,
                flag + ": cannot create '" + folder.string() + "': " + error.message());
}

Status check_output_file(const std::string& flag, const fs::path& file) {
  std::error_code ignored;
  const std::string what = flag + " " + file.string();
  if (fs::is_directory(file, ignored) || !file.has_filename()) {
    return Status(Code::kUsage, what + ": is a folder, not a file")
        .add_hint(
            flag + " " +
            (file / (flag == "--junit" ? "ci.xml" : "results.jsonl")).lexically_normal().string());
  }
  GN_RETURN_IF_ERROR(check_parent(flag, file));
  const fs::path target = fs::exists(file, ignored) ? file : parent_of(file);
  if (::access(target.c_str(), W_OK) == 0) return Status::ok();
  return Status(Code::kEnvironment, what + ": no permission to write to '" + target.string() + "'")
      .add_hint("choose another file with " + flag);
}

}  // namespace graphnet::cli
