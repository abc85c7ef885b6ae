// SPDX-License-Identifier: MIT
#include "plugin/library.h"

#include <dlfcn.h>

#include <boost/dll/shared_library.hpp>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace graphnet::plugin {

using base::Code;
using base::Status;

namespace {

Status plugin_error(const std::filesystem::path& file, const std::string& message) {
  return Status(Code::kPlugin, message).add_context(file.string());
}

std::string loader_words(const std::string& fallback) {
  // Boost's error code is the same for every cause; the loader's own text says which library or
  // symbol is missing.
  const char* words = ::dlerror();
  return words != nullptr ? words : fallback;
}

bool has_slot(const gn_backend_api& api, std::size_t offset) {
  return api.struct_size >= offset + sizeof(void*);
}

Status check_table(const std::filesystem::path& file, const gn_backend_api* api,
                   void* exported_compile, void* exported_run) {
  if (api == nullptr) return plugin_error(file, "plugin bug: the query gave no table");
  if (!has_slot(*api, offsetof(gn_backend_api, executable_destroy))) {
    return plugin_error(file, "plugin bug: its table of " + std::to_string(api->struct_size) +
                                  " bytes is smaller than ABI 0.3 needs");
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

// What the loader's words mean for somebody who builds a plugin.
Status loading_failed(const std::filesystem::path& file, const std::string& words) {
  constexpr std::pair<const char*, const char*> kHints[] = {
      {"undefined symbol: gn_",
       "symbols of the host cannot be imported; call through the host table given to create"},
      {"undefined symbol", "link the library that defines it; -Wl,-z,defs finds this at link time"},
      {"static TLS", "a library of the plugin uses initial-exec TLS; build it without"},
      {"executable stack", "link with -Wl,-z,noexecstack"},
      {"cannot allocate memory", "raise limits.memory in the run config"},
      {"cannot open shared object file",
       "its libraries must lie beside it or on the loader's path"},
  };
  Status status = plugin_error(file, "cannot load plugin: " + words);
  for (const auto& [part, hint] : kHints) {
    if (words.find(part) != std::string::npos) return std::move(status).add_hint(hint);
  }
  return status;
}

base::Result<void*> load(const std::filesystem::path& file) {
  auto library = std::make_unique<boost::dll::shared_library>();
  try {
    ::dlerror();
    library->load(file.string(),
                  boost::dll::load_mode::rtld_now | boost::dll::load_mode::rtld_local);
  } catch (const std::exception& error) {
    return loading_failed(file, loader_words(error.what()));
  } catch (...) {
    return plugin_error(file, "plugin bug: an exception left its static constructors");
  }
  // Leaked on purpose: a plugin is never unloaded, its libraries keep threads and registries.
  return library.release()->native();  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)
}

// The query may not throw, but this is the first call into code that nobody has checked.
base::Result<gn_query_out> ask(const std::filesystem::path& file, void* query) {
  const gn_query_in in = {sizeof(gn_query_in), GN_ABI_MAJOR, kOldestMinor, kNewestMinor, 0};
  gn_query_out answer = {};
  answer.struct_size = sizeof(answer);
  std::int32_t refused = 0;
  try {
    refused = reinterpret_cast<decltype(&gn_plugin_query)>(query)(&in, &answer);
  } catch (...) {
    return plugin_error(file, "plugin bug: an exception left gn_plugin_query");
  }
  GN_RETURN_IF_ERROR(check_answer(file, refused, answer));
  return answer;
}

}  // namespace

base::Result<Library> Library::open(const LibraryFiles& files, const OnStep& on_step) {
  const std::filesystem::path& file = files.library;
  on_step("its static constructors");
  for (const std::filesystem::path& before : files.opened_before) {
    GN_RETURN_IF_ERROR(load(before).status());
  }
  GN_ASSIGN_OR_RETURN(void* handle, load(file));
  const auto address = [&](const char* symbol) { return ::dlsym(handle, symbol); };
  for (const char* name : {"gn_plugin_query", "gn_backend_compile", "gn_backend_run"}) {
    if (address(name) == nullptr) {
      return plugin_error(file, std::string("plugin does not export ") + name);
    }
  }
  on_step("gn_plugin_query");
  GN_ASSIGN_OR_RETURN(const gn_query_out answer, ask(file, address("gn_plugin_query")));
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
