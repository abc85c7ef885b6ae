// SPDX-License-Identifier: MIT
#include "supervise/memory_budget.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>

namespace graphnet::supervise {
namespace memory_budget_test {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(MemoryBudget, ExpectsThePlanOrWhatWasSeenAndAQuarterMore) {
  MemoryBudget budget;
  EXPECT_EQ(budget.expected("a/b", 1000), 1250);
  record::Record record;
  record.sample = "a/b";
  budget.note(record);
  EXPECT_EQ(budget.expected("a/b", 1000), 1250);
  record.peak_rss_bytes = 4000;
  budget.note(record);
  record.peak_rss_bytes = 3000;
  budget.note(record);
  EXPECT_EQ(budget.expected("a/b", 1000), 5000);
  EXPECT_EQ(budget.expected("a/b", 8000), 10000);
  EXPECT_EQ(budget.expected("a/c", 1000), 1250);
  EXPECT_EQ(budget.expected("a/b", kMost), kMost);
}

TEST(MemoryBudget, LeavesRoomForWhatOthersHaveNotTakenYet) {
  EXPECT_TRUE(MemoryBudget::fits(kMost, 0, {})) << "alone";
  EXPECT_TRUE(MemoryBudget::fits(700, 800, {{100, 100}}));
  EXPECT_FALSE(MemoryBudget::fits(701, 800, {{100, 100}}));
  EXPECT_FALSE(MemoryBudget::fits(700, 800, {{100, 99}}));
  EXPECT_TRUE(MemoryBudget::fits(600, 800, {{100, 50}, {100, 50}}));
  EXPECT_TRUE(MemoryBudget::fits(700, 800, {{100, 500}}))
      << "more than was expected is gone anyway";
  EXPECT_FALSE(MemoryBudget::fits(1, 800, {{kMost, 0}, {kMost, 0}}));
}

TEST(MemoryBudget, ReadsWhatAProcessHas) {
  EXPECT_GT(resident_bytes(::getpid()), 1 << 20);
  EXPECT_EQ(resident_bytes(-1), 0);
}

}  // namespace memory_budget_test
}  // namespace graphnet::supervise
