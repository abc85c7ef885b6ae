// SPDX-License-Identifier: MIT
#include "config/preflight.h"

#include <algorithm>

#include "base/text.h"
#include "config/elf_header.h"
#include "config/library_search.h"
#include "graphnet/abi.h"

namespace graphnet::config {

namespace fs = std::filesystem;
using base::Code;
using base::Status;

namespace {

constexpr const char* kExports[] = {"gn_plugin_query", "gn_backend_compile", "gn_backend_run"};

Status refused(const Manifest& manifest, const std::string& what) {
  return Status(Code::kPlugin, what).add_context(manifest.library.string());
}

// 0.x promises nothing between minors, so exactly one is served; see abi.h.
Status check_abi(const Manifest& manifest) {
  if (manifest.abi_major == GN_ABI_MAJOR && manifest.abi_minor == GN_ABI_MINOR) {
    return Status::ok();
  }
  const auto version = [](int major, int minor) {
    return std::to_string(major) + "." + std::to_string(minor);
  };
  const bool is_newer = manifest.abi_major > GN_ABI_MAJOR ||
                        (manifest.abi_major == GN_ABI_MAJOR && manifest.abi_minor > GN_ABI_MINOR);
  return refused(manifest, "plugin '" + manifest.name + "' is built for plugin ABI " +
                               version(manifest.abi_major, manifest.abi_minor) +
                               ", this host speaks " + version(GN_ABI_MAJOR, GN_ABI_MINOR))
      .add_context(manifest.file.string() + " (abi)")
      .add_hint(is_newer ? "update graphnet, or install an older version of the plugin"
                         : "install a version of the plugin that is built for this graphnet");
}

Status check_exports(const Manifest& manifest, const std::vector<std::string>& exports) {
  for (const char* wanted : kExports) {
    std::vector<std::string> ours;
    std::string mangled;
    for (const std::string& symbol : exports) {
      if (symbol.rfind("gn_", 0) == 0) ours.push_back(symbol);
      const bool is_mangled = symbol.rfind("_Z", 0) == 0;
      if (is_mangled && symbol.find(wanted) != std::string::npos) mangled = symbol;
    }
    if (std::find(ours.begin(), ours.end(), wanted) != ours.end()) continue;
    std::sort(ours.begin(), ours.end());
    Status status = refused(
        manifest, "plugin '" + manifest.name + "' does not export " + wanted +
                      "; exports found: " + (ours.empty() ? "none" : base::join(ours, ", ")));
    if (!mangled.empty()) {
      status.add_hint("C++ name found: " + mangled + "; add extern \"C\"");
    }
    return std::move(status).add_hint(
        "build with graphnet_add_plugin(), whose version script exports the three symbols");
  }
  return Status::ok();
}

std::string hint_for(const Manifest& manifest, const std::string& library) {
  for (const NeededLibrary& need : manifest.needs) {
    if (need.soname == library) return need.hint;
  }
  return "";
}

Status check_missing(const Manifest& manifest, const LibraryClosure& closure) {
  if (closure.missing.empty()) return Status::ok();
  std::vector<std::string> missing;
  for (const MissingLibrary& library : closure.missing) {
    missing.push_back(library.name + " (needed by " + library.needed_by + ")");
  }
  Status status =
      refused(manifest, "plugin '" + manifest.name +
                            "' needs libraries that were not found: " + base::join(missing, ", "));
  std::vector<std::string> searched;
  for (const fs::path& folder : closure.searched) searched.push_back(folder.string());
  searched.emplace_back("/etc/ld.so.cache");
  status.add_context("searched " + base::join(searched, ", "));
  for (const MissingLibrary& library : closure.missing) {
    const std::string hint = hint_for(manifest, library.name);
    if (!hint.empty()) status.add_hint(library.name + ": " + hint);
    for (const fs::path& near : library.near_misses) {
      status.add_hint(library.name + ": near miss " + near.string());
    }
  }
  return status;
}

Status check_versions(const Manifest& manifest, const LibraryClosure& closure) {
  if (closure.versions.empty()) return Status::ok();
  std::vector<std::string> missing;
  for (const MissingVersion& version : closure.versions) {
    std::string text = version.version + " (needed by " + version.needed_by + ")";
    if (!version.newest.empty()) {
      text += ", " + version.library.filename().string() + " here has up to " + version.newest;
    }
    missing.push_back(std::move(text));
  }
  return refused(manifest, "plugin '" + manifest.name + "' needs " + base::join(missing, "; "))
      .add_context("found " + closure.versions.front().library.string())
      .add_hint("ask its vendor for a build for an older system, or run in its container");
}

}  // namespace

Status preflight(const Manifest& manifest, const fs::path& host_program) {
  GN_RETURN_IF_ERROR(check_shared_library(manifest.library).add_context(manifest.file.string()));
  GN_RETURN_IF_ERROR(check_abi(manifest));
  GN_ASSIGN_OR_RETURN(const ElfImage image, read_elf_image(manifest.library, ElfSymbols::kRead));
  GN_RETURN_IF_ERROR(check_exports(manifest, image.exports));
  GN_ASSIGN_OR_RETURN(const LibraryClosure closure,
                      resolve_libraries(manifest.library, {host_program, manifest.opened_before()},
                                        LoaderPaths::of_this_machine()));
  GN_RETURN_IF_ERROR(check_missing(manifest, closure));
  return check_versions(manifest, closure);
}

}  // namespace graphnet::config
