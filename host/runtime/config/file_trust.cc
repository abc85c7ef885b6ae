// SPDX-License-Identifier: MIT
#include "config/file_trust.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "base/text.h"

namespace graphnet::config {

namespace fs = std::filesystem;
using base::Code;
using base::Status;

namespace {

fs::path real_path(const fs::path& path) {
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(fs::absolute(path, ignored), ignored);
  return real.has_filename() ? real : real.parent_path();
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto differ = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return differ.first == folder.end();
}

bool is_exempt(const fs::path& path, const FileTrust& trust) {
  return std::any_of(trust.exempt.begin(), trust.exempt.end(),
                     [&](const fs::path& given) { return is_below(path, real_path(given)); });
}

/// What is wrong with one file or folder; empty if nothing is.
std::string distrust(const fs::path& path, const FileTrust& trust) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) return "";  // a missing file is reported elsewhere
  if ((status.st_mode & S_IWOTH) != 0) return "'" + path.string() + "' is writable by others";
  const auto& owners = trust.owners;
  if (std::find(owners.begin(), owners.end(), status.st_uid) != owners.end()) return "";
  return "'" + path.string() + "' belongs to user " + std::to_string(status.st_uid) +
         ", neither to you nor to root";
}

}  // namespace

FileTrust FileTrust::of_this_user(const fs::path& executable_folder) {
  FileTrust trust;
  trust.owners = {0, ::geteuid()};
  struct stat status = {};
  if (::stat(executable_folder.c_str(), &status) == 0) trust.owners.push_back(status.st_uid);
  return trust;
}

Status check_trust(const Manifest& manifest, const FileTrust& trust) {
  const fs::path file = real_path(manifest.file);
  const fs::path library = real_path(manifest.library);
  const std::set<fs::path> involved = {real_path(manifest.file.parent_path()), file.parent_path(),
                                       file, library.parent_path(), library};
  std::vector<std::string> problems;
  std::vector<std::string> flags;
  for (const fs::path& path : involved) {
    const std::string problem = is_exempt(path, trust) ? "" : distrust(path, trust);
    if (problem.empty()) continue;
    problems.push_back(problem);
    flags.push_back("--trust-file " + path.string());
  }
  if (problems.empty()) return Status::ok();
  Status error(Code::kPlugin,
               "plugin '" + manifest.name + "' is not trusted: " + base::join(problems, "; "));
  return std::move(error)
      .add_hint("chmod o-w, or chown, what others can change: they could have it run any code")
      .add_hint("or, if you trust it: " + base::join(flags, " "));
}

}  // namespace graphnet::config
