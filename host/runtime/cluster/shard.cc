// SPDX-License-Identifier: MIT
#include "cluster/shard.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <queue>
#include <utility>

namespace graphnet::cluster {

using base::Code;
using base::Result;
using base::Status;

Result<Shard> parse_shard(const std::string& text) {
  Shard shard;
  const char* const end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, shard.number);
  const bool has_slash = number.ec == std::errc() && number.ptr != end && *number.ptr == '/';
  if (has_slash) {
    const auto count = std::from_chars(number.ptr + 1, end, shard.count);
    const bool is_whole = count.ec == std::errc() && count.ptr == end;
    if (is_whole && shard.number >= 1 && shard.number <= shard.count && shard.count <= kMaxShards) {
      return shard;
    }
  }
  return Status(Code::kUsage, "--shard must be I/N, 1 <= I <= N; got '" + text + "'");
}

std::vector<std::size_t> shard_members(const std::vector<double>& costs, Shard shard) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return costs[a] > costs[b]; });
  using Load = std::pair<double, int>;  // of equal loads the lower number is taken
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (int number = 1; number <= shard.count; ++number) loads.emplace(0.0, number);
  std::vector<std::size_t> members;
  for (const std::size_t item : order) {
    const auto [load, number] = loads.top();
    loads.pop();
    loads.emplace(load + costs[item], number);
    if (number == shard.number) members.push_back(item);
  }
  return members;
}

}  // namespace graphnet::cluster
