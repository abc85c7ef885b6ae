// SPDX-License-Identifier: MIT
// Sessions with the made-up CUPTI: what it is asked, what comes back, and everything that goes
// wrong.
#include "proof/cupti_session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "support/mentions.h"
#include "unit/proof/fake_cupti_library.h"

namespace graphnet::proof {
namespace cupti_session_test {

using tests::FakeCuptiLibrary;
using tests::FakeLaunch;
using tests::mentions;

std::unique_ptr<CuptiSession> start(const CuptiSession::Settings& settings) {
  CuptiStatus status;
  auto session = CuptiSession::start(settings, status);
  EXPECT_TRUE(status.is_ready()) << status.reason;
  EXPECT_NE(session, nullptr);
  return session;
}

TEST(CuptiSession, AsksForWhatItNeedsAndNeverFinalizes) {
  const FakeCuptiLibrary fake;
  auto session = start(fake.settings());
  EXPECT_EQ(fake.control().num_subscribers, 1);
  for (const std::uint32_t kind : {1, 2, 4, 5, 10, 17, 22, 39, 48}) {
    EXPECT_NE(fake.control().enabled_kinds >> kind & 1U, 0U) << kind;
  }
  EXPECT_EQ(fake.control().driver_calls_off, std::vector<std::uint32_t>{1}) << "cuInit";
  EXPECT_EQ(fake.control().runtime_calls_off, std::vector<std::uint32_t>{1}) << "cudaMalloc";
  EXPECT_TRUE(fake.control().has_timestamp);
  session.reset();
  EXPECT_EQ(fake.control().num_subscribers, 0);
  EXPECT_EQ(fake.control().num_finalized, 0);
}

// What CUPTI learns of a device's clock before it has the host's is on another clock.
TEST(CuptiSession, TheClockComesDirectlyAfterSubscribing) {
  const FakeCuptiLibrary fake;
  const auto session = start(fake.settings());
  const std::vector<std::string>& calls = fake.control().calls;
  const auto subscribed = std::find(calls.begin(), calls.end(), "cuptiSubscribe_v2");
  ASSERT_LT(subscribed, calls.end() - 1);
  EXPECT_EQ(subscribed[1], "cuptiActivityRegisterTimestampCallback");
  EXPECT_TRUE(session->finish().has_own_clock);
}

TEST(CuptiSession, OldReleaseGetsAllCalls) {
  const FakeCuptiLibrary fake("libcupti_fake_old.so");
  const auto session = start(fake.settings());
  EXPECT_NE(fake.control().enabled_kinds & 1U << 4U, 0U);
  EXPECT_NE(fake.control().enabled_kinds & 1U << 5U, 0U);
  EXPECT_FALSE(session->finish().has_own_clock);
}

TEST(CuptiSession, StatesOfASubscription) {
  const struct {
    int code;
    const char* driver;
    CuptiState state;
    const char* reason;
  } cases[] = {
      {39, "ready", CuptiState::kBusy, "'Nsight Systems' traces this process already"},
      {35, "ready", CuptiState::kDenied, "CUPTI error 35, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"},
      {999, "ready", CuptiState::kFailed, "although the driver works"},
      {999, "stub", CuptiState::kNoDevice, "stub of the driver, not a driver (error 34)"},
      {999, "no_device", CuptiState::kNoDevice, "shows 0 devices"},
      {999, "too_old", CuptiState::kNoDevice, "knows CUDA up to 12.8"},
      {999, "none", CuptiState::kNoDevice, "no NVIDIA driver is installed"},
      {15, "unknown", CuptiState::kNoDevice, "does not start: error 999"},
  };
  for (const auto& wanted : cases) {
    const FakeCuptiLibrary fake;
    fake.control().subscribe_code = wanted.code;
    fake.control().other_tool = "Nsight Systems";
    CuptiSession::Settings settings = fake.settings();
    settings.driver = FakeCuptiLibrary::driver(wanted.driver);
    CuptiStatus status;
    EXPECT_EQ(CuptiSession::start(settings, status), nullptr);
    EXPECT_EQ(status.state, wanted.state) << wanted.code << " " << wanted.driver;
    EXPECT_NE(status.reason.find(wanted.reason), std::string::npos) << status.reason;
  }
}

TEST(CuptiSession, TwoAtOnceAreOneTooMany) {
  const FakeCuptiLibrary fake;
  const auto first = start(fake.settings());
  CuptiStatus status;
  EXPECT_EQ(CuptiSession::start(fake.settings(), status), nullptr);
  EXPECT_EQ(status.state, CuptiState::kBusy);
}

TEST(CuptiSession, OneThatIsRefusedLeavesTheBuffersOfTheOther) {
  const FakeCuptiLibrary fake;
  const auto first = start(fake.settings());
  fake.launch("before");
  CuptiStatus status;
  EXPECT_EQ(CuptiSession::start(fake.settings(), status), nullptr);
  fake.launch("after");
  const DeviceTrace trace = first->finish();
  EXPECT_EQ(trace.records.work.size(), 2U);
  EXPECT_EQ(trace.lost_bytes, 0U);
}

// CUPTI holds a buffer of the first session's when the second one begins, and writes on.
TEST(CuptiSession, BuffersOfAnEarlierSessionAreNobodys) {
  const FakeCuptiLibrary fake;
  auto first = start(fake.settings());
  first->begin_call(CallSide::kPlugin);
  fake.launch("of the first");
  first->end_call();
  first.reset();
  const auto second = start(fake.settings());
  second->begin_call(CallSide::kPlugin);
  second->end_call();
  const DeviceTrace trace = second->finish();
  EXPECT_TRUE(trace.records.work.empty());
  EXPECT_GT(trace.lost_bytes, 0U) << "its own might have been among them";
  fake.launch("of the second");
  EXPECT_EQ(second->finish().records.work.size(), 1U);
}

TEST(CuptiSession, KindThatIsRefused) {
  const FakeCuptiLibrary fake;
  fake.control().failing_kind = cupti::kConcurrentKernel;
  fake.control().failing_code = 35;
  CuptiStatus status;
  EXPECT_EQ(CuptiSession::start(fake.settings(), status), nullptr);
  EXPECT_EQ(status.state, CuptiState::kDenied);
  EXPECT_EQ(fake.control().num_subscribers, 0) << "others may trace again";
  fake.control().failing_kind = cupti::kOverhead;
  fake.control().failing_code = 27;
  const auto without = CuptiSession::start(fake.settings(), status);
  ASSERT_NE(without, nullptr) << "goes without";
  const std::vector<std::string> told = {
      "CUPTI error 27, CUPTI_ERROR_UNKNOWN, of cuptiActivityEnable(kind 17) to record its own "
      "overhead"};
  EXPECT_EQ(without->finish().refusals, told);
}

/// Records of every kind, in the layouts of each release.
TEST(CuptiSession, ReadsTheLayoutsOfAllReleases) {
  for (const std::uint32_t version : {19U, 20U, 24U, 28U, 130000U, 130001U, 130200U, 130500U}) {
    const FakeCuptiLibrary fake;
    fake.control().version = version;
    const auto session = start(fake.settings());
    session->begin_call(CallSide::kPlugin);
    fake.launch("gemm");
    FakeLaunch launch;
    launch.is_runtime_call = false;
    for (const std::uint32_t kind : {cupti::kMemcpy, cupti::kMemset, cupti::kMemcpyPeer}) {
      launch.kind = kind;
      launch.call_id = 2;
      launch.stream = 9;
      fake.launch(launch);
    }
    session->end_call();
    const DeviceTrace trace = session->finish();
    EXPECT_EQ(trace.problem, "") << version;
    EXPECT_EQ(trace.records.num_cut_buffers, 0U) << version;
    ASSERT_EQ(trace.records.work.size(), 4U) << version;
    const DeviceWork& kernel = trace.records.work[0];
    EXPECT_EQ(trace.records.names.at(kernel.name), "gemm");
    EXPECT_EQ(kernel.end_ns - kernel.start_ns, 1000U);
    EXPECT_EQ(kernel.stream, 7U);
    EXPECT_FALSE(kernel.is_in_graph);
    const WorkKind kinds[] = {WorkKind::kKernel, WorkKind::kCopy, WorkKind::kSet, WorkKind::kCopy};
    for (std::size_t i = 0; i < 4; ++i) {
      const DeviceWork& work = trace.records.work[i];
      EXPECT_EQ(work.kind, kinds[i]) << version << " " << i;
      EXPECT_EQ(trace.records.pushed_ids.at(work.correlation), 0U) << version << " " << i;
      EXPECT_EQ(work.stream, i == 0 ? 7U : 9U) << version << " " << i;
    }
    ASSERT_EQ(trace.records.calls.size(), 4U);
    EXPECT_EQ(session->call_name(trace.records.calls[0].domain, trace.records.calls[0].id),
              "cudaLaunchKernel_v7000");
    EXPECT_EQ(session->call_name(trace.records.calls[1].domain, trace.records.calls[1].id),
              "cuMemcpyHtoD_v2");
  }
}

TEST(CuptiSession, GraphsKernelsShareTheirLaunch) {
  const FakeCuptiLibrary fake;
  const auto session = start(fake.settings());
  session->begin_call(CallSide::kPlugin);
  FakeLaunch graph;
  graph.num_kernels = 5;
  graph.call_id = 311;
  fake.launch(graph);
  session->end_call();
  const DeviceTrace trace = session->finish();
  ASSERT_EQ(trace.records.work.size(), 5U);
  for (const DeviceWork& work : trace.records.work) {
    EXPECT_TRUE(work.is_in_graph);
    EXPECT_EQ(work.correlation, trace.records.calls.at(0).correlation);
  }
}

TEST(CuptiSession, IdsEndWithTheirCallAndBelongToTheirThread) {
  const FakeCuptiLibrary fake;
  const auto session = start(fake.settings());
  fake.launch("before");
  session->begin_call(CallSide::kEager);
  fake.launch("eager");
  session->end_call();
  session->begin_call(CallSide::kPlugin);
  std::thread([&] { fake.launch("helper"); }).join();
  fake.launch("plugin");
  session->end_call();
  const DeviceTrace trace = session->finish();
  const auto id_of = [&](std::size_t work) {
    const auto found = trace.records.pushed_ids.find(trace.records.work.at(work).correlation);
    return found == trace.records.pushed_ids.end() ? -1 : static_cast<int>(found->second);
  };
  EXPECT_EQ(id_of(0), -1);
  EXPECT_EQ(id_of(1), 0);
  EXPECT_EQ(id_of(2), -1);
  EXPECT_EQ(id_of(3), 1);
  EXPECT_EQ(trace.calls.at(1).side, CallSide::kPlugin);
  EXPECT_LE(trace.calls.at(1).start_ns, trace.records.calls.at(2).start_ns);
  EXPECT_GE(trace.calls.at(1).end_ns, trace.records.calls.at(2).end_ns);
}

TEST(CuptiSession, HundredThousandKernelsWithoutLoss) {
  const FakeCuptiLibrary fake;
  const auto session = start(fake.settings());
  session->begin_call(CallSide::kPlugin);
  for (int i = 0; i < 100000; ++i) fake.launch(i % 2 == 0 ? "even" : "odd");
  session->end_call();
  const DeviceTrace trace = session->finish();
  EXPECT_EQ(trace.records.work.size(), 100000U);
  EXPECT_EQ(trace.records.names.size(), 2U);
  EXPECT_EQ(trace.num_dropped, 0U);
  EXPECT_EQ(trace.lost_bytes, 0U);
}

TEST(CuptiSession, BuffersAreBoundedAndLossIsCounted) {
  const FakeCuptiLibrary fake;
  CuptiSession::Settings settings = fake.settings();
  settings.buffer_bytes = 4096;
  settings.max_buffers = 3;
  const auto session = start(settings);
  for (int i = 0; i < 1000; ++i) fake.launch("kernel");
  const DeviceTrace trace = session->finish();
  EXPECT_GT(trace.lost_bytes, 0U);
  EXPECT_LT(trace.records.work.size(), 3 * 4096 / 216U);
  EXPECT_GT(trace.records.work.size(), 0U);
}

TEST(CuptiSession, BuffersServeAgain) {
  const FakeCuptiLibrary fake;
  CuptiSession::Settings settings = fake.settings();
  settings.buffer_bytes = 4096;
  settings.max_buffers = 3;
  const auto session = start(settings);
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 20; ++i) fake.launch("kernel");
    const DeviceTrace trace = session->finish();
    ASSERT_EQ(trace.records.work.size(), 20U) << round;
    ASSERT_EQ(trace.lost_bytes, 0U) << round;
  }
}

TEST(CuptiSession, CountsWhatCuptiDropped) {
  const FakeCuptiLibrary fake;
  fake.control().dropped = 12;
  const auto session = start(fake.settings());
  EXPECT_EQ(session->finish().num_dropped, 12U);
}

TEST(CuptiSession, OrderOfBuffersDoesNotMatter) {
  const FakeCuptiLibrary fake;
  fake.control().delivers_reversed = true;
  CuptiSession::Settings settings = fake.settings();
  settings.buffer_bytes = 2048;
  const auto session = start(settings);
  session->begin_call(CallSide::kPlugin);
  for (int i = 0; i < 50; ++i) fake.launch("kernel");
  session->end_call();
  const DeviceTrace trace = session->finish();
  ASSERT_EQ(trace.records.work.size(), 50U);
  bool is_in_order = true;
  for (std::size_t i = 1; i < 50; ++i) {
    const auto& work = trace.records.work;
    is_in_order = is_in_order && work[i - 1].correlation < work[i].correlation;
    EXPECT_EQ(trace.records.pushed_ids.count(work[i].correlation), 1U);
  }
  EXPECT_FALSE(is_in_order) << "the test's own";
}

TEST(CuptiSession, BuffersThatAreCutOff) {
  for (const bool is_careless : {false, true}) {
    // In the middle of the last record, in its kind, and at its begin.
    for (const std::size_t cut : {std::size_t{100}, std::size_t{213}, std::size_t{216}}) {
      const FakeCuptiLibrary fake;
      fake.control().is_careless = is_careless;
      fake.control().cut_bytes = cut;
      const auto session = start(fake.settings());
      for (int i = 0; i < 3; ++i) fake.launch("kernel");
      const DeviceTrace trace = session->finish();
      EXPECT_EQ(trace.records.work.size(), 2U) << cut;
      EXPECT_EQ(trace.records.num_cut_buffers, cut == 216 ? 0U : 1U) << cut;
    }
  }
}

TEST(CuptiSession, FlushThatHangsIsLeftAlone) {
  const FakeCuptiLibrary fake;
  CuptiSession::Settings settings = fake.settings();
  settings.flush_limit = std::chrono::milliseconds(100);
  auto session = start(settings);
  fake.control().hangs_in_flush = true;
  const auto start_time = std::chrono::steady_clock::now();
  EXPECT_TRUE(mentions(session->finish().problem, {"CUPTI", "100 ms"}));
  EXPECT_LT(std::chrono::steady_clock::now() - start_time, std::chrono::seconds(2));
  session.reset();
  fake.release();
  // It still uses what the session had.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

TEST(CuptiSession, FlushThatFails) {
  const FakeCuptiLibrary fake;
  const auto session = start(fake.settings());
  fake.control().flush_code = 999;
  EXPECT_EQ(session->finish().problem,
            "CUPTI error 999, CUPTI_ERROR_UNKNOWN, of cuptiActivityFlushAll(flag 0) to deliver its "
            "records");
}

TEST(CuptiSession, NamesOfCalls) {
  for (const char* name :
       {"cuLaunchKernel", "cuLaunchKernelEx_ptsz", "cuLaunchCooperativeKernel", "cuGraphLaunch",
        "cudaLaunchKernelExC_v11060", "__cudaLaunchKernel_v13000", "cudaGraphLaunch_v10000",
        "cuLaunchHostFunc"}) {
    EXPECT_TRUE(is_launch_call(name)) << name;
    EXPECT_TRUE(is_traced_call(name)) << name;
  }
  for (const char* name : {"cuMemcpyHtoDAsync_v2", "cudaMemsetAsync_v3020", "cuModuleLoadData",
                           "cuLibraryLoadData", "cudaLibraryLoadData_v12080"}) {
    EXPECT_FALSE(is_launch_call(name)) << name;
    EXPECT_TRUE(is_traced_call(name)) << name;
  }
  for (const char* name : {"cuInit", "cudaMalloc_v3020", "cuStreamSynchronize", ""}) {
    EXPECT_FALSE(is_traced_call(name)) << name;
  }
}

}  // namespace cupti_session_test
}  // namespace graphnet::proof
