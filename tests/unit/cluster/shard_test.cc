// SPDX-License-Identifier: MIT
#include "cluster/shard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace graphnet::cluster {
namespace shard_test {

TEST(Shard, IsReadFromText) {
  const auto shard = parse_shard("3/8");
  ASSERT_TRUE(shard.is_ok());
  EXPECT_EQ(shard->number, 3);
  EXPECT_EQ(shard->count, 8);
  for (const char* text : {"", "3", "3/", "/8", "0/8", "9/8", "-1/8", "3/8x", "3 / 8", "a/b", "3/0",
                           "1/100001", "1/99999999999999"}) {
    EXPECT_EQ(parse_shard(text).status().code(), base::Code::kUsage) << text;
  }
}

TEST(ShardMembers, TheCostliestComeFirst) {
  const std::vector<double> costs = {1, 9, 5, 5, 2};
  using Items = std::vector<std::size_t>;
  EXPECT_EQ(shard_members(costs, {1, 1}), (Items{1, 2, 3, 4, 0}));
  EXPECT_EQ(shard_members(costs, {1, 2}), (Items{1, 4}));
  EXPECT_EQ(shard_members(costs, {2, 2}), (Items{2, 3, 0}));
  EXPECT_EQ(shard_members(costs, {7, 7}), Items{});
  EXPECT_EQ(shard_members({}, {1, 1}), Items{});
}

// Every item is in one shard, and no shard has more than 4/3 of a bound that no split can beat.
TEST(ShardMembers, AreADisjointAndBalancedCover) {
  std::mt19937 random(20261121);
  std::lognormal_distribution<double> cost(0, 2);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> costs(random() % 300);
    for (double& value : costs) value = round % 3 == 0 ? 1 : cost(random);
    const int count = 1 + static_cast<int>(random() % 20);
    const double total = std::accumulate(costs.begin(), costs.end(), 0.0);
    const double largest = costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
    const double bound = std::max(largest, total / count);
    std::vector<int> seen(costs.size(), 0);
    for (int number = 1; number <= count; ++number) {
      double load = 0;
      double last = std::numeric_limits<double>::infinity();
      for (const std::size_t item : shard_members(costs, {number, count})) {
        ++seen[item];
        load += costs[item];
        EXPECT_LE(costs[item], last);
        last = costs[item];
      }
      // Graham: the last item of a shard came when its load was at most the mean.
      EXPECT_LE(load, total / count + largest + 1e-9);
      if (largest <= bound / 3) {
        EXPECT_LE(load, bound * 4 / 3 + 1e-9);
      }
    }
    EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
  }
}

}  // namespace shard_test
}  // namespace graphnet::cluster
