// SPDX-License-Identifier: MIT
#include "supervise/control.h"

#include <gtest/gtest.h>

namespace graphnet::supervise {
namespace control_test {

record::Record record_of(const base::Json& experiments) {
  record::Record record;
  record.outcome = record::Outcome::kOk;
  record.threads = 2;
  record.timing.experiments = experiments;
  return record;
}

TEST(Control, FloorIsTheLargestErrorOnEitherSide) {
  const auto control = summarise_control(
      record_of({{{"speedup", 1.01}, {"speedup_low", 1.005}, {"speedup_high", 1.015}},
                 {{"speedup", 0.98}, {"speedup_low", 0.97}, {"speedup_high", 1.0}}}));
  ASSERT_TRUE(control.is_ok()) << control.status().to_string();
  EXPECT_EQ(control->experiments, 2);
  EXPECT_NEAR(control->noise_floor, 0.02, 1e-12);
  EXPECT_NEAR(control->bias, -0.005, 1e-12);
  EXPECT_EQ(control->coverage, 0.5);
  EXPECT_EQ(control->threads, 2);
}

TEST(Control, RefusesWhatIsIncomplete) {
  EXPECT_FALSE(summarise_control(record::Record()).is_ok());
  EXPECT_FALSE(summarise_control(record_of(base::Json::array())).is_ok());
  EXPECT_FALSE(summarise_control(record_of({{{"speedup", "1"}}})).is_ok());
  EXPECT_FALSE(summarise_control(record_of({7})).is_ok());
}

TEST(Control, TaskKeepsHowToTimeAndDropsThePlugin) {
  PlannedTask like;
  like.task.threads = 5;
  like.task.method = "paired";
  like.task.plugin_library = "/x/libgn_x.so";
  like.task.plugin_options = {{"level", 3}};
  like.limits["time"] = std::chrono::seconds(7);
  const PlannedTask control = make_control_task(like, "configs/control");
  EXPECT_TRUE(control.task.control);
  EXPECT_EQ(control.task.threads, 5);
  EXPECT_EQ(control.task.method, "paired");
  EXPECT_EQ(control.task.plugin_library, "");
  EXPECT_TRUE(control.task.plugin_options.empty());
  EXPECT_EQ(control.task.sample_path, "configs/control");
  EXPECT_EQ(control.limits.at("time"), std::chrono::seconds(7));
}

}  // namespace control_test
}  // namespace graphnet::supervise
