// SPDX-License-Identifier: MIT
#include "conformance/gaps.h"

#include <fnmatch.h>

#include <utility>

#include "config/yaml_reader.h"

namespace graphnet::conformance {

namespace {

using base::Result;
using base::Status;

Result<Expect> read_expect(const config::YamlNode& node, const std::string& path) {
  GN_ASSIGN_OR_RETURN(const std::string word, config::read_text(node, path));
  if (word == "unsupported") return Expect::kUnsupported;
  if (word == "wrong") return Expect::kWrong;
  if (word == "varies") return Expect::kVaries;
  return config::error_at(node, "expected 'unsupported', 'wrong' or 'varies'");
}

Result<Gap> read_gap(const config::YamlNode& node, const std::string& list) {
  GN_ASSIGN_OR_RETURN(const auto map,
                      config::MapReader::open(node, list, {"case", "expect", "option", "reason"}));
  Gap gap;
  gap.is_permanent = list == "never";
  GN_ASSIGN_OR_RETURN(const config::YamlNode* name, map.require("case"));
  GN_ASSIGN_OR_RETURN(gap.pattern, config::read_text(*name, map.path_of("case")));
  GN_ASSIGN_OR_RETURN(const config::YamlNode* reason, map.require("reason"));
  GN_ASSIGN_OR_RETURN(gap.reason, config::read_text(*reason, map.path_of("reason")));
  GN_ASSIGN_OR_RETURN(const config::YamlNode* expect, map.require("expect"));
  GN_ASSIGN_OR_RETURN(gap.expect, read_expect(*expect, map.path_of("expect")));
  const config::YamlNode* option = map.find("option");
  if (option == nullptr) return gap;
  GN_ASSIGN_OR_RETURN(gap.option, config::read_text(*option, map.path_of("option")));
  if (gap.option.find('=') == std::string::npos) {
    return config::error_at(*option, "expected NAME=VALUE");
  }
  return gap;
}

Status read_list(const config::MapReader& root, const std::string& list, std::vector<Gap>& gaps) {
  const config::YamlNode* node = root.find(list);
  if (node == nullptr) return Status::ok();
  GN_RETURN_IF_ERROR(config::expect_sequence(*node, list));
  for (const config::YamlNode& item : node->items) {
    GN_ASSIGN_OR_RETURN(Gap gap, read_gap(item, list));
    gaps.push_back(std::move(gap));
  }
  return Status::ok();
}

}  // namespace

Result<std::vector<Gap>> read_gaps(const std::filesystem::path& file) {
  std::vector<Gap> gaps;
  if (!std::filesystem::exists(file)) return gaps;
  GN_ASSIGN_OR_RETURN(const config::YamlNode document, config::read_yaml(file));
  GN_ASSIGN_OR_RETURN(const auto root, config::MapReader::open(document, "", {"never", "not_yet"}));
  GN_RETURN_IF_ERROR(read_list(root, "never", gaps));
  GN_RETURN_IF_ERROR(read_list(root, "not_yet", gaps));
  return gaps;
}

std::vector<Gap> gaps_under(const std::vector<Gap>& gaps, const base::Json& options) {
  std::vector<Gap> chosen;
  for (const Gap& gap : gaps) {
    const std::size_t equals = gap.option.find('=');
    const std::string name = gap.option.substr(0, equals);
    if (gap.option.empty()) {
      chosen.push_back(gap);
    } else if (options.contains(name)) {
      const base::Json& value = options[name];
      const std::string text =
          value.is_string() ? value.get<std::string>() : base::dump_json(value);
      if (text == gap.option.substr(equals + 1)) chosen.push_back(gap);
    }
  }
  return chosen;
}

const Gap* find_gap(const std::vector<Gap>& gaps, const std::string& name) {
  for (const Gap& gap : gaps) {
    if (fits(gap.pattern, name)) return &gap;
  }
  return nullptr;
}

bool fits(const std::string& pattern, const std::string& name) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

}  // namespace graphnet::conformance
