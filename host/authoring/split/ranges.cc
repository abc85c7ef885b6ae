// SPDX-License-Identifier: MIT
#include "split/ranges.h"

#include <algorithm>
#include <cstdint>

#include "base/json.h"
#include "split/liveness.h"

namespace graphnet::split {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

std::size_t clamped(std::int64_t position, std::size_t num_operators) {
  const auto end = static_cast<std::int64_t>(num_operators);
  if (position < 0) position += end;
  return static_cast<std::size_t>(std::clamp<std::int64_t>(position, 0, end));
}

bool is_list_of_integers(const Json& json) {
  return json.is_array() && std::all_of(json.begin(), json.end(),
                                        [](const Json& one) { return one.is_number_integer(); });
}

bool is_list_of_pairs(const Json& json) {
  return json.is_array() && std::all_of(json.begin(), json.end(), [](const Json& one) {
           return is_list_of_integers(one) && one.size() == 2;
         });
}

}  // namespace

std::vector<Range> ranges_between(std::vector<std::size_t> cuts, std::size_t num_operators) {
  for (std::size_t& cut : cuts) cut = std::min(cut, num_operators);
  cuts.push_back(0);
  cuts.push_back(num_operators);
  std::sort(cuts.begin(), cuts.end());
  std::vector<Range> ranges;
  for (std::size_t i = 1; i < cuts.size(); ++i) {
    if (cuts[i - 1] < cuts[i]) ranges.push_back({cuts[i - 1], cuts[i]});
  }
  return ranges;
}

std::vector<Range> single_operators(const std::vector<Operator>& operators) {
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    if (check_range(operators, {i, i + 1}).is_ok()) ranges.push_back({i, i + 1});
  }
  return ranges;
}

std::vector<Range> ranges_of_size(const graph::Program& program,
                                  const std::vector<Operator>& operators, std::size_t fewest,
                                  std::size_t most) {
  std::vector<std::size_t> places;
  for (const Operator& one : operators) places.push_back(one.first);
  const std::vector<Variables> live = live_at(program, places);
  std::vector<std::size_t> cuts;
  for (std::size_t first = 0; first + most < operators.size();) {
    std::size_t best = 0;
    for (std::size_t cut = first + std::max<std::size_t>(fewest, 1); cut < operators.size();
         ++cut) {
      if (cut > first + most && best > 0) break;
      if (operators[cut].opens_inside) continue;
      if (best == 0 || live[cut].size() <= live[best].size()) best = cut;
    }
    if (best == 0) break;
    cuts.push_back(best);
    first = best;
  }
  return ranges_between(std::move(cuts), operators.size());
}

Result<std::vector<Range>> read_ranges(const Json& json, const std::string& path,
                                       std::size_t num_operators) {
  const Json own = json.is_object() && json.contains(path) ? json[path] : json;
  const Json ranges = own.is_object() ? own.value("subgraph_ranges", Json()) : Json();
  const Json positions = own.is_object() ? own.value("split_positions", Json()) : Json();
  if (is_list_of_integers(positions)) {
    std::vector<std::size_t> cuts;
    for (const Json& one : positions) {
      cuts.push_back(clamped(one.get<std::int64_t>(), num_operators));
    }
    return ranges_between(std::move(cuts), num_operators);
  }
  if (!is_list_of_pairs(ranges)) {
    return Status(Code::kInput, "neither 'subgraph_ranges' nor 'split_positions' of '" + path + "'")
        .add_hint("{\"subgraph_ranges\": [[0, 8], [8, 20]]}");
  }
  std::vector<Range> result;
  for (const Json& one : ranges) {
    const Range range = {clamped(one[0].get<std::int64_t>(), num_operators),
                         clamped(one[1].get<std::int64_t>(), num_operators)};
    if (range.first < range.end) result.push_back(range);
  }
  return result;
}

std::string ranges_text(const std::string& model_name, const std::vector<Range>& ranges,
                        std::size_t num_operators) {
  Json pairs = Json::array();
  for (const Range& range : ranges) pairs.push_back(Json::array({range.first, range.end}));
  const Json json = {{"model_name", model_name},
                     {"subgraph_ranges", std::move(pairs)},
                     {"total_length", num_operators}};
  return base::dump_json(json, 4) + "\n";
}

}  // namespace graphnet::split
