// SPDX-License-Identifier: MIT
#include "config/protocol_file.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "base/text.h"
#include "config/byte_size.h"
#include "config/duration.h"
#include "config/yaml_reader.h"

namespace graphnet::config {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr int kMaxCalls = 1'000'000;
constexpr std::int64_t kNanosecondsPerMillisecond = 1'000'000;

enum class Kind { kFraction, kCount, kDuration, kBytes, kBoolean, kCache };

/// One key of method paired. Ranges are inclusive; of fractions and counts only.
struct PairedKey {
  const char* key;
  Kind kind;
  double default_value;  ///< durations in milliseconds, booleans 0 or 1, cache: index of the choice
  double min = 0;
  double max = 0;
};

constexpr const char* kCaches[] = {"hot", "cold", "both"};

constexpr PairedKey kPairedKeys[] = {
    {"half_width", Kind::kFraction, 0.005, 0, 1},
    {"margin", Kind::kFraction, 0.01, 0, 0.5},
    {"confidence", Kind::kFraction, 0.95, 0.5, 0.9999},
    {"max_width", Kind::kFraction, 0.05, 0, 10},
    {"first_look", Kind::kCount, 12, 4, kMaxCalls},
    {"max_pairs", Kind::kCount, 2000, 1, kMaxCalls},
    {"time", Kind::kDuration, 2000},
    {"long_call_pairs", Kind::kCount, 48, 1, kMaxCalls},
    {"long_call_time", Kind::kDuration, 10000},
    {"fewest_pairs", Kind::kCount, 5, 1, kMaxCalls},
    {"warmup_calls", Kind::kCount, 3, 1, kMaxCalls},
    {"warmup_change", Kind::kFraction, 0.02, 0, 1},
    {"warmup_time", Kind::kDuration, 2000},
    {"settle_below", Kind::kDuration, 5},
    {"cache", Kind::kCache, 0},
    {"flush", Kind::kBytes, 0},
    {"idle_wait", Kind::kDuration, 50},
    {"affinity", Kind::kBoolean, 1},
    {"disturbed_share", Kind::kFraction, 0.01, 0, 1},
    {"max_steal", Kind::kFraction, 0.1, 0, 1},
    {"max_dropped", Kind::kFraction, 0.34, 0, 1},
    {"max_waited", Kind::kFraction, 0.2, 0, 1},
    {"remeasure", Kind::kBoolean, 1},
    {"quiet_wait", Kind::kDuration, 1000},
    {"seed", Kind::kCount, 1, 0, std::numeric_limits<int>::max()},
    {kReplayKey, Kind::kBoolean, 0},
};

/// "time_ns": in JSON the unit is in the key.
std::string json_key(const PairedKey& row) {
  if (row.kind == Kind::kDuration) return std::string(row.key) + "_ns";
  if (row.kind == Kind::kBytes) return std::string(row.key) + "_bytes";
  return row.key;
}

Json default_value(const PairedKey& row) {
  switch (row.kind) {
    case Kind::kFraction:
      return row.default_value;
    case Kind::kBoolean:
      return row.default_value != 0;
    case Kind::kCache:
      return kCaches[static_cast<std::size_t>(row.default_value)];
    case Kind::kDuration:
      return static_cast<std::int64_t>(row.default_value) * kNanosecondsPerMillisecond;
    case Kind::kCount:
    case Kind::kBytes:
      break;
  }
  return static_cast<std::int64_t>(row.default_value);
}

Result<Json> read_duration(const YamlNode& node, const std::string& what) {
  GN_ASSIGN_OR_RETURN(const TimeLimit limit, read_time_limit(node, what));
  if (!limit) return error_at(node, what + " must be a duration such as 2s, got 'none'");
  return Json(std::int64_t{limit->count()} * kNanosecondsPerMillisecond);
}

Result<Json> read_flush(const YamlNode& node, const std::string& what) {
  GN_ASSIGN_OR_RETURN(const std::uint64_t num_bytes, read_buffer_size(node, what));
  return Json(static_cast<std::int64_t>(num_bytes));
}

Result<Json> read_value(const PairedKey& row, const YamlNode& node, const std::string& what) {
  const auto as_json = [](auto value) -> Result<Json> {
    if (!value.is_ok()) return std::move(value).status();
    return Json(std::move(value).value());
  };
  switch (row.kind) {
    case Kind::kFraction:
      return as_json(read_number(node, what, row.min, row.max));
    case Kind::kCount:
      return as_json(read_integer(node, what, static_cast<std::int64_t>(row.min),
                                  static_cast<std::int64_t>(row.max)));
    case Kind::kDuration:
      return read_duration(node, what);
    case Kind::kBytes:
      return read_flush(node, what);
    case Kind::kBoolean:
      return as_json(read_boolean(node, what));
    case Kind::kCache:
      break;
  }
  return as_json(read_choice(node, what, {std::begin(kCaches), std::end(kCaches)}));
}

std::string value_text(const PairedKey& row, const Json& value) {
  if (row.kind == Kind::kDuration) {
    return format_time_limit(
        std::chrono::milliseconds(value.get<std::int64_t>() / kNanosecondsPerMillisecond));
  }
  if (row.kind == Kind::kBytes) return format_buffer_size(value.get<std::uint64_t>());
  if (row.kind == Kind::kCache) return value.get<std::string>();
  return base::dump_json(value);
}

using Origins = std::map<std::string, std::string>;

std::vector<std::string> keys_of(const std::string& method, std::vector<std::string> keys) {
  if (method == "upstream") {
    keys.insert(keys.end(), {"warmup", "trials"});
    return keys;
  }
  for (const PairedKey& row : kPairedKeys) keys.emplace_back(row.key);
  return keys;
}

/// A key of the other method deserves another answer than a misspelt one.
Status check_method(const YamlNode& node, const std::string& method) {
  const char* other = method == "paired" ? "upstream" : "paired";
  const std::vector<std::string> foreign = keys_of(other, {});
  for (const YamlEntry& entry : node.entries) {
    if (std::find(foreign.begin(), foreign.end(), entry.key) == foreign.end()) continue;
    return error_at(
               *entry.source, entry.position,
               "'" + entry.key + "' belongs to method " + other + ", the protocol's is " + method)
        .add_hint(std::string("choose the protocol too: ") +
                  (method == "paired" ? "protocol.name=upstream" : "protocol.name=standard"));
  }
  return Status::ok();
}

/// Reads the settings of the protocol's method that `map` gives.
Status read_settings(const MapReader& map, Protocol& protocol, Origins& origins) {
  const auto note = [&](const char* key, const YamlNode& value) {
    origins[std::string("protocol.") + key] = location(*value.source, value.position);
  };
  if (protocol.method == "upstream") {
    const std::pair<const char*, int*> counts[] = {{"warmup", &protocol.warmup},
                                                   {"trials", &protocol.trials}};
    for (const auto& [key, target] : counts) {
      const YamlNode* value = map.find(key);
      if (value == nullptr) continue;
      const int min = target == &protocol.trials ? 1 : 0;
      GN_ASSIGN_OR_RETURN(const std::int64_t count,
                          read_integer(*value, map.path_of(key), min, kMaxCalls));
      *target = static_cast<int>(count);
      note(key, *value);
    }
    return Status::ok();
  }
  for (const PairedKey& row : kPairedKeys) {
    const YamlNode* value = map.find(row.key);
    if (value == nullptr) continue;
    GN_ASSIGN_OR_RETURN(protocol.paired[json_key(row)],
                        read_value(row, *value, map.path_of(row.key)));
    note(row.key, *value);
  }
  return Status::ok();
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// The file of a protocol, or an empty path.
fs::path locate(const std::string& name, const std::vector<fs::path>& config_folders,
                const fs::path& base_folder) {
  if (name.find('/') != std::string::npos) {
    const fs::path path = (base_folder / name).lexically_normal();
    return is_file(path) ? path : fs::path();
  }
  for (const fs::path& folder : config_folders) {
    const fs::path path = (folder / "protocols" / (name + ".yaml")).lexically_normal();
    if (!name.empty() && is_file(path)) return path;
  }
  return {};
}

std::string no_protocol(const std::string& name, const std::vector<fs::path>& config_folders) {
  const std::vector<std::string> names = list_protocols(config_folders);
  std::string message = "no protocol named '" + name.substr(0, kMaxYamlKeyBytes) + "'";
  message += suggestion(name, names);
  return names.empty() ? message : message + " (at hand: " + base::join(names, ", ") + ")";
}

Result<Protocol> read_file(const fs::path& file, const std::string& name, Origins& origins) {
  GN_ASSIGN_OR_RETURN(const YamlNode tree, read_yaml(file));
  if (tree.kind != YamlNode::Kind::kMap) return error_at(tree, "a protocol file must be a map");
  Protocol protocol;
  protocol.name = name;
  for (const auto& [key, wanted] :
       {std::pair<const char*, std::vector<std::string>>{"schema", {kProtocolSchema}},
        {"method", {"paired", "upstream"}}}) {
    const YamlNode* node = tree.find(key);
    if (node == nullptr) return error_at(tree, std::string("missing key '") + key + "'");
    GN_ASSIGN_OR_RETURN(protocol.method, read_choice(*node, key, wanted));
  }
  GN_RETURN_IF_ERROR(check_method(tree, protocol.method));
  GN_ASSIGN_OR_RETURN(const MapReader map,
                      MapReader::open(tree, "", keys_of(protocol.method, {"schema", "method"})));
  GN_RETURN_IF_ERROR(read_settings(map, protocol, origins));
  return protocol;
}

}  // namespace

Json Protocol::default_paired() {
  Json object = Json::object();
  for (const PairedKey& row : kPairedKeys) object[json_key(row)] = default_value(row);
  return object;
}

bool Protocol::replays() const {
  return method == "paired" && paired.value(kReplayKey, false);
}

Result<Protocol> read_protocol(const YamlNode& node, const std::vector<fs::path>& config_folders,
                               const fs::path& base_folder, Origins& origins) {
  const bool is_map = node.kind == YamlNode::Kind::kMap;
  const YamlNode* name = is_map ? node.find("name") : &node;
  Protocol protocol;
  if (name != nullptr) {
    const char* what = is_map ? "protocol.name" : "protocol";
    GN_ASSIGN_OR_RETURN(const std::string text, read_text(*name, what));
    const fs::path file =
        locate(text, config_folders, name->source->is_file ? base_folder : fs::path());
    if (file.empty()) return error_at(*name, no_protocol(text, config_folders));
    GN_ASSIGN_OR_RETURN(protocol, read_file(file, text, origins));
    origins["protocol.name"] = location(*name->source, name->position);
  }
  if (!is_map) return protocol;
  GN_RETURN_IF_ERROR(check_method(node, protocol.method));
  GN_ASSIGN_OR_RETURN(const MapReader map,
                      MapReader::open(node, "protocol", keys_of(protocol.method, {"name"})));
  GN_RETURN_IF_ERROR(read_settings(map, protocol, origins));
  return protocol;
}

std::vector<std::string> list_protocols(const std::vector<fs::path>& config_folders) {
  std::set<std::string> names;
  for (const fs::path& folder : config_folders) {
    std::error_code failure;
    for (fs::directory_iterator entry(folder / "protocols", failure), end; !failure && entry != end;
         entry.increment(failure)) {
      const fs::path& path = entry->path();
      if (path.extension() == ".yaml" && is_file(path)) names.insert(path.stem().string());
    }
  }
  return {names.begin(), names.end()};
}

Result<Protocol> find_protocol(const std::string& name,
                               const std::vector<fs::path>& config_folders) {
  Origins ignored;
  const fs::path file = locate(name, config_folders, {});
  if (file.empty()) return Status(Code::kInput, no_protocol(name, config_folders));
  return read_file(file, name, ignored);
}

std::vector<std::pair<std::string, std::string>> protocol_settings(const Protocol& protocol) {
  if (protocol.method == "upstream") {
    return {{"warmup", std::to_string(protocol.warmup)},
            {"trials", std::to_string(protocol.trials)}};
  }
  std::vector<std::pair<std::string, std::string>> settings;
  for (const PairedKey& row : kPairedKeys) {
    settings.emplace_back(row.key, value_text(row, protocol.paired[json_key(row)]));
  }
  return settings;
}

}  // namespace graphnet::config
