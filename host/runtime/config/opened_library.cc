// SPDX-License-Identifier: MIT
#include "config/opened_library.h"

#include <algorithm>
#include <cstdlib>

#include "base/text.h"
#include "config/elf_header.h"
#include "config/elf_image.h"
#include "graphnet/library_places.h"

namespace graphnet::config {

namespace fs = std::filesystem;
using base::Code;
using base::Status;

namespace {

bool holds(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// A library without a name of its own may be any: the plugin asks it for its version.
Status check_file(const OpenedLibrary& library, const fs::path& file) {
  GN_RETURN_IF_ERROR(check_shared_library(file));
  GN_ASSIGN_OR_RETURN(const ElfImage image, read_elf_image(file, ElfSymbols::kSkip));
  if (image.soname.empty() || holds(library.sonames, image.soname) ||
      holds(library.named_only, image.soname)) {
    return Status::ok();
  }
  return Status(Code::kPlugin, "'" + file.string() + "' is " + image.soname +
                                   "; the plugin takes " + base::join(library.sonames, " or "));
}

/// Files that the dynamic linker would try for a name.
std::vector<fs::path> files_of(const std::string& place, const LoaderPaths& paths) {
  if (place.find('/') != std::string::npos) return {place};
  std::vector<fs::path> files;
  const auto add = [&](const fs::path& file) {
    std::error_code ignored;
    if (fs::exists(file, ignored)) files.push_back(file);
  };
  for (const std::string& folder : paths.environment) add(fs::path(folder) / place);
  const auto cached = paths.cache.find(place);
  if (cached != paths.cache.end()) {
    for (const fs::path& file : cached->second) add(file);
  }
  for (const fs::path& folder : paths.defaults) add(folder / place);
  return files;
}

/// "option 'library'" or the variable, if one of them says where.
std::string who_names(const OpenedLibrary& library, const std::string& given) {
  if (!given.empty()) return "option '" + library.option + "'";
  const char* const value = std::getenv(library.variable.c_str());
  return value != nullptr && *value != '\0' ? library.variable : "";
}

std::string where_it_was_sought(const OpenedLibrary& library) {
  std::string text =
      "looked for " + base::join(library.sonames, " and ") + " where the dynamic linker does";
  if (!library.python_folder.empty()) {
    text += " and in Python environments (VIRTUAL_ENV, CONDA_PREFIX, ~/.local, /usr/local)";
  }
  return text;
}

}  // namespace

Status check_opened_library(const OpenedLibrary& library, const base::Json& options,
                            const LoaderPaths& paths) {
  const std::string given =
      library.option.empty() ? "" : options.value(library.option, std::string());
  const std::string who = who_names(library, given);
  const LibraryNames names = {library.sonames, library.named_only, library.variable,
                              library.python_folder};
  Status problem;  // of the first file that is no such library
  for (const std::string& place : library_places(names, given)) {
    for (const fs::path& file : files_of(place, paths)) {
      Status found = check_file(library, file);
      if (found.is_ok()) return found;
      if (problem.is_ok()) problem = std::move(found);
    }
  }
  Status missing(Code::kPlugin, library.name + " is not available: " +
                                    (!problem.is_ok() ? problem.message()
                                     : who.empty()    ? "there is no such library here"
                                                      : "the folder holds no such library"));
  missing.add_context(who.empty() ? where_it_was_sought(library) : "named by " + who);
  for (const std::string& hint : library.hints) missing.add_hint(hint);
  return missing;
}

}  // namespace graphnet::config
