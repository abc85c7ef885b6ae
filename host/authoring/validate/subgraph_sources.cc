// SPDX-License-Identifier: MIT
#include "validate/subgraph_sources.h"

#include <algorithm>
#include <system_error>

#include "base/file.h"
#include "sample/lexer.h"

namespace graphnet::validate {

namespace fs = std::filesystem;
using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

bool is_range(const Json& range) {
  const bool is_pair = range.is_array() && range.size() == 2 && range[0].is_number_integer() &&
                       range[1].is_number_integer();
  return is_pair && range[0] >= 0 && range[0] < range[1];
}

}  // namespace

Result<SubgraphSources> parse_sources(std::string_view text, const std::string& file) {
  GN_ASSIGN_OR_RETURN(const Json json, base::parse_json(text, file));
  if (!json.is_object()) return Status(Code::kInput, file + ": not a JSON object");
  SubgraphSources sources;
  for (const auto& [name, ranges] : json.items()) {
    if (!ranges.is_array() || !std::all_of(ranges.begin(), ranges.end(), is_range)) {
      return Status(Code::kInput, file + ": '" + name + "' has no list of ranges [first, end)");
    }
    auto& known = sources[name];
    for (const Json& range : ranges) {
      known.emplace(range[0].get<std::int64_t>(), range[1].get<std::int64_t>());
    }
  }
  return sources;
}

Result<SubgraphSources> read_sources(const fs::path& folder) {
  const fs::path file = folder / kSourcesFile;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return SubgraphSources();
  GN_ASSIGN_OR_RETURN(const std::string text, base::read_file(file, sample::kMaxSourceBytes));
  return parse_sources(text, file.string());
}

Json sources_json(const SubgraphSources& sources) {
  Json json = Json::object();
  for (const auto& [name, ranges] : sources) {
    Json list = Json::array();
    for (const auto& [first, end] : ranges) list.push_back(Json::array({first, end}));
    json[name] = std::move(list);
  }
  return json;
}

}  // namespace graphnet::validate
