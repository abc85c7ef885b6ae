// SPDX-License-Identifier: MIT
// From what a device does, by way of the made-up CUPTI, to the verdict: each one, and each reason
// for which there is none.
#include <gtest/gtest.h>

#include <thread>

#include "proof/device_ledger.h"
#include "support/mentions.h"
#include "unit/proof/fake_cupti_library.h"

namespace graphnet::proof {
namespace device_verdict_test {

using tests::FakeCuptiLibrary;
using tests::mentions;

/// A run of a plugin on a device under CUPTI, whose calls the test writes.
class PluginRun {
 public:
  explicit PluginRun(const FakeCuptiLibrary& fake) : fake_(fake) {
    CuptiStatus status;
    session_ = CuptiSession::start(fake.settings(), status);
  }

  /// Three calls, as the proof makes them.
  std::string verdict(const std::function<void(int)>& plugin_call) {
    session_->begin_call(CallSide::kHost);
    if (sees_self_test_) fake_.launch("self_test");
    session_->end_call();
    for (int i = 0; i < 3; ++i) {
      session_->begin_call(CallSide::kPlugin);
      plugin_call(i);
      session_->end_call();
    }
    const DeviceTrace trace = session_->finish();
    const auto name = [&](std::uint32_t domain, std::uint32_t id) {
      return session_->call_name(domain, id);
    };
    const DeviceLedger ledger = make_device_ledger(trace, name, files_);
    evidence_.device = device_evidence(ledger, /*self_tested=*/true);
    return verdict_of(evidence_).text();
  }

  /// A file has a kernel of this name.
  void hold(const std::string& kernel, KernelHolder holder) {
    files_.by_name[kernel] = {"lib.so", holder};
  }

  Evidence& evidence() { return evidence_; }
  void hide_self_test() { sees_self_test_ = false; }

 private:
  const FakeCuptiLibrary& fake_;
  std::unique_ptr<CuptiSession> session_;
  KernelFiles files_;
  Evidence evidence_ = traced();
  bool sees_self_test_ = true;

  /// The execute-deny tracer saw the plugin's code and nothing of libtorch's.
  static Evidence traced() {
    Evidence evidence;
    evidence.plugin_runs = 10;
    evidence.plugin_windows = 2;
    return evidence;
  }
};

TEST(DeviceVerdict, Proven) {
  const FakeCuptiLibrary fake;
  EXPECT_EQ(PluginRun(fake).verdict([&](int) { fake.launch("mine"); }), "proven");
}

TEST(DeviceVerdict, LaterRoundsStandAlone) {
  const FakeCuptiLibrary fake;
  PluginRun run(fake);
  EXPECT_EQ(run.verdict([&](int) { fake.launch("mine"); }), "proven");
  EXPECT_EQ(run.verdict([&](int) { fake.launch("other"); }), "proven");
  EXPECT_EQ(run.verdict([&](int) {}), "empty");
}

TEST(DeviceVerdict, ProvenOnAThreadOfItsOwn) {
  const FakeCuptiLibrary fake;
  EXPECT_EQ(PluginRun(fake).verdict([&](int) { std::thread([&] { fake.launch("mine"); }).join(); }),
            "proven");
}

TEST(DeviceVerdict, ProvenByCopiesAlone) {
  const FakeCuptiLibrary fake;
  tests::FakeLaunch copy;
  copy.kind = cupti::kMemcpy;
  EXPECT_EQ(PluginRun(fake).verdict([&](int) { fake.launch(copy); }), "proven");
}

TEST(DeviceVerdict, MixedNamesLibtorchsKernels) {
  const FakeCuptiLibrary fake;
  PluginRun run(fake);
  run.hold("_ZN2at6native4reluEv", KernelHolder::kLibtorch);
  EXPECT_EQ(run.verdict([&](int) {
    fake.launch("mine");
    fake.launch("_ZN2at6native4reluEv");
  }),
            "mixed(at::native::relu)");
}

TEST(DeviceVerdict, MixedNamesKernelsWithoutTheirTemplates) {
  const FakeCuptiLibrary fake;
  PluginRun run(fake);
  const char* const kernels[] = {"_ZN2at6native18elementwise_kernelILi4EfEEvPT0_",
                                 "_ZN2at6native18elementwise_kernelILi8EdEEvPT0_"};
  for (const char* kernel : kernels) run.hold(kernel, KernelHolder::kLibtorch);
  EXPECT_EQ(run.verdict([&](int) {
    fake.launch("mine");
    for (const char* kernel : kernels) fake.launch(kernel);
  }),
            "mixed(at::native::elementwise_kernel)");
}

TEST(DeviceVerdict, EagerIfAllOfItIsLibtorchs) {
  const FakeCuptiLibrary fake;
  PluginRun run(fake);
  run.hold("relu", KernelHolder::kLibtorch);
  EXPECT_EQ(run.verdict([&](int) { fake.launch("relu"); }), "eager");
}

TEST(DeviceVerdict, ProvenIfThePluginsFileHoldsTheKernel) {
  const FakeCuptiLibrary fake;
  PluginRun run(fake);
  run.hold("relu", KernelHolder::kPlugin);
  EXPECT_EQ(run.verdict([&](int) { fake.launch("relu"); }), "proven");
}

TEST(DeviceVerdict, EmptyIfNothingRanOnTheDevice) {
  const FakeCuptiLibrary fake;
  EXPECT_EQ(PluginRun(fake).verdict([](int) {}), "empty");
}

TEST(DeviceVerdict, UnknownIfCallsDiffer) {
  const FakeCuptiLibrary fake;
  const std::string verdict = PluginRun(fake).verdict([&](int call) {
    if (call == 0) fake.launch("computes_all_three");
  });
  EXPECT_TRUE(mentions(verdict, {"unknown(", "different work"}));
}

TEST(DeviceVerdict, UnknownIfWorkIsNobodys) {
  const FakeCuptiLibrary fake("libcupti_fake_old.so");
  // Without a clock of ours, ids are all there is, and they belong to the thread.
  const std::string verdict =
      PluginRun(fake).verdict([&](int) { std::thread([&] { fake.launch("whose"); }).join(); });
  EXPECT_TRUE(mentions(verdict, {"unknown(3 pieces", "owner"}));
}

TEST(DeviceVerdict, UnknownIfRecordsAreMissing) {
  const struct {
    void (*spoil)(tests::FakeCupti&);
    const char* verdict;
  } cases[] = {
      {[](tests::FakeCupti& fake) { fake.dropped = 4; }, "unknown(4 records were dropped)"},
      {[](tests::FakeCupti& fake) { fake.cut_bytes = 100; },
       "unknown(1 buffers of records were cut off: CUPTI error 21, CUPTI_ERROR_UNKNOWN, of "
       "cuptiActivityGetNextRecord to read a buffer of records)"},
      {[](tests::FakeCupti& fake) { fake.flush_code = 999; },
       "unknown(CUPTI error 999, CUPTI_ERROR_UNKNOWN, of cuptiActivityFlushAll(flag 0) to deliver "
       "its records)"},
  };
  for (const auto& wanted : cases) {
    const FakeCuptiLibrary fake;
    wanted.spoil(fake.control());
    EXPECT_EQ(PluginRun(fake).verdict([&](int) { fake.launch("mine"); }), wanted.verdict);
    // And so if there was no work to be seen: an empty trace proves nothing either way.
    EXPECT_EQ(PluginRun(fake).verdict([](int) {}).rfind("unknown(", 0), 0U) << wanted.verdict;
  }
}

TEST(DeviceVerdict, UnknownIfTheSelfTestIsNotSeen) {
  const FakeCuptiLibrary fake;
  PluginRun run(fake);
  run.hide_self_test();
  EXPECT_TRUE(mentions(run.verdict([](int) {}), {"unknown(CUPTI", "self-test"}));
}

TEST(DeviceVerdict, UnknownIfCuptiIsNotReady) {
  const FakeCuptiLibrary fake;
  for (const int code : {39, 35, 999}) {
    fake.control().subscribe_code = code;
    CuptiStatus status;
    EXPECT_EQ(CuptiSession::start(fake.settings(), status), nullptr);
    Evidence evidence;
    evidence.plugin_runs = 10;
    evidence.plugin_windows = 2;
    evidence.device = DeviceEvidence();
    evidence.device->unavailable = status.reason;
    const std::string verdict = verdict_of(evidence).text();
    EXPECT_EQ(verdict.rfind("unknown(", 0), 0U) << verdict;
    EXPECT_NE(verdict.find("CUPTI error " + std::to_string(code)), std::string::npos) << verdict;
  }
}

// What the host's side of a call shows counts as it does on the processor.
TEST(DeviceVerdict, TracersOfTheHostCountBesides) {
  const FakeCuptiLibrary fake;
  const auto launches = [&](int) { fake.launch("mine"); };
  {
    PluginRun run(fake);
    run.evidence().entered = {"at::_ops::mm::call"};
    EXPECT_EQ(run.verdict(launches), "mixed(at::_ops::mm::call)");
  }
  {
    PluginRun run(fake);
    run.evidence().eager_runs = 10;
    EXPECT_EQ(run.verdict(launches), "eager");
  }
  {
    PluginRun run(fake);
    run.evidence().plugin_windows = 0;
    EXPECT_EQ(run.verdict(launches), "empty") << "its code was not entered";
  }
  {
    PluginRun run(fake);
    run.evidence().is_stale = true;
    EXPECT_EQ(run.verdict(launches), "empty");
  }
}

}  // namespace device_verdict_test
}  // namespace graphnet::proof
