// SPDX-License-Identifier: MIT
#include "config/option_schema.h"

#include "config/yaml_reader.h"

namespace graphnet::config {

using base::Json;
using base::Result;
using base::Status;

namespace {

using Type = OptionSpec::Type;

template <typename T>
T limit_or(const Json& limit, T fallback) {
  return limit.is_null() ? fallback : limit.get<T>();
}

/// A value of an option, checked; used for defaults and for what a run config gives.
Result<Json> read_value(const OptionSpec& spec, const YamlNode& node, const std::string& what) {
  switch (spec.type) {
    case Type::kBoolean: {
      GN_ASSIGN_OR_RETURN(const bool value, read_boolean(node, what));
      return Json(value);
    }
    case Type::kInteger: {
      using Limits = std::numeric_limits<std::int64_t>;
      GN_ASSIGN_OR_RETURN(const std::int64_t value,
                          read_integer(node, what, limit_or(spec.min, Limits::min()),
                                       limit_or(spec.max, Limits::max())));
      return Json(value);
    }
    case Type::kNumber: {
      using Limits = std::numeric_limits<double>;
      GN_ASSIGN_OR_RETURN(const double value,
                          read_number(node, what, limit_or(spec.min, Limits::lowest()),
                                      limit_or(spec.max, Limits::max())));
      return Json(value);
    }
    case Type::kText: {
      GN_ASSIGN_OR_RETURN(std::string value, read_text(node, what));
      return Json(std::move(value));
    }
    case Type::kChoice: {
      GN_ASSIGN_OR_RETURN(std::string value, read_choice(node, what, spec.choices));
      return Json(std::move(value));
    }
  }
  return Status(base::Code::kInternal, "unknown option type");
}

Status read_type(const MapReader& map, const YamlNode& node, OptionSpec& spec) {
  const YamlNode* type = map.find("type");
  const YamlNode* choices = map.find("enum");
  if ((type == nullptr) == (choices == nullptr)) {
    return error_at(node, map.path() + " needs either 'type' or 'enum'");
  }
  if (choices != nullptr) {
    spec.type = Type::kChoice;
    GN_ASSIGN_OR_RETURN(spec.choices, read_text_list(*choices, map.path_of("enum")));
    if (spec.choices.empty()) return error_at(*choices, map.path_of("enum") + " has no choice");
    return Status::ok();
  }
  GN_ASSIGN_OR_RETURN(
      const std::string name,
      read_choice(*type, map.path_of("type"), {"boolean", "integer", "number", "text"}));
  for (const Type candidate : {Type::kBoolean, Type::kInteger, Type::kNumber, Type::kText}) {
    if (name == option_type_name(candidate)) spec.type = candidate;
  }
  return Status::ok();
}

Status read_limit(const MapReader& map, const char* key, const OptionSpec& spec, Json& limit) {
  const YamlNode* node = map.find(key);
  if (node == nullptr) return Status::ok();
  if (spec.type != Type::kInteger && spec.type != Type::kNumber) {
    return error_at(*node, map.path_of(key) + " applies only to type integer and number");
  }
  GN_ASSIGN_OR_RETURN(limit, read_value(spec, *node, map.path_of(key)));
  return Status::ok();
}

bool is_variant_word(const std::string& word) {
  constexpr const char* kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789.-";
  return !word.empty() && word.size() <= 32 && word.find_first_not_of(kAllowed) == word.npos;
}

Status read_variants(const MapReader& map, OptionSpec& spec) {
  const YamlNode* node = map.find("variant");
  if (node == nullptr) return Status::ok();
  const std::string path = map.path_of("variant");
  if (spec.type != Type::kChoice) return error_at(*node, path + " applies only to enum");
  GN_RETURN_IF_ERROR(MapReader::open(*node, path, spec.choices).status());
  for (const YamlEntry& entry : node->entries) {
    GN_ASSIGN_OR_RETURN(std::string word, read_text(entry.value, path + "." + entry.key));
    if (!is_variant_word(word)) {
      return error_at(entry.value, path + "." + entry.key +
                                       " must be up to 32 of a-z, 0-9, '.' and '-', got " +
                                       describe(entry.value));
    }
    spec.variants[entry.key] = std::move(word);
  }
  return Status::ok();
}

Result<OptionSpec> read_spec(const YamlEntry& entry, const std::string& path) {
  GN_ASSIGN_OR_RETURN(const MapReader map, MapReader::open(entry.value, path));
  OptionSpec spec;
  spec.name = entry.key;
  GN_RETURN_IF_ERROR(read_type(map, entry.value, spec));
  GN_RETURN_IF_ERROR(read_variants(map, spec));
  // Both limits are read before either is set: a limit is checked for type, not for range.
  Json min;
  Json max;
  GN_RETURN_IF_ERROR(read_limit(map, "min", spec, min));
  GN_RETURN_IF_ERROR(read_limit(map, "max", spec, max));
  if (!min.is_null() && !max.is_null() && min > max) {
    return error_at(*map.find("max"), map.path_of("max") + " is less than min");
  }
  spec.min = std::move(min);
  spec.max = std::move(max);
  GN_ASSIGN_OR_RETURN(const YamlNode* default_value, map.require("default"));
  GN_ASSIGN_OR_RETURN(spec.default_value, read_value(spec, *default_value, map.path_of("default")));
  GN_ASSIGN_OR_RETURN(const YamlNode* help, map.require("help"));
  GN_ASSIGN_OR_RETURN(spec.help, read_text(*help, map.path_of("help")));
  return spec;
}

}  // namespace

MapKeys option_keys(const std::string& path) {
  return {path, {"type", "enum", "default", "min", "max", "help", "variant"}, {"default", "help"}};
}

Result<std::vector<OptionSpec>> read_option_specs(const YamlNode& node, const std::string& path) {
  if (node.kind != YamlNode::Kind::kMap) {
    return error_at(node, path + " must be a map of option names, got " + describe(node));
  }
  std::vector<OptionSpec> specs;
  for (const auto& entry : node.entries) {
    GN_ASSIGN_OR_RETURN(OptionSpec spec, read_spec(entry, path + "." + entry.key));
    specs.push_back(std::move(spec));
  }
  return specs;
}

Result<Json> resolve_options(const std::vector<OptionSpec>& specs, const YamlNode* given) {
  const std::string path = "backend.options";
  std::vector<std::string> names;
  names.reserve(specs.size());
  for (const auto& spec : specs) names.push_back(spec.name);
  if (given != nullptr) GN_RETURN_IF_ERROR(MapReader::open(*given, path, names).status());
  Json options = Json::object();
  for (const auto& spec : specs) {
    const YamlNode* node = given != nullptr ? given->find(spec.name) : nullptr;
    if (node == nullptr) {
      options[spec.name] = spec.default_value;
      continue;
    }
    GN_ASSIGN_OR_RETURN(options[spec.name], read_value(spec, *node, path + "." + spec.name));
  }
  return options;
}

std::string variant_name(const std::string& plugin, const std::vector<OptionSpec>& specs,
                         const Json& options) {
  std::string name = plugin;
  for (const auto& spec : specs) {
    if (spec.variants.empty()) continue;
    const auto word = spec.variants.find(options.at(spec.name).get<std::string>());
    if (word != spec.variants.end()) name += "+" + word->second;
  }
  return name;
}

const char* option_type_name(Type type) {
  switch (type) {
    case Type::kBoolean:
      return "boolean";
    case Type::kInteger:
      return "integer";
    case Type::kNumber:
      return "number";
    case Type::kText:
      return "text";
    case Type::kChoice:
      return "enum";
  }
  return "?";
}

}  // namespace graphnet::config
