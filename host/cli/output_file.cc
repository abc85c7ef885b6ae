// SPDX-License-Identifier: MIT
#include "cli/output_file.h"

#include <unistd.h>

#include "base/text.h"
#include "cli/path_list.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Status;

Status check_output_file(const std::string& flag, const fs::path& file) {
  std::error_code ignored;
  const std::string what = flag + " " + file.string();
  if (fs::is_directory(file, ignored) || !file.has_filename()) {
    return Status(Code::kUsage, what + ": is a folder, not a file")
        .add_hint(
            flag + " " +
            (file / (flag == "--junit" ? "ci.xml" : "results.jsonl")).lexically_normal().string());
  }
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored)) {
    Status error(Code::kUsage, what + ": there is no folder '" + folder.string() + "'");
    suggest_beside(error, folder);
    return error.add_hint(base::shell_command({"mkdir", "-p", folder.string()}));
  }
  const fs::path target = fs::exists(file, ignored) ? file : folder;
  if (::access(target.c_str(), W_OK) == 0) return Status::ok();
  return Status(Code::kEnvironment, what + ": no permission to write to '" + target.string() + "'")
      .add_hint("choose another file with " + flag);
}

}  // namespace graphnet::cli
