// SPDX-License-Identifier: MIT
#include "cli/control_runs.h"

#include <gtest/gtest.h>

#include "support/mentions.h"

namespace graphnet::cli {
namespace control_runs_test {

TEST(Judge, WarnsOfThreadsThatStayOnTheCores) {
  record::Record record;
  record.outcome = record::Outcome::kOk;
  record.timing.disturbed = std::string(12, '0');
  record.timing.controls = 3;
  const auto warning = [&](std::int64_t given_up) {
    record.timing.idle_timeouts = given_up;
    for (const std::string& each : judge(record).warnings) {
      if (tests::mentions(each, {"still ran"})) return each;
    }
    return std::string();
  };
  EXPECT_EQ(warning(0), "");
  EXPECT_EQ(warning(7), "");
  EXPECT_TRUE(tests::mentions(warning(8), {"8 of about 30 side samples", "sleep"}));
}

}  // namespace control_runs_test
}  // namespace graphnet::cli
