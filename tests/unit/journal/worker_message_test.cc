// SPDX-License-Identifier: MIT
#include "journal/worker_message.h"

#include <gtest/gtest.h>

namespace graphnet::journal {
namespace worker_message_test {

Task full_task() {
  Task task;
  task.sample_path = "samples/a/b";
  task.plugin_library = "/lib/nope.so";
  task.plugin_name = "nope";
  task.plugin_version = "0.1.0";
  task.plugin_options = {{"level", 3}};
  task.threads = 2;
  task.warmup = 1;
  task.trials = 7;
  task.digest = true;
  task.proof = "counts";
  task.math.tf32 = task.math.flush_denormals = true;
  task.limits_itself = false;
  task.asks = true;
  task.command = "graphnet run";
  task.run_id = "id";
  return task;
}

TEST(Task, SurvivesTheRoundTripAsOneLine) {
  const std::string line = base::dump_json(to_json(full_task()));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto json = base::parse_json(line, "test");
  const auto task = task_from_json(*json);
  ASSERT_TRUE(task.is_ok()) << task.status().to_string();
  EXPECT_EQ(base::dump_json(to_json(*task)), line);
}

TEST(Task, EveryKeyIsRequiredAndTyped) {
  const base::Json good = to_json(full_task());
  for (const auto& [key, value] : good.items()) {
    base::Json json = good;
    json.erase(key);
    EXPECT_NE(task_from_json(json).status().message().find(key), std::string::npos) << key;
    json = good;
    json[key] = base::Json::array();
    EXPECT_NE(task_from_json(json).status().message().find(key), std::string::npos) << key;
  }
}

TEST(Task, CountsAreChecked) {
  for (const char* key : {"threads", "warmup", "trials"}) {
    base::Json json = to_json(full_task());
    json[key] = -1;
    EXPECT_EQ(task_from_json(json).status().code(), base::Code::kInput) << key;
  }
}

}  // namespace worker_message_test
}  // namespace graphnet::journal
