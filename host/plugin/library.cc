// SPDX-License-Identifier: MIT
#include "plugin/library.h"

#include <dlfcn.h>

#include <boost/dll/library_info.hpp>
#include <boost/dll/shared_library.hpp>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace graphnet::plugin {

using base::Code;
using base::Status;

namespace {

constexpr const char* kExports[] = {"gn_plugin_query", "gn_backend_compile", "gn_backend_run"};

Status plugin_error(const std::filesystem::path& file, const std::string& message) {
  return Status(Code::kPlugin, message).add_context(file.string());
}

std::string loader_words(const std::string& fallback) {
  // Boost's error code is the same for every cause; the loader's own text says which library or
  // symbol is missing.
  const char* words = ::dlerror();
  return words != nullptr ? words : fallback;
}

// Looks at the symbol table without running any code of the file.
Status check_exports(const std::filesystem::path& file) {
  std::vector<std::string> found;
  try {
    boost::dll::library_info info(file.string());
    found = info.symbols();
  } catch (const std::exception& error) {
    return plugin_error(file, std::string("not a readable shared library: ") + error.what());
  }
  for (const char* wanted : kExports) {
    bool present = false;
    std::vector<std::string> ours;
    std::string mangled;
    for (const std::string& symbol : found) {
      present = present || symbol == wanted;
      if (symbol.rfind("gn_", 0) == 0) ours.push_back(symbol);
      if (symbol.rfind("_Z", 0) == 0 && symbol.find(wanted) != std::string::npos) mangled = symbol;
    }
    if (present) continue;
    Status status = plugin_error(
        file, std::string("plugin does not export ") + wanted +
                  "; exports found: " + (ours.empty() ? "none" : base::join(ours, ", ")));
    if (!mangled.empty()) status.add_hint("C++ name found: " + mangled + "; add extern \"C\"");
    return std::move(status).add_hint(
        "build with graphnet_add_plugin(), whose version script exports the three symbols");
  }
  return Status::ok();
}

bool has_slot(const gn_backend_api& api, std::size_t offset) {
  return api.struct_size >= offset + sizeof(void*);
}

Status check_table(const std::filesystem::path& file, const gn_backend_api* api,
                   void* exported_compile, void* exported_run) {
  if (api == nullptr) return plugin_error(file, "plugin bug: the query gave no table");
  if (!has_slot(*api, offsetof(gn_backend_api, executable_destroy))) {
    return plugin_error(file, "plugin bug: its table of " + std::to_string(api->struct_size) +
                                  " bytes is smaller than ABI 0.1 needs");
  }
  if (api->create == nullptr || api->destroy == nullptr || api->bind == nullptr ||
      api->executable_destroy == nullptr) {
    return plugin_error(file, "plugin bug: a mandatory slot of its table is empty");
  }
  if (reinterpret_cast<void*>(api->compile) != exported_compile) {
    return plugin_error(file,
                        "plugin bug: table slot 'compile' is not the exported gn_backend_compile");
  }
  if (reinterpret_cast<void*>(api->run) != exported_run) {
    return plugin_error(file, "plugin bug: table slot 'run' is not the exported gn_backend_run");
  }
  return Status::ok();
}

Status check_answer(const std::filesystem::path& file, std::int32_t refused, gn_query_out& answer) {
  answer.error[sizeof(answer.error) - 1] = '\0';
  const std::string speaks = "this host speaks " + std::to_string(GN_ABI_MAJOR) + "." +
                             std::to_string(kOldestMinor) + " to " + std::to_string(GN_ABI_MAJOR) +
                             "." + std::to_string(kNewestMinor);
  const std::string built = "plugin is built for plugin ABI " + std::to_string(answer.abi_major) +
                            "." + std::to_string(answer.abi_minor);
  const char* hint = "update graphnet, or install a version of the plugin that matches";
  if (refused != 0) {
    const std::string reason = answer.error[0] != '\0' ? answer.error : "no reason given";
    return plugin_error(file, "plugin refuses this host: " + reason + "; " + speaks).add_hint(hint);
  }
  if (answer.abi_major != GN_ABI_MAJOR || answer.abi_minor > kNewestMinor ||
      answer.abi_minor < kOldestMinor) {
    return plugin_error(file, built + ", " + speaks).add_hint(hint);
  }
  return Status::ok();
}

std::string copy(gn_string text) {
  return text.data != nullptr ? std::string(text.data, text.size) : std::string();
}

}  // namespace

base::Result<Library> Library::open(const std::filesystem::path& file) {
  GN_RETURN_IF_ERROR(check_exports(file));
  // Leaked on purpose: a plugin is never unloaded, its libraries keep threads and registries.
  auto* library = new boost::dll::shared_library();
  try {
    ::dlerror();
    library->load(file.string(),
                  boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
  } catch (const std::exception& error) {
    return plugin_error(file, "cannot load plugin: " + loader_words(error.what()))
        .add_hint(
            "a plugin imports nothing from the host; its libraries must lie beside it or on the "
            "loader's path");
  }
  const auto address = [&](const char* symbol) { return ::dlsym(library->native(), symbol); };
  const auto query = reinterpret_cast<decltype(&gn_plugin_query)>(address("gn_plugin_query"));
  const gn_query_in in = {sizeof(gn_query_in), GN_ABI_MAJOR, kOldestMinor, kNewestMinor, 0};
  gn_query_out answer = {};
  answer.struct_size = sizeof(answer);
  const std::int32_t refused = query(&in, &answer);
  GN_RETURN_IF_ERROR(check_answer(file, refused, answer));
  GN_RETURN_IF_ERROR(
      check_table(file, answer.api, address("gn_backend_compile"), address("gn_backend_run")));
  Library opened;
  opened.name_ = copy(answer.name);
  opened.version_ = copy(answer.version);
  opened.abi_minor_ = answer.abi_minor;
  opened.api_ = answer.api;
  return opened;
}

}  // namespace graphnet::plugin
