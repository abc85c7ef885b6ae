// SPDX-License-Identifier: MIT
#include "worker/step_times.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace graphnet::worker {
namespace {

TEST(StepTimes, AddUpToThePhase) {
  StepTimes steps;
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  steps.end("sleeping");
  steps.end("working");
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  steps.end("sleeping");
  steps.end("sleeping");
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

}  // namespace
}  // namespace graphnet::worker
