// SPDX-License-Identifier: MIT
#include "cli/plugin_template.h"

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "cli/output_file.h"
#include "cli/version_text.h"
#include "config/manifest.h"
#include "graphnet/abi.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 20U;

/// What stands between two '@' in a template, and what it becomes.
using Replacements = std::vector<std::pair<std::string, std::string>>;

std::string replaced(std::string text, const Replacements& replacements) {
  for (const auto& [mark, value] : replacements) {
    for (std::size_t at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + value.size())) {
      text.replace(at, mark.size(), value);
    }
  }
  return text;
}

const char* folder_of(TemplateKind kind) {
  if (kind == TemplateKind::kC) return "c";
  return kind == TemplateKind::kCpp ? "c++" : "lowering";
}

Result<std::vector<std::string>> copy_files(const fs::path& from, const fs::path& to,
                                            const Replacements& replacements) {
  std::vector<std::string> names;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(from, failure)) {
    const std::string name = entry.path().filename().string();
    GN_ASSIGN_OR_RETURN(const std::string text, base::read_file(entry.path(), kMaxBytes));
    GN_RETURN_IF_ERROR(base::write_file_atomic(to / name, replaced(text, replacements)));
    names.push_back(name);
  }
  if (!failure && !names.empty()) return names;
  return Status(Code::kEnvironment, "the templates of plugins are missing: '" + from.string() + "'")
      .add_hint("install graphnet's SDK: cmake --install BUILD --component sdk");
}

}  // namespace

Result<std::vector<std::string>> write_plugin_template(const config::Installation& installation,
                                                       TemplateKind kind, const std::string& name,
                                                       const fs::path& folder) {
  if (!config::is_plugin_name(name)) {
    return Status(Code::kUsage, "'" + name +
                                    "' is no name for a plugin: it must be a lower-case "
                                    "letter and then up to 31 of a-z 0-9 _ -");
  }
  std::error_code ignored;
  if (fs::exists(folder, ignored)) {
    return Status(Code::kUsage, "'" + folder.string() + "' exists; nothing was written")
        .add_hint("another name, or another folder: --into DIR");
  }
  const fs::path templates = installation.templates_folder();
  GN_RETURN_IF_ERROR(make_output_folder("plugin new", folder));
  const std::string version = version_number();
  const Replacements replacements = {{"@NAME@", name},
                                     {"@VERSION@", version.substr(0, version.rfind('.'))},
                                     {"@ABI_MAJOR@", std::to_string(GN_ABI_MAJOR)},
                                     {"@ABI_MINOR@", std::to_string(GN_ABI_MINOR)}};
  std::vector<std::string> names;
  for (const char* part : {"every", folder_of(kind)}) {
    GN_ASSIGN_OR_RETURN(const std::vector<std::string> written,
                        copy_files(templates / part, folder, replacements));
    names.insert(names.end(), written.begin(), written.end());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace graphnet::cli
