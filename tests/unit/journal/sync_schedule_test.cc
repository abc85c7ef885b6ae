// SPDX-License-Identifier: MIT
#include "journal/sync_schedule.h"

#include <gtest/gtest.h>

#include <optional>

namespace graphnet::journal {
namespace sync_schedule_test {

/// Appends records at a steady rate for ten seconds of a clock of its own.
class SyncScheduleTest : public ::testing::Test {
 protected:
  SyncScheduleTest() {
    SyncRule rule;
    rule.now_ns = [this] { return now_ns_; };
    schedule_.emplace(rule);
  }

  std::size_t syncs_of(double records_per_second) {
    const std::size_t before = schedule_->num_syncs();
    const auto step = static_cast<std::int64_t>(1e9 / records_per_second);
    for (std::int64_t end = now_ns_ + 10'000'000'000; now_ns_ < end;) {
      now_ns_ += step;
      if (schedule_->is_due_after_append()) schedule_->on_synced();
    }
    return schedule_->num_syncs() - before;
  }

  std::int64_t now_ns_ = 1'000'000'000'000;
  std::optional<SyncSchedule> schedule_;
};

TEST_F(SyncScheduleTest, SlowRecordsAreSyncedOneByOne) {
  EXPECT_EQ(syncs_of(1), 10u);
  EXPECT_EQ(syncs_of(40), 400u);
}

TEST_F(SyncScheduleTest, FastOnesTenTimesASecond) {
  syncs_of(200);  // the first records come before the rate is known
  for (const double rate : {60.0, 200.0, 5000.0}) {
    const std::size_t syncs = syncs_of(rate);
    EXPECT_GE(syncs, 80u) << rate;
    EXPECT_LE(syncs, 101u) << rate;
  }
}

TEST_F(SyncScheduleTest, APauseMakesTheNextRecordDue) {
  syncs_of(5000);
  now_ns_ += 100'000'000;
  EXPECT_TRUE(schedule_->is_due_after_append());
  EXPECT_TRUE(schedule_->is_pending());
  schedule_->on_synced();
  EXPECT_FALSE(schedule_->is_pending());
  EXPECT_FALSE(schedule_->is_due_after_append());
  EXPECT_TRUE(schedule_->is_pending());
}

}  // namespace sync_schedule_test
}  // namespace graphnet::journal
