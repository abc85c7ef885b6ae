// SPDX-License-Identifier: MIT
#include "config/manifest.h"

#include <algorithm>

#include "config/map_keys.h"
#include "config/wheel_tree.h"
#include "config/yaml_reader.h"

namespace graphnet::config {

namespace fs = std::filesystem;
using base::Result;
using base::Status;

namespace {

std::vector<MapKeys> maps_of_manifest() {
  return {{"",
           {"schema", "name", "version", "vendor", "license", "library", "abi", "devices",
            "weights", "needs", "opens", "starts", "options", "capabilities", "calls_libtorch"},
           {"schema", "name", "version", "library", "abi", "devices", "weights"}},
          {"abi", {"major", "minor"}, {"major", "minor"}},
          {"needs.[]", {"soname", "hint", "wheel_folder"}, {"soname", "hint"}},
          {"opens.[]",
           {"name", "sonames", "named_only", "option", "variable", "python_folder", "hints"},
           {"name", "sonames", "hints"}},
          {"starts.[]",
           {"name", "program", "option", "variable", "launcher_option", "hints"},
           {"name", "program", "hints"}},
          option_keys("options.*")};
}

Result<std::string> require_text(const MapReader& map, const std::string& key) {
  GN_ASSIGN_OR_RETURN(const YamlNode* node, map.require(key));
  return read_text(*node, map.path_of(key));
}

Result<std::string> optional_text(const MapReader& map, const std::string& key) {
  const YamlNode* node = map.find(key);
  return node == nullptr ? Result<std::string>(std::string()) : read_text(*node, map.path_of(key));
}

Status check_schema(const MapReader& map) {
  GN_ASSIGN_OR_RETURN(const std::string schema, require_text(map, "schema"));
  if (schema == kPluginSchema) return Status::ok();
  const YamlNode& node = *map.find("schema");
  return error_at(node, "schema " + describe(node) +
                            " is not known to this graphnet, which reads " + kPluginSchema);
}

Status read_identity(const MapReader& map, Manifest& manifest) {
  GN_ASSIGN_OR_RETURN(manifest.name, require_text(map, "name"));
  if (!is_plugin_name(manifest.name)) {
    return error_at(*map.find("name"),
                    "name must be a lower-case letter and then up to 31 of a-z 0-9 _ -");
  }
  GN_ASSIGN_OR_RETURN(manifest.version, require_text(map, "version"));
  if (manifest.version.empty() || manifest.version.size() > 64 || manifest.version[0] < '0' ||
      manifest.version[0] > '9') {
    return error_at(*map.find("version"), "version must begin with a digit, such as 0.1.0");
  }
  GN_ASSIGN_OR_RETURN(manifest.vendor, optional_text(map, "vendor"));
  GN_ASSIGN_OR_RETURN(manifest.license, optional_text(map, "license"));
  return Status::ok();
}

Status read_library(const MapReader& map, Manifest& manifest) {
  GN_ASSIGN_OR_RETURN(const std::string name, require_text(map, "library"));
  const YamlNode& node = *map.find("library");
  if (name.empty() || fs::path(name).is_absolute()) {
    return error_at(node, "library must be a path relative to this file, got " + describe(node));
  }
  std::error_code failure;
  const fs::path folder = fs::canonical(fs::absolute(manifest.file).parent_path(), failure);
  manifest.library = fs::canonical(folder / name, failure);
  if (failure) {
    return error_at(node, "library " + describe(node) + " does not exist next to this file")
        .add_context(failure.message());
  }
  const auto [rest, unused] =
      std::mismatch(folder.begin(), folder.end(), manifest.library.begin(), manifest.library.end());
  if (rest != folder.end()) {
    return error_at(node, "library " + describe(node) + " leads out of the plugin's folder, to '" +
                              manifest.library.string() + "'");
  }
  return Status::ok();
}

Status read_abi(const MapReader& map, Manifest& manifest) {
  GN_ASSIGN_OR_RETURN(const YamlNode* node, map.require("abi"));
  GN_ASSIGN_OR_RETURN(const MapReader abi, MapReader::open(*node, "abi"));
  GN_ASSIGN_OR_RETURN(const YamlNode* major, abi.require("major"));
  GN_ASSIGN_OR_RETURN(const YamlNode* minor, abi.require("minor"));
  GN_ASSIGN_OR_RETURN(const auto major_number, read_integer(*major, "abi.major", 0, 9999));
  GN_ASSIGN_OR_RETURN(const auto minor_number, read_integer(*minor, "abi.minor", 0, 9999));
  manifest.abi_major = static_cast<int>(major_number);
  manifest.abi_minor = static_cast<int>(minor_number);
  return Status::ok();
}

/// A list of at least one word out of `known`.
Result<std::vector<std::string>> require_words(const MapReader& map, const std::string& key,
                                               const std::vector<std::string>& known) {
  GN_ASSIGN_OR_RETURN(const YamlNode* node, map.require(key));
  GN_RETURN_IF_ERROR(expect_sequence(*node, key));
  if (node->items.empty()) return error_at(*node, key + " must name at least one");
  std::vector<std::string> words;
  for (const auto& item : node->items) {
    GN_ASSIGN_OR_RETURN(std::string word, read_choice(item, key, known));
    words.push_back(std::move(word));
  }
  return words;
}

Status read_needs(const MapReader& map, Manifest& manifest) {
  const YamlNode* node = map.find("needs");
  if (node == nullptr) return Status::ok();
  GN_RETURN_IF_ERROR(expect_sequence(*node, "needs"));
  const fs::path tree = wheel_tree(manifest.file.parent_path() / kRequirementsName);
  for (const auto& item : node->items) {
    GN_ASSIGN_OR_RETURN(const MapReader need, MapReader::open(item, "needs"));
    NeededLibrary library;
    GN_ASSIGN_OR_RETURN(library.soname, require_text(need, "soname"));
    GN_ASSIGN_OR_RETURN(library.hint, require_text(need, "hint"));
    GN_ASSIGN_OR_RETURN(const std::string folder, optional_text(need, "wheel_folder"));
    std::error_code ignored;
    const fs::path file = tree / folder / library.soname;
    if (!folder.empty() && !tree.empty() && fs::exists(file, ignored)) library.file = file;
    manifest.needs.push_back(std::move(library));
  }
  return Status::ok();
}

Result<std::vector<std::string>> optional_list(const MapReader& map, const std::string& key) {
  const YamlNode* node = map.find(key);
  return node == nullptr ? Result<std::vector<std::string>>(std::vector<std::string>())
                         : read_text_list(*node, map.path_of(key));
}

/// A key that names an option of the plugin must name one of type text.
Status check_text_option(const MapReader& row, const std::string& key, const std::string& list,
                         const Manifest& manifest) {
  GN_ASSIGN_OR_RETURN(const std::string name, optional_text(row, key));
  const auto is_named = [&](const OptionSpec& spec) {
    return spec.name == name && spec.type == OptionSpec::Type::kText;
  };
  if (name.empty() || std::any_of(manifest.options.begin(), manifest.options.end(), is_named)) {
    return Status::ok();
  }
  return error_at(*row.find(key), list + "." + key + " names no option of type text");
}

Status read_opens(const MapReader& map, Manifest& manifest) {
  const YamlNode* node = map.find("opens");
  if (node == nullptr) return Status::ok();
  GN_RETURN_IF_ERROR(expect_sequence(*node, "opens"));
  for (const auto& item : node->items) {
    GN_ASSIGN_OR_RETURN(const MapReader row, MapReader::open(item, "opens"));
    OpenedLibrary library;
    GN_ASSIGN_OR_RETURN(library.name, require_text(row, "name"));
    GN_ASSIGN_OR_RETURN(library.sonames, optional_list(row, "sonames"));
    GN_ASSIGN_OR_RETURN(library.named_only, optional_list(row, "named_only"));
    GN_ASSIGN_OR_RETURN(library.variable, optional_text(row, "variable"));
    GN_ASSIGN_OR_RETURN(library.python_folder, optional_text(row, "python_folder"));
    GN_ASSIGN_OR_RETURN(library.option, optional_text(row, "option"));
    GN_ASSIGN_OR_RETURN(library.hints, optional_list(row, "hints"));
    GN_RETURN_IF_ERROR(check_text_option(row, "option", "opens", manifest));
    manifest.opens.push_back(std::move(library));
  }
  return Status::ok();
}

Status read_starts(const MapReader& map, Manifest& manifest) {
  const YamlNode* node = map.find("starts");
  if (node == nullptr) return Status::ok();
  GN_RETURN_IF_ERROR(expect_sequence(*node, "starts"));
  for (const auto& item : node->items) {
    GN_ASSIGN_OR_RETURN(const MapReader row, MapReader::open(item, "starts"));
    StartedProgram program;
    GN_ASSIGN_OR_RETURN(program.name, require_text(row, "name"));
    GN_ASSIGN_OR_RETURN(program.program, require_text(row, "program"));
    GN_ASSIGN_OR_RETURN(program.option, optional_text(row, "option"));
    GN_ASSIGN_OR_RETURN(program.variable, optional_text(row, "variable"));
    GN_ASSIGN_OR_RETURN(program.launcher_option, optional_text(row, "launcher_option"));
    GN_ASSIGN_OR_RETURN(program.hints, optional_list(row, "hints"));
    for (const char* key : {"option", "launcher_option"}) {
      GN_RETURN_IF_ERROR(check_text_option(row, key, "starts", manifest));
    }
    manifest.starts.push_back(std::move(program));
  }
  return Status::ok();
}

}  // namespace

bool is_plugin_name(const std::string& name) {
  const auto is_tail = [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '_' ||
           byte == '-';
  };
  return !name.empty() && name.size() <= 32 && name[0] >= 'a' && name[0] <= 'z' &&
         std::all_of(name.begin(), name.end(), is_tail);
}

bool Manifest::has_capability(const std::string& capability) const {
  return std::find(capabilities.begin(), capabilities.end(), capability) != capabilities.end();
}

std::vector<fs::path> Manifest::opened_before() const {
  std::vector<fs::path> files;
  for (const NeededLibrary& need : needs) {
    if (!need.file.empty()) files.push_back(need.file);
  }
  return files;
}

Result<Manifest> read_manifest(const fs::path& file) {
  GN_ASSIGN_OR_RETURN(const YamlNode root, read_yaml(file));
  GN_ASSIGN_OR_RETURN(const MapReader map, MapReader::open(root, ""));
  // Of a newer schema other keys may be right.
  if (map.find("schema") != nullptr) GN_RETURN_IF_ERROR(check_schema(map));
  Status keys = check_keys(root, maps_of_manifest());
  GN_RETURN_IF_ERROR(keys.add_hint("graphnet plugin info nope: names a manifest to compare with"));
  Manifest manifest;
  manifest.file = file;
  GN_RETURN_IF_ERROR(read_identity(map, manifest));
  GN_RETURN_IF_ERROR(read_library(map, manifest));
  GN_RETURN_IF_ERROR(read_abi(map, manifest));
  GN_ASSIGN_OR_RETURN(manifest.devices, require_words(map, "devices", {"cpu", "cuda"}));
  GN_ASSIGN_OR_RETURN(manifest.weights,
                      require_words(map, "weights", {"bound", "frozen", "per_call"}));
  GN_RETURN_IF_ERROR(read_needs(map, manifest));
  if (const YamlNode* options = map.find("options")) {
    GN_ASSIGN_OR_RETURN(manifest.options, read_option_specs(*options, "options"));
  }
  GN_RETURN_IF_ERROR(read_opens(map, manifest));
  GN_RETURN_IF_ERROR(read_starts(map, manifest));
  if (const YamlNode* capabilities = map.find("capabilities")) {
    GN_ASSIGN_OR_RETURN(manifest.capabilities, read_text_list(*capabilities, "capabilities"));
  }
  if (const YamlNode* calls = map.find("calls_libtorch")) {
    GN_ASSIGN_OR_RETURN(manifest.calls_libtorch, read_text_list(*calls, "calls_libtorch"));
  }
  return manifest;
}

}  // namespace graphnet::config
