// SPDX-License-Identifier: MIT
#include "cli/record_check.h"

#include <gtest/gtest.h>

#include "journal/task_key.h"

namespace graphnet::cli {
namespace record_check_test {

record::Record record_with_threads(int threads) {
  record::Record record;
  record.sample = "family/model";
  record.plugin = "nope";
  record.threads = threads;
  record.environment.cpu_model = "EPYC";
  record.environment.hardware_class =
      threads == 1 ? "EPYC/1 thread" : "EPYC/" + std::to_string(threads) + " threads";
  journal::TaskIdentity identity;
  identity.sample = record.sample;
  identity.hardware = "EPYC/1 thread";
  identity.task.plugin_name = record.plugin;
  identity.task.threads = threads;
  identity.task.device = record.device;
  identity.task.weights = record.weights;
  identity.task.protocol = record.protocol;
  identity.task.protocol_settings = record.protocol_settings;
  identity.task.warmup = record.warmup;
  identity.task.trials = record.trials;
  identity.task.math = record.math;
  record.task_key = journal::task_key(identity);
  return record;
}

TEST(RecordCheck, FindsTheKeyOfARunOfSeveralThreads) {
  EXPECT_TRUE(contradictions(record_with_threads(1), {}).empty());
  EXPECT_TRUE(contradictions(record_with_threads(2), {}).empty());
}

TEST(RecordCheck, ATaskOfAnotherKeyIsAFinding) {
  record::Record other = record_with_threads(2);
  other.threads = 1;
  EXPECT_EQ(contradictions(other, {}).size(), 1U);
  other = record_with_threads(2);
  other.environment.cpu_model = "Xeon";
  EXPECT_EQ(contradictions(other, {}).size(), 1U);
}

// A record without its machine's processor takes that of the evaluation's machines.
TEST(RecordCheck, TheProcessorMayBeTheHosts) {
  record::Record record = record_with_threads(2);
  record.environment.cpu_model.clear();
  EXPECT_TRUE(contradictions(record, base::Json{{"cpu_model", "EPYC"}}).empty());
  EXPECT_FALSE(contradictions(record, base::Json{{"cpu_model", "Xeon"}}).empty());
}

}  // namespace record_check_test
}  // namespace graphnet::cli
