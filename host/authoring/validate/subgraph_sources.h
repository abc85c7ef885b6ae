// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/result.h"

namespace graphnet::validate {

inline constexpr const char* kSourcesFile = "subgraph_sources.json";

/// Where a subgraph comes from: by the path of the original sample, the ranges [first, end) of its
/// operators.
///
/// source   GraphNet subgraph_range_util
using SubgraphSources = std::map<std::string, std::set<std::pair<std::int64_t, std::int64_t>>>;

/// Reads a subgraph_sources.json.
///
/// errors   kInput: not a JSON object, or a member of it is no list of ranges
base::Result<SubgraphSources> parse_sources(std::string_view text, const std::string& file);

/// The same of a sample's folder; none if it has no such file.
base::Result<SubgraphSources> read_sources(const std::filesystem::path& folder);

/// As upstream's merge_subgraph_ranges: paths and ranges in ascending order, each once.
base::Json sources_json(const SubgraphSources& sources);

}  // namespace graphnet::validate
