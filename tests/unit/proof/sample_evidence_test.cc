// SPDX-License-Identifier: MIT
#include "proof/sample_evidence.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include "support/mentions.h"
#include "unit/proof/generated_code.h"

namespace graphnet::proof {
namespace sample_evidence_test {

using tests::mentions;

constexpr std::int64_t kMs = 1'000'000;
constexpr int kOther = 2;

/// Calls of 10 ms, one every 20 ms, inputs 5 ms before each; samples are put in by the tests.
class Samples : public ::testing::Test {
 protected:
  Samples() {
    called.thread = ::getpid();
    called.fault_handler = 7;
    for (int i = 0; i < 4; ++i) {
      called.calls.push_back({(20 * i + 5) * kMs, (20 * i + 10) * kMs, (20 * i + 20) * kMs});
    }
    log.period_ns = kMs;
    own.push_back(torch_code.region(RegionKind::kDeny));
    own.push_back(plugin_code.region(RegionKind::kExpect));
    if (own[0].mapping.start > own[1].mapping.start) std::swap(own[0], own[1]);
  }
  void add(const tests::GeneratedCode& code, std::int64_t time_ms, int thread, bool waits = false) {
    log.samples.push_back({code.window(0), thread, waits, time_ms * kMs, 7});
  }
  void add_honest(int count) {
    for (int i = 0; i < count; ++i) add(plugin_code, 15, called.thread);
  }
  SampleEvidence judged() const { return judge_samples(log, called, own); }

  tests::GeneratedCode torch_code{1};
  tests::GeneratedCode plugin_code{1};
  std::vector<Region> own;
  SampleLog log;
  SampledCalls called;
};

TEST_F(Samples, AccuseFromThreeOnThatAreATwentieth) {
  add_honest(38);
  add(torch_code, 11, called.thread);
  add(torch_code, 12, called.thread);
  EXPECT_EQ(judged().function, "") << "two";
  add(torch_code, 13, called.thread);
  EXPECT_NE(judged().function, "");
  EXPECT_EQ(judged().num_denied, 3U);
  EXPECT_EQ(judged().num_running, 41U);
  add_honest(40);
  EXPECT_EQ(judged().function, "") << "three of 81";
}

TEST_F(Samples, LeaveOutWhatIsNoWorkInCalls) {
  for (int i = 0; i < 9; ++i) {
    add(torch_code, 2, called.thread);         // before everything
    add(torch_code, 7, called.thread);         // the host
    add(torch_code, 22, kOther);               // between calls
    add(torch_code, 15, called.thread, true);  // in a system call
  }
  EXPECT_EQ(judged().num_denied, 0U);
  EXPECT_EQ(judged().num_in_calls, 9U);
  EXPECT_EQ(judged().doubt, "");
}

TEST_F(Samples, CountOtherThreadsFromTheInputsOn) {
  add_honest(10);
  for (int i = 0; i < 3; ++i) add(torch_code, 27, kOther);
  EXPECT_EQ(judged().num_denied, 3U);
  EXPECT_NE(judged().function, "");
}

TEST_F(Samples, DoubtWhatCoversTheTracer) {
  add_honest(5);
  EXPECT_EQ(judged().doubt, "");
  log.samples.back().fault_handler = 8;
  EXPECT_TRUE(mentions(judged().doubt, {"replaces", "SIGSEGV"}));
  EXPECT_FALSE(judged().are_too_few) << "no chance does that";
  called.fault_handler = 0;
  EXPECT_EQ(judged().doubt, "") << "there is no tracer";
}

TEST_F(Samples, DoubtWhereTheyAreTooFew) {
  called.ran_ns = 40 * kMs;
  add_honest(5);
  EXPECT_EQ(judged().doubt, "") << "an eighth";
  EXPECT_FALSE(judged().are_too_few);
  log.samples.pop_back();
  EXPECT_TRUE(judged().are_too_few);
  EXPECT_TRUE(mentions(judged().doubt, {"too few samples"}));
  called.ran_ns = 20 * kMs;
  EXPECT_EQ(judged().doubt, "") << "too few to expect anything";
  log.threads = {{called.thread, 100 * kMs}};
  EXPECT_NE(judged().doubt.find("does not receive the"), std::string::npos);
  log.is_full = true;
  EXPECT_EQ(judged().doubt, "") << "others were thrown away";
  log.lost_signal = true;
  EXPECT_TRUE(mentions(judged().doubt, {"replaced", "sampler"}));
  EXPECT_FALSE(judged().are_too_few) << "no chance does that";
}

// A look at a thread that waits costs it processor time in a system call.
TEST_F(Samples, TakeTheWorkOfOtherThreadsForThatOfACallerThatWaits) {
  called.ran_ns = 30 * kMs;
  for (int i = 0; i < 300; ++i) add(plugin_code, 15, called.thread, true);
  EXPECT_NE(judged().doubt, "") << "nobody works";
  // 20 us a look of 30 ms: 24 samples are missing.
  for (int i = 0; i < 480; ++i) add(plugin_code, 15, kOther);
  EXPECT_NE(judged().doubt, "") << "a twentieth may hide in the caller's system calls";
  add(plugin_code, 15, kOther);
  EXPECT_EQ(judged().doubt, "");
  called.ran_ns = 300 * kMs;
  EXPECT_NE(judged().doubt, "") << "the caller works as much";
}

TEST_F(Samples, TakeTheSamplersWordForWhatALookCosts) {
  called.ran_ns = 40 * kMs;
  for (int i = 0; i < 300; ++i) add(plugin_code, 15, called.thread, true);
  for (int i = 0; i < 480; ++i) add(plugin_code, 15, kOther);
  log.look_ns = 10'000;
  EXPECT_NE(judged().doubt, "") << "looks cost 20 us at least: 34 samples are missing";
  log.look_ns = 53'000;
  EXPECT_NE(judged().doubt, "") << "24 samples are missing, more than a twentieth";
  log.look_ns = 54'000;
  EXPECT_EQ(judged().doubt, "");
  called.ran_ns = 60 * kMs;
  log.look_ns = std::int64_t{1} << 60U;
  EXPECT_NE(judged().doubt, "") << "looks cost 100 us at most";
}

TEST_F(Samples, SeeACallerThatSpinsInSchedYield) {
  called.ran_ns = 300 * kMs;
  for (int i = 0; i < 300; ++i) add(plugin_code, 15, called.thread, true);
  for (int i = 0; i < 300; ++i) add(plugin_code, 15, kOther);
  EXPECT_NE(judged().doubt, "") << "in other system calls";
  for (Sample& sample : log.samples) {
    if (sample.is_waiting)
      sample.instruction = reinterpret_cast<std::uintptr_t>(&::sched_yield) + 7;
  }
  EXPECT_EQ(judged().doubt, "");
}

}  // namespace sample_evidence_test
}  // namespace graphnet::proof
