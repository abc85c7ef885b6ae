// SPDX-License-Identifier: MIT
#include "cli/work_folder.h"

#include <stdlib.h>

#include <system_error>

#include "cli/output_file.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

Result<WorkFolder> WorkFolder::make(const char* flag, const std::optional<std::string>& keep) {
  std::error_code error;
  if (keep) {
    GN_RETURN_IF_ERROR(make_output_folder(flag, *keep));
    return WorkFolder(fs::absolute(*keep, error), false);
  }
  std::string pattern = (fs::temp_directory_path(error) / "graphnet-XXXXXX").string();
  if (error || ::mkdtemp(pattern.data()) == nullptr) {
    return Status(Code::kEnvironment, "cannot make folder '" + pattern + "'");
  }
  return WorkFolder(pattern, true);
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  if (is_temporary_) fs::remove_all(path_, ignored);
}

}  // namespace graphnet::cli
