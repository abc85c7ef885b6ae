// SPDX-License-Identifier: MIT
// Known work on a made-up device under a made-up CUPTI, which misses each way of giving it in turn.
#include "proof/tracing_self_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "device/own_kernels.h"
#include "support/mentions.h"
#include "support/seen_driver.h"

namespace graphnet::proof {
namespace tracing_self_test_test {

using tests::FakeCuptiLibrary;
using tests::mentions;
using tests::SeenDriver;

class TracingSelfTestTest : public testing::Test {
 protected:
  void SetUp() override {
    if (device::own_kernels() == nullptr) GTEST_SKIP() << "built without nvcc";
  }

  void use(const std::string& cupti) { fake_ = std::make_unique<FakeCuptiLibrary>(cupti); }
  tests::FakeCupti& cupti() { return fake_->control(); }

  TracingSelfTest run() {
    const SeenDriver driver(*fake_);
    const auto gpu = device::Gpu::open(0, SeenDriver::library()).value();
    change_driver();
    auto tested = run_tracing_self_test(*gpu, fake_->settings());
    EXPECT_TRUE(tested.is_ok()) << tested.status().to_string();
    EXPECT_EQ(SeenDriver::control().buffers, 0);
    EXPECT_EQ(SeenDriver::control().streams, 0);
    EXPECT_EQ(SeenDriver::control().executable_graphs, 0);
    return std::move(tested).value();
  }

  std::unique_ptr<FakeCuptiLibrary> fake_ = std::make_unique<FakeCuptiLibrary>("libcupti_fake.so");
  std::function<void()> change_driver = [] {};
};

TEST_F(TracingSelfTestTest, SeesEachWay) {
  const TracingSelfTest test = run();
  EXPECT_EQ(test.problem(), "");
  EXPECT_TRUE(test.has_own_clock);
  EXPECT_TRUE(test.refusals.empty());
  EXPECT_TRUE(test.raw.is_null());
  std::vector<std::string> ways;
  for (const TracedWay& way : test.ways) {
    ways.push_back(way.way);
    EXPECT_TRUE(way.is_seen()) << way.way;
    EXPECT_EQ(way.asked, 3U) << way.way;
    EXPECT_EQ(way.attributed, 3U) << way.way;
  }
  EXPECT_EQ(ways, (std::vector<std::string>{"default_stream", "second_thread",
                                            "non_blocking_stream", "earlier_graph"}));
}

TEST_F(TracingSelfTestTest, SaysWhichWayIsMissed) {
  const std::pair<unsigned int, const char*> cases[] = {
      {tests::kDefaultStream, "default_stream 0 of 3"},
      {tests::kSecondThread, "second_thread 0 of 3"},
      {tests::kNonBlockingStream, "non_blocking_stream 0 of 3"},
      {tests::kEarlierGraph, "earlier_graph 0 of 3"},
      {tests::kSecondThread | tests::kEarlierGraph, "second_thread 0 of 3, earlier_graph 0 of 3"}};
  for (const auto& [missed, told] : cases) {
    use("libcupti_fake.so");
    cupti().misses = missed;
    const TracingSelfTest test = run();
    EXPECT_TRUE(mentions(test.problem(), {"self-test: ", told}));
    std::size_t num_seen = 0;
    for (const TracedWay& way : test.ways) num_seen += way.is_seen() ? 1 : 0;
    EXPECT_EQ(num_seen, missed == 10 ? 2U : 3U);
    EXPECT_EQ(test.raw["traced_calls"].size(), 1U) << "rows of the first that was missed";
    EXPECT_EQ(test.clock.has_value(), missed != tests::kDefaultStream);
  }
}

TEST_F(TracingSelfTestTest, SaysThatNobodyAskedForWork) {
  use("libcupti_fake_old.so");  // without the host's clock
  const TracingSelfTest test = run();
  EXPECT_TRUE(mentions(test.problem(), {"did not report", "second_thread"}));
  EXPECT_FALSE(test.has_own_clock);
}

TEST_F(TracingSelfTestTest, SaysHowTheClocksLie) {
  const auto clock = run().clock;
  ASSERT_TRUE(clock);
  EXPECT_LE(std::abs(clock->offset_ns), clock->uncertainty_ns) << "one clock";
  EXPECT_GE(clock->start_after_call_ns, 0);
  use("libcupti_fake.so");
  cupti().call_clock_ns = 5'000'000'000;
  cupti().work_clock_ns = -7'000'000'000;
  const auto apart = run().clock;
  ASSERT_TRUE(apart);
  EXPECT_NEAR(apart->offset_ns, 5e9, 1e9);
  EXPECT_NEAR(apart->start_after_call_ns, -12e9, 1e9);
  EXPECT_NEAR(apart->end_before_return_ns, 7e9, 1e9);
}

TEST_F(TracingSelfTestTest, RecordingThatIsRefused) {
  cupti().failing_kind = 10;
  cupti().failing_code = 35;
  const TracingSelfTest test = run();
  EXPECT_TRUE(mentions(test.problem(), {"CUPTI is denied", "CUPTI error 35"})) << test.problem();
  EXPECT_TRUE(test.ways.empty());
}

TEST_F(TracingSelfTestTest, RecordsThatDoNotCome) {
  cupti().flush_code = 999;
  const TracingSelfTest test = run();
  EXPECT_EQ(test.problem(),
            "default_stream: CUPTI error 999, CUPTI_ERROR_UNKNOWN, of "
            "cuptiActivityFlushAll(flag 0) to deliver its records");
  ASSERT_EQ(test.ways.size(), 4U);
  EXPECT_EQ(test.ways[3].problem.rfind("not tried: CUPTI error 999", 0), 0U);
}

TEST_F(TracingSelfTestTest, WayThatTheDriverRefuses) {
  change_driver = [] {
    SeenDriver::control().fails_once = "cuStreamCreate";  // that of the way, not of the capture
    SeenDriver::control().failing_once_code = 2;
  };
  const TracingSelfTest test = run();
  EXPECT_EQ(test.problem().rfind("non_blocking_stream: cannot make a CUDA stream: cuStreamCreate "
                                 "gave CUDA_ERROR_OUT_OF_MEMORY (2) [",
                                 0),
            0U)
      << test.problem();
  EXPECT_TRUE(test.ways[3].is_seen());
  change_driver = [] { SeenDriver::control().instantiate_code = 2; };
  use("libcupti_fake.so");
  EXPECT_EQ(run().problem().rfind("earlier_graph: cannot instantiate a CUDA graph: ", 0), 0U);
}

TEST_F(TracingSelfTestTest, KernelThatComputesSomethingElse) {
  change_driver = [] { SeenDriver::control().computes_wrongly = true; };
  EXPECT_EQ(run().problem().rfind("default_stream: the self-test's kernel gave 0 in place of ", 0),
            0U);
}

TEST_F(TracingSelfTestTest, Json) {
  cupti().failing_kind = 17;
  cupti().failing_code = 27;
  cupti().misses = tests::kEarlierGraph;
  const base::Json json = tracing_json(run());
  ASSERT_EQ(json["ways"].size(), 4U);
  EXPECT_EQ(json["ways"][1],
            base::Json({{"way", "second_thread"}, {"asked", 3}, {"seen", 3}, {"attributed", 3}}));
  EXPECT_EQ(json["ways"][3]["seen"], 0);
  EXPECT_EQ(json["own_clock"], true);
  EXPECT_TRUE(json["clock"]["uncertainty_ns"].is_number());
  EXPECT_EQ(json["refusals"].size(), 1U);
  EXPECT_TRUE(json["raw"].is_object());
}

}  // namespace tracing_self_test_test
}  // namespace graphnet::proof
