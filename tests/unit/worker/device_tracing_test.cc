// SPDX-License-Identifier: MIT
// What becomes of a made-up device's work in the proof: a made-up driver launches, a made-up CUPTI
// sees it.
#include "worker/device_tracing.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

#include "device/own_kernels.h"
#include "support/fake_cuda.h"
#include "support/mentions.h"
#include "unit/proof/fake_cupti_library.h"

namespace graphnet::worker {
namespace device_tracing_test {

using tests::mentions;

const std::string kDriver = tests::FakeCuptiLibrary::driver("ready");

/// The library that sees what the driver launches.
tests::FakeCuptiLibrary* seeing = nullptr;

class DeviceTracingTest : public testing::Test {
 protected:
  void SetUp() override {
    if (device::own_kernels() == nullptr) GTEST_SKIP() << "built without nvcc";
    control().on_launch = [] { seeing->launch("graphnet_self_test"); };
    seeing = &fake_;
    gpu_ = device::Gpu::open(0, kDriver).value();
  }
  void TearDown() override { control() = tests::FakeCuda(); }

  static tests::FakeCuda& control() {
    void* const handle = ::dlopen(kDriver.c_str(), RTLD_NOW);
    return *reinterpret_cast<tests::FakeCudaControl>(::dlsym(handle, "fake_cuda_control"))();
  }

  tests::FakeCuptiLibrary fake_;
  std::unique_ptr<device::Gpu> gpu_;
};

TEST_F(DeviceTracingTest, CountsThePluginsWork) {
  DeviceTracing tracing(*gpu_, fake_.settings());
  EXPECT_EQ(fake_.control().num_subscribers, 0) << "times are taken until it starts";
  tracing.start();
  EXPECT_NE(fake_.control().enabled_kinds, 0U);
  for (int call = 0; call < 2; ++call) {
    tracing.begin_call(proof::CallSide::kPlugin);
    fake_.launch("fused_kernel");
    tracing.end_call(1e9, 1e9);
  }
  base::Json json;
  const proof::DeviceEvidence evidence = tracing.finish({}, json);
  EXPECT_EQ(evidence.unavailable, "");
  EXPECT_EQ(evidence.plugin_work, 2U);
  EXPECT_FALSE(evidence.counts_differ);
  EXPECT_EQ(json["cupti"]["state"], "ready");
  EXPECT_EQ(json["self_test"], "ok");
  EXPECT_EQ(json["plugin"], 2);
  EXPECT_EQ(json["host"], 1);
  EXPECT_EQ(json["calls"], 2);
  EXPECT_EQ(json["busy_ns"], 1000);
  EXPECT_EQ(json["event_ns"], 1e9);
  EXPECT_FALSE(json.contains("times"));
  EXPECT_FALSE(json.contains("raw"));
}

TEST_F(DeviceTracingTest, WhatIsDoubtfulComesWithTheRowsThatCuptiGave) {
  DeviceTracing tracing(*gpu_, fake_.settings());
  tracing.start();
  tracing.begin_call(proof::CallSide::kPlugin);
  tracing.end_call(1e9, 1e9);
  std::thread([&] { fake_.launch("whose"); }).join();
  base::Json json;
  EXPECT_EQ(tracing.finish({}, json).unattributed, 1U);
  EXPECT_EQ(json["raw"]["kernels"][0][1], "whose");
  EXPECT_TRUE(json["raw"]["kernels"][0][8].is_null());
}

TEST_F(DeviceTracingTest, EagersAndReplayedCallsHaveTheirOwnTimes) {
  DeviceTracing tracing(*gpu_, fake_.settings());
  tracing.start();
  fake_.launch("copy of an input");
  const std::pair<proof::CallSide, int> calls[] = {
      {proof::CallSide::kPlugin, 1}, {proof::CallSide::kReplay, 1}, {proof::CallSide::kEager, 3}};
  for (const auto& [side, kernels] : calls) {
    tracing.begin_call(side);
    for (int i = 0; i < kernels; ++i) fake_.launch("fused_kernel");
    tracing.end_call(1e9 * kernels, 1e8);
  }
  base::Json json;
  const proof::DeviceEvidence evidence = tracing.finish({}, json);
  EXPECT_EQ(evidence.unavailable, "");
  EXPECT_EQ(evidence.plugin_work, 2U);
  EXPECT_EQ(evidence.unattributed, 0U);
  EXPECT_EQ(json["host_ns"], 1e9);
  EXPECT_EQ(json["replays"]["host_ns"], 1e9);
  EXPECT_EQ(json["replays"]["busy_ns"], 1000);
  EXPECT_EQ(json["eager_calls"]["host_ns"], 3e9);
  EXPECT_EQ(json["eager_calls"]["event_ns"], 1e8);
  EXPECT_GE(json["eager_calls"]["busy_ns"], 1000);
  EXPECT_EQ(json["host"], 1) << "the self-test";
}

TEST_F(DeviceTracingTest, TimesThatContradictWhatWasSeenProveNothing) {
  DeviceTracing tracing(*gpu_, fake_.settings());
  tracing.start();
  tracing.begin_call(proof::CallSide::kPlugin);
  fake_.launch("fused_kernel");
  tracing.end_call(10, 10);
  base::Json json;
  const proof::DeviceEvidence evidence = tracing.finish({}, json);
  EXPECT_TRUE(mentions(evidence.unavailable, {"returned before"})) << evidence.unavailable;
  EXPECT_EQ(json["times"], evidence.unavailable);
  EXPECT_EQ(json["raw"]["kernels"].size(), 2U) << "with the self-test's";
}

TEST_F(DeviceTracingTest, WorkOfTheHostMustBeSeen) {
  control().on_launch = nullptr;
  DeviceTracing tracing(*gpu_, fake_.settings());
  tracing.start();
  tracing.begin_call(proof::CallSide::kPlugin);
  fake_.launch("fused_kernel");
  tracing.end_call(1e9, 1e9);
  base::Json json;
  EXPECT_TRUE(mentions(tracing.finish({}, json).unavailable, {"CUPTI", "self-test"}));
}

TEST_F(DeviceTracingTest, StatesInWhichCuptiSaysNothingAreTheReason) {
  fake_.control().subscribe_code = 39;
  fake_.control().other_tool = "Nsight Systems";
  DeviceTracing tracing(*gpu_, fake_.settings());
  tracing.start();
  tracing.begin_call(proof::CallSide::kPlugin);
  tracing.end_call(1, 1);
  base::Json json;
  const std::string reason = tracing.finish({}, json).unavailable;
  EXPECT_TRUE(mentions(reason, {"CUPTI", "busy", "'Nsight Systems'"})) << reason;
  EXPECT_EQ(json["cupti"]["state"], "busy");
}

TEST_F(DeviceTracingTest, RecordingThatFailsIsTheReason) {
  fake_.control().failing_kind = 10;
  fake_.control().failing_code = 35;
  DeviceTracing tracing(*gpu_, fake_.settings());
  tracing.start();
  base::Json json;
  const proof::DeviceEvidence evidence = tracing.finish({}, json);
  EXPECT_EQ(evidence.unavailable.rfind("CUPTI is denied: ", 0), 0U) << evidence.unavailable;
  EXPECT_EQ(json["cupti"]["state"], "denied");
}

}  // namespace device_tracing_test
}  // namespace graphnet::worker
