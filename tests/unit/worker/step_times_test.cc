// SPDX-License-Identifier: MIT
#include "worker/step_times.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace graphnet::worker {
namespace step_times_test {

TEST(StepTimes, AddUpToThePhase) {
  StepTimes steps;
  const auto sleep = [&] {
    const ScopedStep step(steps, "sleeping");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  sleep();
  { const ScopedStep step(steps, "working"); }
  sleep();
  { const ScopedStep step(steps, "sleeping"); }
  const base::Json json = steps.json();
  ASSERT_EQ(json.size(), 3U) << base::dump_json(json);
  double sum = 0;
  for (const base::Json& step : json) sum += step[1].get<double>();
  EXPECT_EQ(json[0][0], "sleeping");
  EXPECT_EQ(json[1][0], "working");
  EXPECT_EQ(sum, steps.total_ns());
  EXPECT_EQ(steps.total_ns("sleeping"), json[0][1].get<double>() + json[2][1].get<double>());
  EXPECT_GE(steps.total_ns("sleeping"), 4e6);
  EXPECT_EQ(steps.total_ns("nothing"), 0);
}

TEST(StepTimes, CountCodeBetweenTwoStepsToTheSecond) {
  StepTimes steps;
  { const ScopedStep step(steps, "first"); }
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  { const ScopedStep step(steps, "second"); }
  EXPECT_GE(steps.total_ns("second"), 2e6);
}

// A call that fails returns from the middle of its step.
TEST(StepTimes, EndAStepThatReturnsEarly) {
  StepTimes steps;
  const auto fails = [&] {
    const ScopedStep step(steps, "failing");
    return false;
  };
  EXPECT_FALSE(fails());
  ASSERT_EQ(steps.json().size(), 1U);
  EXPECT_EQ(steps.json()[0][0], "failing");
}

}  // namespace step_times_test
}  // namespace graphnet::worker
