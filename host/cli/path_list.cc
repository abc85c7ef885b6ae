// SPDX-License-Identifier: MIT
#include "cli/path_list.h"

#include <sstream>
#include <string_view>

#include "base/file.h"
#include "base/suggestion.h"

namespace graphnet::cli {

using base::Result;

namespace {

// 2,495 samples make 200 KB; a file beyond this is no list of paths.
constexpr std::uint64_t kMaxListBytes = 16U << 20U;

constexpr const char* kBlanks = " \t\r";

bool is_blank(char byte) {
  return std::string_view(kBlanks).find(byte) != std::string_view::npos;
}

std::string without_comment(const std::string& line) {
  std::size_t end = line.find('#');
  while (end != std::string::npos && end > 0 && !is_blank(line[end - 1])) {
    end = line.find('#', end + 1);
  }
  const std::string content = line.substr(0, end);
  const std::size_t begin = content.find_first_not_of(kBlanks);
  if (begin == std::string::npos) return "";
  return content.substr(begin, content.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace

Result<std::vector<ListedPath>> read_path_list(const std::filesystem::path& file) {
  GN_ASSIGN_OR_RETURN(const std::string text, base::read_file(file, kMaxListBytes));
  std::istringstream stream(text);
  std::vector<ListedPath> paths;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    std::string path = without_comment(line);
    if (!path.empty()) paths.push_back({number, std::move(path)});
  }
  return paths;
}

bool fits_list(const std::string& path) {
  return !path.empty() && path.find('\n') == std::string::npos && without_comment(path) == path;
}

bool suggest_beside(base::Status& error, const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  const fs::path folder = path.parent_path();
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, failure), end;
       !failure && entry != end; entry.increment(failure)) {
    names.push_back(entry->path().filename().string());
  }
  return base::add_suggestion(error, path.filename().string(), names, (folder / "").string());
}

}  // namespace graphnet::cli
