// SPDX-License-Identifier: MIT
#include "cli/results_files.h"

#include <algorithm>
#include <set>

#include "cli/path_list.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

namespace {

Result<std::vector<fs::path>> results_in(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (entry->path().extension() == ".jsonl") found.push_back(entry->path());
  }
  if (error) {
    return Status(Code::kInput,
                  "cannot read the folder '" + folder.string() + "': " + error.message());
  }
  if (found.empty()) return Status(Code::kInput, "no *.jsonl in '" + folder.string() + "'");
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

Status no_results(const fs::path& path) {
  Status error(Code::kInput, "no results file or folder '" + path.string() + "'");
  suggest_beside(error, path);
  return error;
}

Status check_results(const std::vector<std::string>& paths) {
  std::error_code ignored;
  for (const std::string& path : paths) {
    if (!fs::exists(path, ignored)) return no_results(path);
  }
  return Status::ok();
}

Result<fs::path> last_results() {
  const fs::path folder = "results";
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return Status(Code::kInput, "there is no folder 'results' here, where runs write by default");
  }
  GN_ASSIGN_OR_RETURN(const std::vector<fs::path> files, results_in(folder));
  return *std::max_element(files.begin(), files.end(), [&](const fs::path& a, const fs::path& b) {
    return fs::last_write_time(a, error) < fs::last_write_time(b, error);
  });
}

Result<std::vector<fs::path>> find_results(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return Status(Code::kUsage, "no results file given");
  std::vector<fs::path> files;
  std::set<fs::path> seen;
  for (const auto& argument : arguments) {
    std::error_code error;
    std::vector<fs::path> found = {argument};
    if (!fs::exists(argument, error)) {
      return no_results(argument);
    }
    if (fs::is_directory(argument, error)) {
      GN_ASSIGN_OR_RETURN(found, results_in(argument));
    }
    for (auto& file : found) {
      if (seen.insert(fs::weakly_canonical(file, error)).second) files.push_back(std::move(file));
    }
  }
  return files;
}

}  // namespace graphnet::cli
