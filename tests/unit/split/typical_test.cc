// SPDX-License-Identifier: MIT
#include "split/typical.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace graphnet::split {
namespace typical_test {

/// One operator a letter; between brackets they are inside a region.
std::vector<Operator> operators(const std::string& letters) {
  std::vector<Operator> result;
  bool is_inside = false;
  for (const char letter : letters) {
    result.push_back({result.size(), result.size() + 1, std::string(1, letter), is_inside});
    if (letter == '(' || letter == ')') is_inside = letter == '(';
  }
  return result;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name;
  return text;
}

TEST(Typical, TakesWhatSavesMost) {
  const auto found =
      typical_sequences({operators("abcdxabcdy"), operators("zabcdefghi"), operators("efghiq")});
  ASSERT_EQ(found.size(), 2U);
  // 3 x 2 for abcd, 4 x 1 for efghi.
  EXPECT_EQ(joined(found[0].names), "abcd");
  ASSERT_EQ(found[0].occurrences.size(), 3U);
  EXPECT_EQ(found[0].occurrences[1].range, (Range{5, 9}));
  EXPECT_EQ(found[0].occurrences[2].sample, 1U);
  EXPECT_EQ(joined(found[1].names), "efghi");
}

TEST(Typical, DoesNotOverlap) {
  const auto found = typical_sequences({operators("aaaaaaaaa")}, {2, 64});
  ASSERT_FALSE(found.empty());
  // Four times two letters save as much as twice four.
  std::set<std::size_t> taken;
  for (const TypicalSequence& sequence : found) {
    for (const Occurrence& place : sequence.occurrences) {
      for (std::size_t i = place.range.first; i < place.range.end; ++i) {
        EXPECT_TRUE(taken.insert(i).second) << i;
      }
    }
  }
}

TEST(Typical, KeepsToItsLimits) {
  EXPECT_TRUE(typical_sequences({operators("abc1abc2")}, {4, 64}).empty());
  EXPECT_EQ(joined(typical_sequences({operators("abc1abc2")}, {3, 64})[0].names), "abc");
  const auto found = typical_sequences({operators("abcdefabcdef")}, {2, 4});
  for (const TypicalSequence& sequence : found) EXPECT_LT(sequence.names.size(), 4U);
}

TEST(Typical, EndsAtRegions) {
  // The opening and the closing call belong to the region.
  const auto found = typical_sequences({operators("abcd(ef)abcd(ef)")}, {2, 64});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(joined(found[0].names), "abcd");
}

std::size_t count_of(const std::string& letters, const std::string& part, std::size_t step) {
  std::size_t count = 0;
  for (std::size_t at = letters.find(part); at != std::string::npos;
       at = letters.find(part, at + step)) {
    ++count;
  }
  return count;
}

/// Whether the part occurs less often with any letter behind it.
bool is_whole(const std::string& letters, const std::string& part) {
  const std::size_t count = count_of(letters, part, 1);
  for (const char letter : {'a', 'b', 'c'}) {
    if (count_of(letters, part + letter, 1) == count) return false;
  }
  return true;
}

/// The largest gain of any whole repeat, by trying all.
std::size_t best_gain(const std::string& letters, const TypicalLimits& limits) {
  std::size_t best = 0;
  for (std::size_t first = 0; first < letters.size(); ++first) {
    for (std::size_t length = limits.fewest;
         length < limits.end && first + length <= letters.size(); ++length) {
      const std::string part = letters.substr(first, length);
      if (length + 1 < limits.end && !is_whole(letters, part)) continue;
      const std::size_t count = count_of(letters, part, length);
      if (count > 1) best = std::max(best, (length - 1) * (count - 1));
    }
  }
  return best;
}

TEST(Typical, FindsTheBestOfRandomTexts) {
  std::mt19937 random(1);
  const TypicalLimits limits = {3, 20};
  for (int round = 0; round < 200; ++round) {
    std::string letters;
    for (int i = 0; i < 60; ++i) letters += static_cast<char>('a' + random() % 3);
    const auto found = typical_sequences({operators(letters)}, limits);
    const std::size_t gain =
        found.empty() ? 0 : (found[0].names.size() - 1) * (found[0].occurrences.size() - 1);
    EXPECT_EQ(gain, best_gain(letters, limits)) << letters;
    for (const TypicalSequence& sequence : found) {
      for (const Occurrence& place : sequence.occurrences) {
        EXPECT_EQ(letters.substr(place.range.first, place.range.size()), joined(sequence.names));
      }
    }
  }
}

}  // namespace typical_test
}  // namespace graphnet::split
