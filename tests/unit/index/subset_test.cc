// SPDX-License-Identifier: MIT
#include "index/subset.h"

#include <gtest/gtest.h>

namespace graphnet::index {
namespace subset_test {

using Sequences = std::vector<std::vector<std::string>>;

/// One operator a letter.
Sequences sequences(const std::vector<std::string>& texts) {
  Sequences result;
  for (const std::string& text : texts) {
    std::vector<std::string>& sequence = result.emplace_back();
    for (const char letter : text) sequence.emplace_back(1, letter);
  }
  return result;
}

std::vector<std::size_t> positions(const Subset& subset) {
  std::vector<std::size_t> result;
  for (const Choice& choice : subset.chosen) result.push_back(choice.position);
  return result;
}

const Sequences kSeven = sequences({"abcd", "abc", "cc", "x", "ababqr", "dcba", ""});

// source: GraphNet select_evaluation_subset, run on the same sequences
TEST(Subset, IsUpstreams) {
  const Subset subset = choose_subset(kSeven, 6);
  EXPECT_EQ(positions(subset), (std::vector<std::size_t>{4, 5, 0, 2, 1, 3}));
  EXPECT_DOUBLE_EQ(subset.chosen[0].rarity, 0.5072000855444192);
  EXPECT_DOUBLE_EQ(subset.chosen[1].rarity, 0.6743697982742871);
  EXPECT_DOUBLE_EQ(subset.chosen[2].rarity, 0.6728772610661431);
}

TEST(Subset, FewerAreTheBeginningOfMore) {
  const auto all = positions(choose_subset(kSeven, 7));
  for (std::size_t count = 1; count < 7; ++count) {
    const auto some = positions(choose_subset(kSeven, count));
    ASSERT_EQ(some.size(), count);
    EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin())) << count;
  }
}

TEST(Subset, CountsPairs) {
  const Subset one = choose_subset(kSeven, 1);
  EXPECT_EQ(one.num_edges, 9U);
  EXPECT_EQ(one.num_covered, one.chosen[0].new_edges);
  const Subset all = choose_subset(kSeven, 7);
  EXPECT_EQ(all.num_covered, all.num_edges);
}

TEST(Subset, IsAllWhereMoreIsAsked) {
  EXPECT_EQ(choose_subset(kSeven, 100).chosen.size(), 7U);
  EXPECT_TRUE(choose_subset({}, 3).chosen.empty());
  EXPECT_TRUE(choose_subset(kSeven, 0).chosen.empty());
}

TEST(Subset, OfEqualOnesTakesTheFirst) {
  EXPECT_EQ(positions(choose_subset(sequences({"ab", "ab", "ab"}), 2)),
            (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(positions(choose_subset(sequences({"", "a", "b"}), 2)),
            (std::vector<std::size_t>{0, 1}));
}

TEST(Subset, RepeatsASequenceAfterAllOthers) {
  EXPECT_EQ(positions(choose_subset(sequences({"a", "a", "b", "a", "b"}), 5)),
            (std::vector<std::size_t>{0, 2, 1, 4, 3}));
  EXPECT_EQ(positions(choose_subset(sequences({"abc", "abc", "ab"}), 3)),
            (std::vector<std::size_t>{0, 2, 1}));
}

}  // namespace subset_test
}  // namespace graphnet::index
