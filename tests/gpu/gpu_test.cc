// SPDX-License-Identifier: MIT
// What needs a CUDA device: real kernels of every kind under the real CUPTI, the host's own
// kernels, and times. Each test is a process of its own (ctest -L gpu), skipped with the driver's
// state where there is no device.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "device/captured_graph.h"
#include "device/driver_state.h"
#include "device/gpu_timer.h"
#include "device/own_kernels.h"
#include "gpu/launches.h"
#include "gpu/locations.h"
#include "proof/device_ledger.h"

namespace graphnet::tests {
namespace gpu_test {

using namespace proof;
using base::Status;
using device::Gpu;

constexpr int kRepetitions = 20;
constexpr std::size_t kManyKernels = 100000;

class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    const device::DriverState driver = device::probe_driver();
    if (!driver.is_ready()) GTEST_SKIP() << driver.reason;
#ifndef GRAPHNET_HAS_LAUNCHES
    GTEST_SKIP() << "built without nvcc";
#endif
  }

  /// Of the libtorch in use.
  static CuptiSession::Settings settings() {
    CuptiSession::Settings settings;
    settings.search.folders = {cupti_folder(GRAPHNET_CUPTI_FOLDER)};
    return settings;
  }

  std::unique_ptr<CuptiSession> start() {
    CuptiStatus status;
    auto session = CuptiSession::start(settings(), status);
    EXPECT_TRUE(status.is_ready()) << cupti_state_name(status.state) << ": " << status.reason;
    return session;
  }
};

DeviceLedger ledger_of(CuptiSession& session) {
  return make_device_ledger(
      session.finish(),
      [&](std::uint32_t domain, std::uint32_t id) { return session.call_name(domain, id); }, {});
}

#ifdef GRAPHNET_HAS_LAUNCHES

/// Kernels, copies and sets of a ledger by name.
std::multiset<std::pair<std::string, std::size_t>> contents(const DeviceLedger& ledger) {
  std::multiset<std::pair<std::string, std::size_t>> all;
  for (const LedgerRow& row : ledger.rows) all.emplace(row.name, row.count);
  return all;
}

std::size_t count_of(const DeviceLedger& ledger, WorkKind kind) {
  std::size_t count = 0;
  for (const LedgerRow& row : ledger.rows) count += row.kind == kind ? row.count : 0;
  return count;
}

/// What one round of all ways gives, as they say of themselves.
struct Wanted {
  std::size_t kernels = 0;
  std::size_t copies = 0;
  std::size_t sets = 0;
};

DeviceLedger launch_all(CuptiSession& session, CallSide side) {
  session.begin_call(side);
  for (const LaunchKind& kind : launch_kinds()) EXPECT_EQ(kind.run(), 0) << kind.name;
  EXPECT_EQ(wait_for_device(), 0);
  session.end_call();
  return ledger_of(session);
}

TEST_F(GpuTest, EveryLaunchKindIsSeenTwentyTimesAlike) {
  const auto session = start();
  ASSERT_NE(session, nullptr);
  Wanted wanted;
  for (const LaunchKind& kind : launch_kinds()) {
    wanted.kernels += kind.num_kernels;
    wanted.copies += kind.num_copies;
    wanted.sets += kind.num_sets;
  }
  // Contexts, graphs and modules are made here.
  EXPECT_GE(launch_all(*session, CallSide::kHost).host_work, wanted.kernels);
  std::multiset<std::pair<std::string, std::size_t>> first;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const DeviceLedger ledger = launch_all(*session, CallSide::kPlugin);
    EXPECT_EQ(ledger.problem, "");
    EXPECT_EQ(ledger.unattributed, 0U);
    EXPECT_EQ(count_of(ledger, WorkKind::kKernel), wanted.kernels);
    EXPECT_EQ(count_of(ledger, WorkKind::kCopy), wanted.copies);
    EXPECT_EQ(count_of(ledger, WorkKind::kSet), wanted.sets);
    EXPECT_EQ(ledger.plugin_work, wanted.kernels + wanted.copies + wanted.sets);
    EXPECT_EQ(ledger.plugin_calls.num_calls, 1U);
    EXPECT_GT(ledger.plugin_calls.busy_ns, 0);
    if (repetition == 0) first = contents(ledger);
    EXPECT_EQ(contents(ledger), first) << repetition;
  }
}

// As in a worker, where libtorch has launched long before anything is recorded.
TEST_F(GpuTest, CallsOfARuntimeThatWasUsedBeforeAreSeen) {
  for (const LaunchKind& kind : launch_kinds()) ASSERT_EQ(kind.run(), 0) << kind.name;
  ASSERT_EQ(wait_for_device(), 0);
  const auto session = start();
  ASSERT_NE(session, nullptr);
  const DeviceLedger ledger = launch_all(*session, CallSide::kPlugin);
  EXPECT_EQ(ledger.problem, "");
  EXPECT_EQ(ledger.unattributed, 0U);
  EXPECT_GE(ledger.launches.count("cudaLaunchKernel_v7000"), 1U);
  EXPECT_TRUE(ledger.refusals.empty()) << ledger.refusals.front();
}

TEST_F(GpuTest, HundredThousandKernelsWithoutLoss) {
  const auto session = start();
  ASSERT_NE(session, nullptr);
  session->begin_call(CallSide::kPlugin);
  for (std::size_t i = 0; i < kManyKernels; ++i) ASSERT_EQ(launch_plain(), 0);
  ASSERT_EQ(wait_for_device(), 0);
  session->end_call();
  const DeviceLedger ledger = ledger_of(*session);
  EXPECT_EQ(ledger.problem, "");
  EXPECT_EQ(ledger.plugin_work, kManyKernels);
  EXPECT_EQ(ledger.unattributed, 0U);
}

TEST_F(GpuTest, SecondSessionSaysBusy) {
  const auto session = start();
  ASSERT_NE(session, nullptr);
  CuptiStatus status;
  EXPECT_EQ(CuptiSession::start(settings(), status), nullptr);
  EXPECT_EQ(status.state, CuptiState::kBusy) << status.reason;
}

#endif

TEST_F(GpuTest, SelfTestComputesAndIsSeen) {
  const auto session = start();
  ASSERT_NE(session, nullptr);
  auto gpu = Gpu::open(0);
  ASSERT_TRUE(gpu.is_ok()) << gpu.status().to_string();
  session->begin_call(CallSide::kHost);
  const Status tested = device::run_self_test(**gpu);
  session->end_call();
  EXPECT_TRUE(tested.is_ok()) << tested.to_string();
  const DeviceLedger ledger = ledger_of(*session);
  EXPECT_GE(ledger.host_work, 2U) << "a fill and a kernel";
  EXPECT_EQ(device_evidence(ledger, /*self_tested=*/true).unavailable, "");
}

TEST_F(GpuTest, DelayTakesItsTimeOnBothClocks) {
  auto gpu = Gpu::open(0);
  ASSERT_TRUE(gpu.is_ok()) << gpu.status().to_string();
  const auto kernel = (*gpu)->load_kernel(device::own_kernels(), "graphnet_delay");
  ASSERT_TRUE(kernel.is_ok()) << kernel.status().to_string();
  auto timer = device::GpuTimer::create(**gpu);
  ASSERT_TRUE(timer.is_ok());
  unsigned long long nanoseconds = 2000000;
  const auto times =
      timer->time(**gpu, [&] { return (*gpu)->launch(*kernel, 1, 1, {&nanoseconds}); });
  ASSERT_TRUE(times.is_ok()) << times.status().to_string();
  EXPECT_GE(times->event_ns, 1.9e6);
  EXPECT_LE(times->event_ns, 4e6);
  EXPECT_GE(times->host_ns, times->event_ns);
}

constexpr std::uint32_t kSecondWord = 2654435761U ^ 123U;

/// The self-test's kernel on a stream, into a buffer of its own.
class SelfTestLaunch {
 public:
  explicit SelfTestLaunch(Gpu& gpu)
      : gpu_(gpu),
        kernel_(gpu.load_kernel(device::own_kernels(), "graphnet_self_test").value()),
        buffer_(gpu.allocate(kCount * sizeof(std::uint32_t)).value()) {
    // Its code is loaded at the first launch, which a capture may not allow.
    EXPECT_TRUE((*this)(nullptr).is_ok());
    EXPECT_EQ(result(), kSecondWord);
    clear();
  }
  Status operator()(device::DriverLibrary::Handle stream) {
    device::DriverLibrary::Address address = buffer_.address();
    std::uint32_t count = kCount;
    std::uint32_t seed = 123;
    return gpu_.launch(kernel_, 1, kCount, {&address, &count, &seed}, stream);
  }
  /// The second word; 0: nothing was computed.
  std::uint32_t result() {
    std::vector<std::uint32_t> words(kCount);
    EXPECT_TRUE(gpu_.synchronize().is_ok());
    EXPECT_TRUE(gpu_.copy_out(words.data(), buffer_, buffer_.num_bytes()).is_ok());
    return words[1];
  }
  void clear() { EXPECT_TRUE(gpu_.fill(buffer_, 0).is_ok()); }

 private:
  static constexpr std::uint32_t kCount = 256;

  Gpu& gpu_;
  device::DriverLibrary::Handle kernel_;
  device::GpuBuffer buffer_;
};

// As a worker does it: captured and timed before CUPTI is started.
TEST_F(GpuTest, CapturedCallIsReplayedAndItsKernelsAreSeen) {
  auto gpu = Gpu::open(0);
  ASSERT_TRUE(gpu.is_ok()) << gpu.status().to_string();
  SelfTestLaunch launch(**gpu);
  auto graph = device::CapturedGraph::capture(**gpu, [&](auto stream) { return launch(stream); });
  ASSERT_TRUE(graph.is_ok()) << graph.status().to_string();
  EXPECT_EQ(graph->num_nodes(), 1U);
  EXPECT_EQ(launch.result(), 0U) << "nothing runs while it is captured";
  for (int i = 0; i < kRepetitions; ++i) {
    ASSERT_TRUE(graph->launch().is_ok());
    EXPECT_EQ(launch.result(), kSecondWord);
    launch.clear();
  }
  const auto session = start();
  ASSERT_NE(session, nullptr);
  for (int i = 0; i < kRepetitions; ++i) {
    session->begin_call(CallSide::kReplay);
    ASSERT_TRUE(graph->launch().is_ok());
    ASSERT_TRUE((*gpu)->synchronize().is_ok());
    session->end_call();
  }
  const DeviceLedger ledger = ledger_of(*session);
  EXPECT_EQ(ledger.problem, "");
  EXPECT_EQ(ledger.replays.num_calls, static_cast<std::size_t>(kRepetitions));
  EXPECT_EQ(ledger.plugin_work, static_cast<std::size_t>(kRepetitions));
  EXPECT_FALSE(ledger.replays.counts_differ);
  EXPECT_GT(ledger.replays.busy_ns, 0);
  EXPECT_EQ(ledger.unattributed, 0U);
}

TEST_F(GpuTest, WhatCannotBeCapturedIsRefusedAndLeavesTheDeviceUsable) {
  auto gpu = Gpu::open(0);
  ASSERT_TRUE(gpu.is_ok()) << gpu.status().to_string();
  SelfTestLaunch launch(**gpu);
  // Errors ignored, as a careless plugin does.
  const std::pair<const char*, device::CapturedGraph::Call> cases[] = {
      {"empty", [](auto) { return Status::ok(); }},
      {"waits",
       [&](auto stream) {
         static_cast<void>(launch(stream).is_ok());
         static_cast<void>((*gpu)->synchronize().is_ok());
         return Status::ok();
       }},
      {"allocates",
       [&](auto stream) {
         static_cast<void>((*gpu)->allocate(1 << 20).is_ok());
         static_cast<void>(launch(stream).is_ok());
         return Status::ok();
       }},
      {"default stream", [&](auto) {
         static_cast<void>(launch(nullptr).is_ok());
         return Status::ok();
       }}};
  for (const auto& [name, call] : cases) {
    const auto graph = device::CapturedGraph::capture(**gpu, call);
    EXPECT_FALSE(graph.is_ok()) << name;
    EXPECT_EQ(graph.status().code(), base::Code::kPlugin) << name << graph.status().to_string();
  }
  EXPECT_TRUE(launch(nullptr).is_ok());
  EXPECT_EQ(launch.result(), kSecondWord);
}

TEST_F(GpuTest, FlushRuns) {
  auto gpu = Gpu::open(0);
  ASSERT_TRUE(gpu.is_ok()) << gpu.status().to_string();
  auto flush = device::CacheFlush::create(**gpu);
  ASSERT_TRUE(flush.is_ok()) << flush.status().to_string();
  EXPECT_GE(flush->num_bytes(), 2 * (*gpu)->facts().l2_bytes - 16);
  EXPECT_TRUE(flush->run(**gpu).is_ok());
  EXPECT_TRUE((*gpu)->synchronize().is_ok());
}

}  // namespace gpu_test
}  // namespace graphnet::tests
