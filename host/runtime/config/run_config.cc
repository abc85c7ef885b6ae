// SPDX-License-Identifier: MIT
#include "config/run_config.h"

#include <algorithm>
#include <cctype>

#include "base/device_name.h"
#include "config/library_identity.h"
#include "config/manifest.h"
#include "config/map_keys.h"
#include "config/override.h"
#include "config/quantity.h"
#include "config/yaml_reader.h"

namespace graphnet::config {

namespace fs = std::filesystem;
using base::Result;
using base::Status;

namespace {

constexpr int kMaxThreads = 4096;

std::vector<MapKeys> maps_of_run_config() {
  return {
      {"",
       {"schema", "backend", "device", "threads", "compile_threads", "weights", "second_weights",
        "math", "protocol", "proof", "limits", "timeouts", "samples", "plugins"},
       {"schema", "backend"}},
      {"backend", {"name", "library", "version", "sha256", "options"}},
      {"math", {"tf32", "fast_math", "flush_denormals"}},
      {"limits", {"memory", "memory_by", "flop"}},
      {"timeouts", {std::begin(kPhases), std::end(kPhases)}},
      {"plugins", {"search_paths"}}};
}

/// Reads one optional key with `read`, if it is given, and notes where it came from.
template <typename T, typename Read>
Status read_if_given(const MapReader& map, const std::string& key, RunConfig& config, T& target,
                     const Read& read) {
  const YamlNode* node = map.find(key);
  if (node == nullptr) return Status::ok();
  const std::string path = map.path_of(key);
  auto value = read(*node, path);
  if (!value.is_ok()) return std::move(value).status();
  target = std::move(value).value();
  config.origins[path] = location(*node->source, node->position);
  return Status::ok();
}

Result<int> read_count(const YamlNode& node, const std::string& what, int min, int max) {
  GN_ASSIGN_OR_RETURN(const std::int64_t value, read_integer(node, what, min, max));
  return static_cast<int>(value);
}

fs::path resolve_path(const YamlNode& node, const RunConfig& config, const std::string& text) {
  fs::path path = text;
  if (path.is_absolute() || !node.source->is_file) return path;
  return (config.file.parent_path() / path).lexically_normal();
}

Result<fs::path> read_path(const YamlNode& node, const RunConfig& config, const std::string& what) {
  GN_ASSIGN_OR_RETURN(const std::string text, read_text(node, what));
  if (text.empty()) return error_at(node, what + " must not be empty");
  return resolve_path(node, config, text);
}

Result<std::vector<fs::path>> read_paths(const YamlNode& node, const RunConfig& config,
                                         const std::string& what) {
  GN_RETURN_IF_ERROR(expect_sequence(node, what));
  std::vector<fs::path> paths;
  for (const auto& item : node.items) {
    GN_ASSIGN_OR_RETURN(fs::path path, read_path(item, config, what));
    paths.push_back(std::move(path));
  }
  return paths;
}

Status check_schema(const MapReader& map) {
  GN_ASSIGN_OR_RETURN(const YamlNode* node, map.require("schema"));
  GN_ASSIGN_OR_RETURN(const std::string schema, read_text(*node, "schema"));
  if (schema == kRunSchema) return Status::ok();
  return error_at(*node, "schema " + describe(*node) +
                             " is not known to this graphnet, which reads " + kRunSchema)
      .add_hint("update graphnet, or write schema: " + std::string(kRunSchema));
}

Result<VersionRange> read_version_range(const YamlNode& node, const std::string& what) {
  GN_ASSIGN_OR_RETURN(const std::string text, read_text(node, what));
  Result<VersionRange> range = parse_version_range(text);
  if (range.is_ok()) return range;
  return error_at(node, what + " must be any or a requirement such as '>=0.2, <0.4': " +
                            range.status().message());
}

Result<std::string> read_sha256(const YamlNode& node, const std::string& what) {
  GN_ASSIGN_OR_RETURN(std::string text, read_text(node, what));
  if (text == "none") return std::string();
  if (!is_sha256(text)) {
    return error_at(node, what + " must be none or 64 hexadecimal digits, got " + describe(node));
  }
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char digit) { return static_cast<char>(std::tolower(digit)); });
  return text;
}

Status read_backend(const MapReader& root, RunConfig& config) {
  GN_ASSIGN_OR_RETURN(const YamlNode* node, root.require("backend"));
  GN_ASSIGN_OR_RETURN(const MapReader map, MapReader::open(*node, "backend"));
  const YamlNode* name = map.find("name");
  const YamlNode* library = map.find("library");
  if ((name == nullptr) == (library == nullptr)) {
    return error_at(*node, "backend needs either 'name' or 'library'");
  }
  const YamlNode& chosen = name != nullptr ? *name : *library;
  BackendChoice& backend = config.backend;
  backend.where = location(*chosen.source, chosen.position);
  if (name != nullptr) {
    GN_ASSIGN_OR_RETURN(backend.name, read_text(*name, "backend.name"));
    if (!is_plugin_name(backend.name)) {
      return error_at(*name, "backend.name must be a plugin's name, got " + describe(*name))
          .add_hint("for a file use backend.library");
    }
  } else {
    GN_ASSIGN_OR_RETURN(backend.library, read_path(*library, config, "backend.library"));
  }
  config.origins[name != nullptr ? "backend.name" : "backend.library"] = backend.where;
  if (const YamlNode* options = map.find("options")) backend.options = *options;
  GN_RETURN_IF_ERROR(read_if_given(map, "version", config, backend.version, read_version_range));
  return read_if_given(map, "sha256", config, backend.sha256, read_sha256);
}

/// `protocol: kernel` is short for `protocol: {name: kernel}`; the long form has room for
/// overrides of single keys.
void expand_protocol(YamlNode& tree) {
  YamlNode* node = tree.find("protocol");
  if (node == nullptr || node->kind != YamlNode::Kind::kScalar) return;
  YamlNode map;
  map.kind = YamlNode::Kind::kMap;
  map.position = node->position;
  map.source = node->source;
  map.entries.push_back({"name", node->position, node->source, *node});
  *node = std::move(map);
}

Status read_limits(const MapReader& root, RunConfig& config) {
  const YamlNode* node = root.find("limits");
  if (node == nullptr) return Status::ok();
  GN_ASSIGN_OR_RETURN(const MapReader map, MapReader::open(*node, "limits"));
  GN_RETURN_IF_ERROR(read_if_given(map, "memory", config, config.limits.memory, read_memory_limit));
  GN_RETURN_IF_ERROR(read_if_given(map, "memory_by", config, config.limits.memory_by,
                                   [](const YamlNode& value, const std::string& what) {
                                     return read_choice(value, what, {"auto", "rlimit"});
                                   }));
  return read_if_given(map, "flop", config, config.limits.flop, read_flop);
}

Status read_timeouts(const MapReader& root, RunConfig& config) {
  const YamlNode* node = root.find("timeouts");
  if (node == nullptr) return Status::ok();
  GN_ASSIGN_OR_RETURN(const MapReader map, MapReader::open(*node, "timeouts"));
  for (const char* phase : kPhases) {
    GN_RETURN_IF_ERROR(read_if_given(map, phase, config, config.timeouts[phase], read_time_limit));
  }
  return Status::ok();
}

Status read_plugins(const MapReader& root, RunConfig& config) {
  const YamlNode* node = root.find("plugins");
  if (node == nullptr) return Status::ok();
  GN_ASSIGN_OR_RETURN(const MapReader map, MapReader::open(*node, "plugins"));
  return read_if_given(map, "search_paths", config, config.plugin_search_paths,
                       [&](const YamlNode& value, const std::string& what) {
                         return read_paths(value, config, what);
                       });
}

Status read_math(const MapReader& root, RunConfig& config) {
  const YamlNode* node = root.find("math");
  if (node == nullptr) return Status::ok();
  GN_ASSIGN_OR_RETURN(const MapReader map, MapReader::open(*node, "math"));
  base::MathPolicy& math = config.math;
  GN_RETURN_IF_ERROR(read_if_given(map, "tf32", config, math.tf32, read_boolean));
  GN_RETURN_IF_ERROR(read_if_given(map, "fast_math", config, math.fast_math, read_boolean));
  GN_RETURN_IF_ERROR(
      read_if_given(map, "flush_denormals", config, math.flush_denormals, read_boolean));
  if (!math.flush_denormals || config.device == "cpu") return Status::ok();
  return error_at(*node, "math.flush_denormals is not for " + config.device +
                             ": libtorch's kernels there keep subnormal numbers");
}

Result<int> read_threads(const YamlNode& node, const std::string& what) {
  if (node.kind == YamlNode::Kind::kScalar && node.text == "auto") return 0;
  Result<int> count = read_count(node, what, 1, kMaxThreads);
  if (count.is_ok()) return count;
  return error_at(node, what + " must be auto or an integer from 1 to " +
                            std::to_string(kMaxThreads) + ", got " + describe(node));
}

Result<std::string> read_device(const YamlNode& node, const std::string& what) {
  const Result<base::DeviceName> device =
      base::parse_device_name(node.kind == YamlNode::Kind::kScalar ? node.text : "");
  if (device.is_ok()) return device->text();
  return error_at(node, what + " must be cpu or cuda:N, got " + describe(node));
}

Status read_settings(const MapReader& root, RunConfig& config) {
  GN_RETURN_IF_ERROR(read_if_given(root, "device", config, config.device, read_device));
  GN_RETURN_IF_ERROR(read_if_given(root, "threads", config, config.threads, read_threads));
  GN_RETURN_IF_ERROR(
      read_if_given(root, "compile_threads", config, config.compile_threads, read_threads));
  GN_RETURN_IF_ERROR(read_if_given(
      root, "weights", config, config.weights, [](const YamlNode& node, const std::string& what) {
        return read_choice(node, what, {"bound", "frozen", "per_call"});
      }));
  GN_RETURN_IF_ERROR(read_if_given(root, "second_weights", config, config.second_weights,
                                   [](const YamlNode& node, const std::string& what) {
                                     return read_choice(node, what, {"auto", "always", "off"});
                                   }));
  GN_RETURN_IF_ERROR(read_if_given(root, "proof", config, config.proof,
                                   [](const YamlNode& node, const std::string& what) {
                                     return read_choice(node, what, {"full", "counts", "none"});
                                   }));
  return read_if_given(root, "samples", config, config.samples,
                       [&](const YamlNode& node, const std::string& what) {
                         return read_paths(node, config, what);
                       });
}

Status read_sections(const MapReader& root, const std::vector<fs::path>& config_folders,
                     RunConfig& config) {
  GN_RETURN_IF_ERROR(read_backend(root, config));
  GN_RETURN_IF_ERROR(read_settings(root, config));
  GN_RETURN_IF_ERROR(read_math(root, config));
  if (const YamlNode* node = root.find("protocol")) {
    GN_ASSIGN_OR_RETURN(config.protocol, read_protocol(*node, config_folders,
                                                       config.file.parent_path(), config.origins));
  }
  GN_RETURN_IF_ERROR(read_timeouts(root, config));
  config.allow_cold_start();
  GN_RETURN_IF_ERROR(read_limits(root, config));
  return read_plugins(root, config);
}

/// Gives the key of a renamed phase its name of today; where both are given the older one stays,
/// which is then an unknown key.
void rename_older_keys(YamlNode& tree) {
  YamlNode* const timeouts = tree.find("timeouts");
  const std::string today = record::name_of(record::Phase::kInputs);
  if (timeouts == nullptr || timeouts->find(today) != nullptr) return;
  for (YamlEntry& entry : timeouts->entries) {
    if (entry.key == record::kOldInputs) entry.key = today;
  }
}

}  // namespace

std::map<std::string, TimeLimit> RunConfig::default_timeouts() {
  using std::chrono::seconds;
  // Ten minutes where a model runs or is compiled, as upstream's batch scripts allow; far less
  // where only files are read and buffers compared.
  return {{"load", seconds(60)},   {"plan", seconds(60)},        {"inputs", seconds(120)},
          {"eager", seconds(600)}, {"compile", seconds(600)},    {"bind", seconds(120)},
          {"run", seconds(600)},   {"compare", seconds(120)},    {"second_weights", seconds(600)},
          {"time", seconds(600)},  {"robustness", seconds(120)}, {"proof", seconds(600)}};
}

void RunConfig::allow_cold_start() {
  if (device != "cpu" && origins.count("timeouts.load") == 0) {
    timeouts["load"] = std::chrono::seconds(120);
  }
}

Result<RunConfig> read_run_config(const fs::path& file, const std::vector<std::string>& overrides,
                                  const std::vector<fs::path>& config_folders) {
  GN_ASSIGN_OR_RETURN(YamlNode tree, read_yaml(file));
  expand_protocol(tree);
  rename_older_keys(tree);
  for (const auto& text : overrides) {
    GN_RETURN_IF_ERROR(apply_override(tree, text));
    expand_protocol(tree);
    rename_older_keys(tree);
  }
  GN_ASSIGN_OR_RETURN(const MapReader root, MapReader::open(tree, ""));
  // Of a newer schema other keys may be right.
  if (root.find("schema") != nullptr) GN_RETURN_IF_ERROR(check_schema(root));
  Status keys = check_keys(tree, maps_of_run_config());
  GN_RETURN_IF_ERROR(keys.add_hint("configs/default.yaml explains every key"));
  RunConfig config;
  config.file = file;
  GN_RETURN_IF_ERROR(read_sections(root, config_folders, config));
  return config;
}

}  // namespace graphnet::config
