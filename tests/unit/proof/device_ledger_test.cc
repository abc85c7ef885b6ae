// SPDX-License-Identifier: MIT
// Whose work is whose: each attribution source, sums, and what makes a ledger doubtful.
#include "proof/device_ledger.h"

#include <gtest/gtest.h>

#include "proof/device_json.h"
#include "support/mentions.h"

namespace graphnet::proof {
namespace device_ledger_test {

using tests::mentions;

const KernelFile kTorch = {"libtorch_cuda.so", KernelHolder::kLibtorch};
const KernelFile kPlugin = {"libgn_x.so", KernelHolder::kPlugin};

/// A trace that is made step by step; times run on by themselves.
class TraceMaker {
 public:
  TraceMaker() { trace_.has_own_clock = true; }

  void begin(CallSide side) {
    trace_.calls.push_back({side, now_, 0});
    now_ += 10;
  }
  void end() {
    now_ += 10;
    trace_.calls.back().end_ns = now_;
    now_ += 10;
  }
  /// By a thread of the call's if `is_pushed`.
  DeviceWork& work(const std::string& name, bool is_pushed = true, bool has_call = true) {
    ++correlation_;
    if (has_call) trace_.records.calls.push_back({2, 211, 1, correlation_, now_, now_ + 1});
    if (is_pushed) trace_.records.pushed_ids[correlation_] = trace_.calls.size() - 1;
    DeviceWork work;
    work.name = index_of(name);
    work.start_ns = now_ + 2;
    work.end_ns = now_ + 7;
    work.correlation = correlation_;
    trace_.records.work.push_back(work);
    now_ += 10;
    return trace_.records.work.back();
  }
  /// The file has a kernel of this name.
  void hold(const std::string& name, const KernelFile& file) { files_.by_name[name] = file; }

  DeviceTrace& trace() { return trace_; }
  KernelFiles& files() { return files_; }
  DeviceLedger ledger() const {
    return make_device_ledger(
        trace_, [](std::uint32_t, std::uint32_t) { return "cudaLaunchKernel_v7000"; }, files_);
  }

 private:
  std::uint32_t index_of(const std::string& name) {
    auto& names = trace_.records.names;
    for (std::uint32_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return i;
    }
    names.push_back(name);
    return static_cast<std::uint32_t>(names.size() - 1);
  }

  DeviceTrace trace_;
  KernelFiles files_;
  std::uint64_t now_ = 1000;
  std::uint32_t correlation_ = 0;
};

const LedgerRow& row_of(const DeviceLedger& ledger, const std::string& name) {
  static const LedgerRow kNone;
  for (const LedgerRow& row : ledger.rows) {
    if (row.name == name) return row;
  }
  ADD_FAILURE() << name << " is not in the ledger";
  return kNone;
}

TEST(DeviceLedger, EachAttributionSource) {
  TraceMaker maker;
  maker.hold("late", kPlugin);
  maker.hold("relu", kTorch);
  maker.begin(CallSide::kPlugin);
  maker.work("pushed");
  maker.work("helper", /*is_pushed=*/false);
  maker.work("relu");
  maker.end();
  maker.work("late", /*is_pushed=*/false);
  maker.work("nobody", /*is_pushed=*/false, /*has_call=*/false);
  const DeviceLedger ledger = maker.ledger();
  const struct {
    const char* name;
    WorkOwner owner;
    AttributionSource source;
    const char* module;
  } rows[] = {{"pushed", WorkOwner::kPlugin, AttributionSource::kId, ""},
              {"helper", WorkOwner::kPlugin, AttributionSource::kWindow, ""},
              {"relu", WorkOwner::kEager, AttributionSource::kFile, "libtorch_cuda.so"},
              {"late", WorkOwner::kPlugin, AttributionSource::kFile, "libgn_x.so"},
              {"nobody", WorkOwner::kNobody, AttributionSource::kNone, ""}};
  for (const auto& wanted : rows) {
    const LedgerRow& row = row_of(ledger, wanted.name);
    EXPECT_EQ(row.owner, wanted.owner) << wanted.name;
    EXPECT_EQ(row.source, wanted.source) << wanted.name;
    EXPECT_EQ(row.module, wanted.module) << wanted.name;
    EXPECT_EQ(row.count, 1U);
    EXPECT_EQ(row.time_ns, 5U);
  }
  EXPECT_EQ(ledger.plugin_work, 3U);
  EXPECT_EQ(ledger.unattributed, 1U);
  EXPECT_EQ(ledger.eager_kernels, std::vector<std::string>{"relu"});
  EXPECT_EQ(ledger.launches.at("cudaLaunchKernel_v7000"), 4U);
}

// As those of cuBLAS, which no file of libtorch's or of the plugin's holds.
TEST(DeviceLedger, KernelsOfSharedLibrariesBelongToWhoCallsThem) {
  TraceMaker maker;
  maker.begin(CallSide::kEager);
  maker.work("gemm");
  maker.end();
  maker.begin(CallSide::kPlugin);
  maker.work("gemm");
  maker.end();
  const DeviceLedger ledger = maker.ledger();
  EXPECT_EQ(ledger.plugin_work, 1U);
  EXPECT_TRUE(ledger.eager_kernels.empty());
}

TEST(DeviceLedger, WithoutLibtorchsFilesNothingIsProven) {
  TraceMaker maker;
  maker.begin(CallSide::kPlugin);
  maker.work("mine");
  maker.end();
  EXPECT_EQ(device_evidence(maker.ledger(), false).unavailable, "");
  maker.files().problem = "the kernels of libtorch_cuda.so are not known";
  EXPECT_EQ(device_evidence(maker.ledger(), false).unavailable, maker.files().problem);
}

TEST(DeviceLedger, EagersOwnCallsAndTheHostsWorkSpeakAgainstNobody) {
  TraceMaker maker;
  maker.hold("relu", kTorch);
  maker.begin(CallSide::kHost);
  maker.work("self_test");
  maker.end();
  maker.begin(CallSide::kEager);
  maker.work("relu");
  maker.end();
  maker.begin(CallSide::kPlugin);
  maker.work("mine");
  maker.end();
  const DeviceLedger ledger = maker.ledger();
  EXPECT_EQ(ledger.host_work, 1U);
  EXPECT_EQ(ledger.eager_work, 0U);
  EXPECT_EQ(ledger.plugin_work, 1U);
  EXPECT_EQ(device_evidence(ledger, /*self_tested=*/true).unavailable, "");
}

// A graph's kernels share the correlation of its launch, and are counted by themselves.
TEST(DeviceLedger, ReplaysAreThePluginsWorkUnlessLibtorchHoldsIt) {
  TraceMaker maker;
  maker.hold("relu", kTorch);
  maker.begin(CallSide::kPlugin);
  maker.work("mine");
  maker.work("mine");
  maker.end();
  for (int call = 0; call < 2; ++call) {
    maker.begin(CallSide::kReplay);
    DeviceWork& first = maker.work("mine");
    first.is_in_graph = true;
    first.start_ns = 5000;
    first.end_ns = 5100;
    DeviceWork second = first;
    second.start_ns = 5200;
    second.end_ns = 5300;
    maker.trace().records.work.push_back(second);
    maker.end();
  }
  const DeviceLedger ledger = maker.ledger();
  EXPECT_EQ(ledger.plugin_work, 6U);
  EXPECT_EQ(ledger.replays.num_calls, 2U);
  EXPECT_EQ(ledger.replays.busy_ns, 200);
  EXPECT_EQ(ledger.replays.span_ns, 300);
  EXPECT_EQ(ledger.plugin_calls.num_calls, 1U);
  EXPECT_EQ(ledger.plugin_calls.busy_ns, 10);
  EXPECT_EQ(device_json({}, nullptr, ledger)["replays"]["as_called"], true);
  EXPECT_EQ(device_evidence(ledger, false).unavailable, "");
  maker.begin(CallSide::kReplay);
  maker.work("relu");
  maker.end();
  EXPECT_EQ(maker.ledger().eager_kernels, std::vector<std::string>{"relu"});
  EXPECT_TRUE(device_evidence(maker.ledger(), false).counts_differ);
}

TEST(DeviceLedger, ReplaysOfWhichNothingIsSeenProveNothing) {
  TraceMaker maker;
  maker.begin(CallSide::kPlugin);
  maker.work("mine");
  maker.end();
  maker.begin(CallSide::kReplay);
  maker.end();
  EXPECT_TRUE(mentions(device_evidence(maker.ledger(), false).unavailable, {"replayed graph"}));
  EXPECT_EQ(device_json({}, nullptr, maker.ledger())["replays"]["as_called"], false);
}

// As where CUPTI records no calls of the runtime: eager's kernels must not be held against the
// plugin, nor may its own prove anything.
TEST(DeviceLedger, WorkOfEagersCallsThatNobodyAskedForProvesNothing) {
  TraceMaker maker;
  maker.hold("relu", kTorch);
  maker.begin(CallSide::kEager);
  maker.work("relu", /*is_pushed=*/false, /*has_call=*/false);
  maker.work("gemm", /*is_pushed=*/false, /*has_call=*/false);
  maker.end();
  maker.begin(CallSide::kPlugin);
  maker.work("mine");
  maker.end();
  DeviceEvidence evidence = device_evidence(maker.ledger(), false);
  EXPECT_TRUE(mentions(evidence.unavailable, {"did not report", "eager's calls"}));
  EXPECT_TRUE(evidence.eager_kernels.empty());
  TraceMaker accused = maker;
  accused.begin(CallSide::kPlugin);
  accused.work("relu");
  accused.end();
  EXPECT_EQ(device_evidence(accused.ledger(), false).eager_kernels.size(), 1U) << "in its own call";
  // One that is known is enough, and a program may give a device nothing to do.
  maker.begin(CallSide::kEager);
  maker.end();
  maker.trace().first_call = 1;
  maker.trace().records.work.erase(maker.trace().records.work.begin(),
                                   maker.trace().records.work.begin() + 2);
  evidence = device_evidence(maker.ledger(), false);
  EXPECT_EQ(evidence.unavailable, "");
}

TEST(DeviceLedger, EagersCallsHaveTimesOfTheirOwn) {
  TraceMaker maker;
  maker.begin(CallSide::kEager);
  maker.work("relu");
  maker.work("relu");
  maker.end();
  maker.begin(CallSide::kPlugin);
  maker.work("mine");
  maker.end();
  const base::Json json = device_json({}, nullptr, maker.ledger());
  EXPECT_EQ(json["busy_ns"], 5);
  EXPECT_EQ(json["eager_calls"]["calls"], 1);
  EXPECT_EQ(json["eager_calls"]["busy_ns"], 10);
  EXPECT_EQ(json["eager_calls"]["span_ns"], 15);
  EXPECT_EQ(json["kernels"][0]["in"], "eager");
  EXPECT_EQ(json["kernels"][1]["in"], "plugin");
  EXPECT_FALSE(json.contains("replays"));
}

// Copies of inputs, poison in outputs, calls that are only compared: between calls the host's
// thread does what it must. Another thread is nobody's there, as after all calls.
TEST(DeviceLedger, WhatHappensBetweenCallsSpeaksAgainstNobody) {
  TraceMaker maker;
  maker.hold("relu", kTorch);
  maker.begin(CallSide::kBetween);
  maker.work("").kind = WorkKind::kCopy;
  maker.work("relu");
  maker.end();
  const DeviceLedger ledger = maker.ledger();
  EXPECT_EQ(ledger.unattributed, 0U);
  EXPECT_EQ(ledger.host_work, 0U);
  EXPECT_TRUE(ledger.eager_kernels.empty());
  EXPECT_EQ(row_of(ledger, "(copy)").owner, WorkOwner::kHost);
  EXPECT_EQ(row_of(ledger, "relu").owner, WorkOwner::kEager);
  EXPECT_EQ(row_of(ledger, "relu").in, "between");
  EXPECT_NE(device_evidence(ledger, /*self_tested=*/true).unavailable, "");
  maker.begin(CallSide::kBetween);
  maker.work("helper", /*is_pushed=*/false);
  maker.end();
  EXPECT_EQ(maker.ledger().unattributed, 1U);
}

/// A call of one side with one piece of work, which is moved.
void add_moved(TraceMaker& maker, CallSide side, std::int64_t by_ns) {
  maker.begin(side);
  DeviceWork& work = maker.work("a");
  maker.end();
  work.start_ns += static_cast<std::uint64_t>(by_ns);
  work.end_ns += static_cast<std::uint64_t>(by_ns);
}

// As CUPTI tells it where it brings the device's clock to the host's by a bad guess.
TEST(DeviceLedger, WorkOutsideOfItsSpanIsCountedAndStaysWhoseItIs) {
  TraceMaker maker;
  maker.trace().records.work.reserve(8);
  add_moved(maker, CallSide::kHost, 40);
  add_moved(maker, CallSide::kPlugin, -5);
  add_moved(maker, CallSide::kPlugin, 0);
  add_moved(maker, CallSide::kPlugin, 30);
  const DeviceLedger ledger = maker.ledger();
  EXPECT_EQ(ledger.plugin_work, 3U);
  EXPECT_EQ(ledger.unattributed, 0U);
  EXPECT_EQ(ledger.outside.early, 1U);
  EXPECT_EQ(ledger.outside.most_early_ns, 3U) << "against the call of the driver";
  EXPECT_EQ(ledger.outside.late, 2U);
  EXPECT_EQ(ledger.outside.most_late_ns, 27U) << "against the traced call";
  EXPECT_EQ(ledger.outside.clock_error_ns, 27U) << "the host's, which was waited for";
  EXPECT_EQ(ledger.outside.unwaited, 0U);
  EXPECT_EQ(device_evidence(ledger, /*self_tested=*/true).unavailable, "");
  EXPECT_EQ(device_json({}, nullptr, ledger)["outside_span"], base::Json({{"early", 1},
                                                                          {"late", 2},
                                                                          {"most_early_ns", 3},
                                                                          {"most_late_ns", 27},
                                                                          {"clock_error_ns", 27}}));
}

TEST(DeviceLedger, RowsOfWorkOutsideSayHowMuchAndAreNeverLeftOut) {
  TraceMaker maker;
  maker.trace().records.work.reserve(128);
  add_moved(maker, CallSide::kPlugin, 30);
  add_moved(maker, CallSide::kPlugin, 0);
  maker.begin(CallSide::kPlugin);
  for (int i = 0; i < 60; ++i) {
    DeviceWork& work = maker.work("longer_" + std::to_string(i));
    work.end_ns += 20;
  }
  for (int i = 0; i < 10; ++i) maker.work("wait", /*is_pushed=*/true).end_ns = 0;  // not timed
  maker.end();
  const base::Json kernels = device_json({}, nullptr, maker.ledger())["kernels"];
  ASSERT_EQ(kernels.size(), 51U) << "fifty, and the one that is outside";
  EXPECT_EQ(kernels[50]["name"], "a");
  EXPECT_EQ(kernels[50]["count"], 2);
  EXPECT_EQ(kernels[50]["outside"], 1);
  EXPECT_FALSE(kernels[0].contains("outside"));
}

TEST(DeviceLedger, WorkWithinItsSpanIsNotMentioned) {
  TraceMaker maker;
  add_moved(maker, CallSide::kPlugin, 0);
  EXPECT_EQ(maker.ledger().outside.count(), 0U);
  EXPECT_FALSE(device_json({}, nullptr, maker.ledger()).contains("outside_span"));
}

// What the clocks do not explain was not waited for.
TEST(DeviceLedger, LateWorkCountsOnlyBeyondTheClocks) {
  constexpr std::int64_t kLate = 300'000;
  const auto evidence_of = [&](std::int64_t hosts, std::int64_t plugins) {
    TraceMaker maker;
    maker.trace().records.work.reserve(8);
    add_moved(maker, CallSide::kHost, hosts);
    add_moved(maker, CallSide::kPlugin, plugins);
    return device_evidence(maker.ledger(), /*self_tested=*/true).unavailable;
  };
  EXPECT_EQ(evidence_of(0, kLateSlackNs / 2), "");
  EXPECT_TRUE(mentions(evidence_of(0, kLate), {"1 pieces of work", "300 us", "wait"}));
  EXPECT_EQ(evidence_of(kLate, kLate), "") << "the clocks are so far apart";
  EXPECT_EQ(evidence_of(-kLate, kLate), "");
}

TEST(DeviceLedger, WorkBetweenCallsIsNotWaitedFor) {
  TraceMaker maker;
  add_moved(maker, CallSide::kBetween, 1000);
  EXPECT_EQ(maker.ledger().outside.count(), 0U);
}

TEST(DeviceLedger, EventsHaveRoomForTheClocks) {
  CallsOnDevice calls;
  calls.span_ns = 1000;
  EXPECT_NE(check_times(calls, 2000, 800), "");
  EXPECT_EQ(check_times(calls, 2000, 800, /*clock_error_ns=*/200), "");
}

// Without a clock of our own no host time can be compared with a record's.
TEST(DeviceLedger, NoWindowsOnAnotherClock) {
  TraceMaker maker;
  maker.trace().has_own_clock = false;
  maker.begin(CallSide::kPlugin);
  maker.work("helper", /*is_pushed=*/false);
  maker.end();
  EXPECT_EQ(maker.ledger().unattributed, 1U);
  add_moved(maker, CallSide::kPlugin, 1'000'000);
  EXPECT_EQ(maker.ledger().outside.count(), 0U);
}

TEST(DeviceLedger, TimesOfOneCall) {
  TraceMaker maker;
  for (int call = 0; call < 2; ++call) {
    maker.begin(CallSide::kPlugin);
    DeviceWork& first = maker.work("a");
    first.start_ns = 5000;
    first.end_ns = 5100;
    DeviceWork& overlapping = maker.work("b");
    overlapping.start_ns = 5050;
    overlapping.end_ns = 5200;
    DeviceWork& apart = maker.work("c");
    apart.start_ns = 5300;
    apart.end_ns = 5400;
    maker.end();
  }
  const DeviceLedger ledger = maker.ledger();
  EXPECT_EQ(ledger.plugin_calls.num_calls, 2U);
  EXPECT_EQ(ledger.plugin_calls.sum_ns, 350);
  EXPECT_EQ(ledger.plugin_calls.busy_ns, 300);
  EXPECT_EQ(ledger.plugin_calls.span_ns, 400);
  EXPECT_EQ(ledger.rows.front().name, "b") << "most time first";
  EXPECT_EQ(check_times(ledger.plugin_calls, 450, 400), "");
  EXPECT_TRUE(mentions(check_times(ledger.plugin_calls, 200, 400), {"returned before"}));
  EXPECT_NE(check_times(ledger.plugin_calls, 450, 350).find("on another stream"),
            std::string::npos);
}

TEST(DeviceLedger, CallsThatDifferInWhatTheyDo) {
  TraceMaker maker;
  maker.begin(CallSide::kPlugin);
  maker.work("a");
  maker.work("b");
  maker.end();
  maker.begin(CallSide::kPlugin);
  maker.work("b");
  maker.work("a");
  maker.end();
  EXPECT_FALSE(maker.ledger().plugin_calls.counts_differ) << "order does not count";
  maker.begin(CallSide::kPlugin);
  maker.work("a");
  maker.end();
  EXPECT_TRUE(maker.ledger().plugin_calls.counts_differ);
}

// All work of a call in which nothing ran, beside one in which something did.
TEST(DeviceLedger, CallWithoutWorkDiffers) {
  TraceMaker maker;
  maker.begin(CallSide::kPlugin);
  maker.work("a");
  maker.end();
  maker.begin(CallSide::kPlugin);
  maker.end();
  EXPECT_TRUE(maker.ledger().plugin_calls.counts_differ);
}

TEST(DeviceLedger, WhatMayBeMissing) {
  const auto problem = [](const std::function<void(DeviceTrace&)>& spoil) {
    TraceMaker maker;
    maker.begin(CallSide::kPlugin);
    maker.work("a");
    maker.end();
    spoil(maker.trace());
    return device_evidence(maker.ledger(), /*self_tested=*/false).unavailable;
  };
  EXPECT_EQ(problem([](DeviceTrace&) {}), "");
  EXPECT_EQ(problem([](DeviceTrace& trace) { trace.num_dropped = 7; }), "7 records were dropped");
  EXPECT_TRUE(mentions(problem([](DeviceTrace& trace) { trace.lost_bytes = 1 << 20; }),
                       {"1.00 MiB", "lost"}));
  EXPECT_TRUE(mentions(problem([](DeviceTrace& trace) { trace.records.num_cut_buffers = 1; }),
                       {"1 buffers", "cut off"}));
  EXPECT_EQ(problem([](DeviceTrace& trace) { trace.problem = "hung"; }), "hung");
}

TEST(DeviceLedger, SelfTestThatDidNotComeBack) {
  TraceMaker maker;
  maker.begin(CallSide::kHost);
  maker.end();
  EXPECT_TRUE(mentions(device_evidence(maker.ledger(), /*self_tested=*/true).unavailable,
                       {"CUPTI", "self-test"}));
}

TEST(DeviceLedger, Json) {
  TraceMaker maker;
  maker.hold("_Z3addPfi", kPlugin);
  maker.begin(CallSide::kPlugin);
  maker.work("_Z3addPfi");
  maker.work("").kind = WorkKind::kCopy;
  maker.end();
  CuptiLibrary library;
  library.version = 130001;
  library.file = "/n/libcupti.so.13";
  const base::Json json = device_json({}, &library, maker.ledger());
  EXPECT_EQ(json["cupti"]["state"], "ready");
  EXPECT_EQ(json["cupti"]["version"], 130001);
  ASSERT_EQ(json["kernels"].size(), 2U);
  EXPECT_EQ(json["kernels"][0]["name"], "(copy)");
  EXPECT_EQ(json["kernels"][0]["kind"], "copy");
  EXPECT_EQ(json["kernels"][1]["name"], "add");
  EXPECT_EQ(json["kernels"][1]["owner"], "plugin");
  EXPECT_EQ(json["kernels"][1]["by"], "id");
  EXPECT_EQ(json["plugin"], 2);
  EXPECT_EQ(json["kernels"][1]["module"], "libgn_x.so");
  EXPECT_EQ(json["busy_ns"], 10.0);
  EXPECT_FALSE(json.contains("problem"));
  const base::Json refused =
      device_json({CuptiState::kBusy, 39, "another tool"}, nullptr, DeviceLedger());
  EXPECT_EQ(refused,
            base::Json::object({{"cupti", {{"state", "busy"}, {"reason", "another tool"}}}}));
}

}  // namespace device_ledger_test
}  // namespace graphnet::proof
