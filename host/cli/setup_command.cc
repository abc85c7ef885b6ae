// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "config/manifest.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

namespace {

/// What can be fetched: a script, and the requirements files by name.
struct Wheels {
  fs::path script;
  std::map<std::string, fs::path> files;
};

/// Those of the plugins in the folders below `plugins`.
void add_files_of(const fs::path& plugins, Wheels& wheels) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(plugins, ignored)) {
    const fs::path file = entry.path() / config::kRequirementsName;
    if (fs::exists(file, ignored)) wheels.files[entry.path().filename().string()] = file;
  }
}

/// Of the packages that are installed, else of the source tree.
Wheels find_wheels(const config::Installation& installation) {
  std::error_code ignored;
  Wheels wheels;
  const fs::path share = installation.executable_folder.parent_path() / "share/graphnet/setup";
  if (fs::is_directory(share, ignored)) {
    wheels.script = share / "fetch.sh";
    wheels.files["torch"] = share / "torch" / config::kRequirementsName;
    add_files_of(installation.executable_folder.parent_path() / "lib/graphnet/plugins", wheels);
  } else if (installation.source_tree) {
    wheels.script = *installation.source_tree / "host/setup/fetch.sh";
    wheels.files["torch"] = *installation.source_tree / "host" / config::kRequirementsName;
    add_files_of(*installation.source_tree / "plugins", wheels);
  }
  return wheels;
}

Result<int> fetch(const Context& context, const std::vector<std::string>& names) {
  const Wheels wheels = find_wheels(context.installation);
  std::vector<std::string> known;
  for (const auto& [name, file] : wheels.files) known.push_back(name);
  if (wheels.script.empty()) {
    return Status(Code::kEnvironment, "this installation has no wheels to fetch")
        .add_hint("set GRAPHNET_TORCH to a folder that holds torch/ and nvidia/");
  }
  if (names.empty()) {
    return Status(Code::kUsage, "setup needs a name: " + base::join(known, ", "))
        .add_hint("graphnet setup torch");
  }
  std::vector<std::string> words = {"bash", wheels.script.string()};
  for (const std::string& name : names) {
    const auto found = wheels.files.find(name);
    if (found == wheels.files.end()) {
      return Status(Code::kUsage,
                    "nothing to fetch is called '" + name + "': " + base::join(known, ", "));
    }
    words.push_back(name + "=" + found->second.string());
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // In place of this program: Ctrl-C and the exit code are the script's.
  ::execvp("bash", arguments.data());
  return Status(Code::kEnvironment, std::string("cannot start bash: ") + std::strerror(errno));
}

}  // namespace

Command setup_command() {
  const auto names = std::make_shared<std::vector<std::string>>();
  Command command;
  command.summary = "fetch libtorch and the libraries of plugins";
  command.description =
      "Downloads the wheels that this version pins by SHA-256, and unpacks what is needed of them "
      "into\n${XDG_CACHE_HOME:-~/.cache}/graphnet, where programs and plugins of this user find "
      "them. torch: the\neager reference, which every run needs unless GRAPHNET_TORCH names "
      "another; the others: what the\nplugin of that name loads. Needs pip and unzip. ./graphnet "
      "of a source tree does this by itself.";
  command.usage = "setup torch|PLUGIN...";
  command.positionals = {
      "NAME", "torch, or a plugin whose compiler is a wheel", names.get(), {"torch"}, "PLUGIN"};
  command.examples = {{"graphnet setup torch", "once, for this user"},
                      {"graphnet setup xla", "after installing graphnet-plugin-xla"}};
  command.execute = [names](const Context& context) { return fetch(context, *names); };
  return command;
}

}  // namespace graphnet::cli
