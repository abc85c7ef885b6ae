// SPDX-License-Identifier: MIT
// A plugin whose call is captured: what is timed, checked and traced are launches of the graph. The
// plugin launches on a made-up driver, whose CUDA graphs hold what a captured stream was asked for.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/fake_cuda.h"
#include "support/folders.h"
#include "support/mentions.h"
#include "support/mirror_device.h"
#include "unit/proof/fake_cupti_library.h"
#include "worker/device_tracing.h"
#include "worker/fresh_inputs.h"
#include "worker/plugin_side.h"
#include "worker/proof_phase.h"
#include "worker/record_writer.h"
#include "worker/timed_checks.h"

namespace graphnet::worker {
namespace captured_calls_test {

using plugin::CallStatus;
using plugin::FailureKind;
using tests::mentions;

// A pair is checked with a chance of a half or more: of so many, fewer than three in 2 of 100,000.
constexpr int kPairs = 24;

/// The library that sees what the driver launches.
tests::FakeCuptiLibrary* seeing = nullptr;

class CapturedCallsTest : public testing::Test {
 protected:
  CapturedCallsTest() {
    void* const handle = ::dlopen(kDriver.c_str(), RTLD_NOW);
    control_ = reinterpret_cast<tests::FakeCudaControl>(::dlsym(handle, "fake_cuda_control"))();
    *control_ = tests::FakeCuda();
    gpu_ = std::move(device::Gpu::open(0, kDriver)).value();
    device_.gpu = gpu_.get();
    settings_.first_analysis = settings_.max_pairs = kPairs;
    settings_.remeasure = false;
    settings_.long_call_time_ns = std::int64_t{1} << 60U;  // a slow machine has all pairs, too
    settings_.replay = true;
  }
  ~CapturedCallsTest() override {
    plugin_.reset();
    EXPECT_EQ(control_->streams, 0);
    EXPECT_EQ(control_->executable_graphs, 0);
    *control_ = tests::FakeCuda();
  }

  /// Takes the plugin up to the end of its warm-up.
  void prepare(const std::string& mode) {
    task_.plugin_library = GRAPHNET_LAUNCHING_PLUGIN;
    task_.plugin_name = "launching";
    task_.plugin_version = "0.1.0";
    task_.plugin_options = {{"mode", mode}};
    task_.threads = 1;
    const std::string sample = tests::source_dir() + "/configs/control";
    sample_ = sample::load_sample(sample).value();
    arguments_ =
        sample::generate_arguments(sample_.metas, sample_.program.parameters, sample::kUpstreamSeed)
            .value();
    eager_ = EagerSide::create(sample_, arguments_, device_).value();
    const auto instruments = measure::machine_instruments(settings_, /*threads=*/1);
    eager_warmup_ = measure::warm_up(eager_->calls(), settings_, instruments).value();
    plugin_ = std::make_unique<PluginSide>(task_, sample_.name, eager_->arguments(), eager_->kept(),
                                           eager_.get(), [](const char*) {});
    expect_ok(plugin_->open());
    plugin_->offer_body(eager_->engine().normal_form(plugin_->weights()));
    CompileTimes ignored;
    expect_ok(plugin_->compile(ignored));
    double ignored_ns = 0;
    expect_ok(plugin_->bind(ignored_ns));
    expect_ok(plugin_->warm_up(settings_, /*threads=*/1, plugin_warmup_));
  }

  static void expect_ok(const CallStatus& status) {
    ASSERT_TRUE(status.is_ok()) << status.status.to_string();
  }
  static int plugin_runs() {
    void* const library = ::dlopen(GRAPHNET_LAUNCHING_PLUGIN, RTLD_NOW);
    const auto runs = reinterpret_cast<int (*)()>(::dlsym(library, "launching_plugin_runs"))();
    ::dlclose(library);
    return runs;
  }
  CallStatus capture() {
    double capture_ns = 0;
    CallStatus status = plugin_->capture(capture_ns);
    EXPECT_GT(capture_ns, 0);
    if (status.is_ok()) status = plugin_->warm_up_replays(settings_, 1, replay_warmup_);
    return status;
  }
  ComparedSample compared() { return {sample_, arguments_, *eager_, *plugin_}; }

  base::Result<measure::PairedResult> time(TimedFindings& findings) {
    TimedChecks checks(compared(), fresh_inputs(sample_, *eager_), /*compare=*/true);
    auto result =
        measure::time_paired(checks.sides(), {eager_warmup_, replay_warmup_}, checks.hooks(),
                             settings_, measure::machine_instruments(settings_, /*threads=*/1));
    findings = checks.finish(result.is_ok() ? &*result : nullptr);
    return result;
  }

  const std::string kDriver = tests::FakeCuptiLibrary::driver("ready");
  tests::FakeCuda* control_;
  tests::MirrorDevice device_;
  std::unique_ptr<device::Gpu> gpu_;
  journal::Task task_;
  sample::Sample sample_;
  std::vector<sample::Argument> arguments_;
  std::unique_ptr<EagerSide> eager_;
  std::unique_ptr<PluginSide> plugin_;
  measure::PairedSettings settings_;
  measure::Warmup eager_warmup_;
  measure::Warmup plugin_warmup_;
  measure::Warmup replay_warmup_;
};

TEST_F(CapturedCallsTest, EachTimedCallIsOneLaunchOnNewContentInTheSameMemory) {
  prepare("");
  ASSERT_NO_FATAL_FAILURE(expect_ok(capture()));
  EXPECT_EQ(plugin_->num_graph_nodes(), 1U);
  EXPECT_GT(replay_warmup_.first_call_ns, 0);
  const int runs = plugin_runs();
  const int launches = control_->graph_launches;
  EXPECT_EQ(static_cast<std::size_t>(launches), 1 + replay_warmup_.warmup_ns.size());
  TimedFindings findings;
  const auto result = time(findings);
  ASSERT_TRUE(result.is_ok()) << result.status().to_string();
  EXPECT_EQ(plugin_runs(), runs) << "no code of the plugin ran in the timed calls";
  const int settling = result->has_leading_call ? 1 : 0;
  EXPECT_EQ(control_->graph_launches - launches,
            kPairs * (result->calls_per_side_sample[measure::kBackend] + settling));
  EXPECT_EQ(findings.flag, record::Flag::kNone) << findings.message;
  EXPECT_EQ(findings.shuffled_calls, kPairs * result->calls_per_side_sample[measure::kBackend]);
  EXPECT_GE(findings.checked_calls, 3);
  EXPECT_TRUE(plugin_->check_memory().is_ok());

  record::Record record;
  record.plugin_side.capture_ns = 5e6;
  record.plugin_side.compile_ns = record.plugin_side.bind_ns = 0;
  write_timing(record, *result);
  write_replay(record.timing, plugin_->num_graph_nodes(), replay_warmup_, plugin_warmup_);
  EXPECT_EQ(record.timing.replay["nodes"], 1);
  EXPECT_EQ(record.timing.replay["plugin_call_ns"], plugin_warmup_.typical_ns());
  if (*record.eager.median_ns > *record.plugin_side.median_ns) {
    EXPECT_GT(record.timing.break_even_calls.value_or(0), 0) << "capturing is to be paid off too";
  }
}

TEST_F(CapturedCallsTest, MethodUpstreamReadsTheDevicesClockToo) {
  prepare("");
  record::Record record;
  const auto eager = eager_->measure({1, 3});
  ASSERT_TRUE(eager.is_ok()) << eager.status().to_string();
  measure::SideDurations plugin;
  ASSERT_NO_FATAL_FAILURE(expect_ok(plugin_->measure({1, 2}, plugin)));
  write_side(record, measure::kEager, *eager);
  write_side(record, measure::kBackend, plugin);
  EXPECT_EQ(record.timing.event_ns["eager"].size(), 3U);
  EXPECT_EQ(record.timing.event_ns["plugin"].size(), 2U);
  EXPECT_EQ(record.timing.event_median_ns["eager"], record.timing.event_ns["eager"][1]);
  EXPECT_FALSE(record.timing.has_pairs());
}

TEST_F(CapturedCallsTest, ReplayThatDoesNotReadItsInputsIsFound) {
  prepare("stale");
  ASSERT_NO_FATAL_FAILURE(expect_ok(capture()));
  TimedFindings findings;
  EXPECT_FALSE(time(findings).is_ok());
  EXPECT_EQ(findings.flag, record::Flag::kStaleOutput);
}

TEST_F(CapturedCallsTest, EachWayInWhichCapturingFails) {
  const struct {
    const char* mode;
    FailureKind kind;
    const char* message;
  } cases[] = {
      {"waits", FailureKind::kFailed, "CUDA error 901"},
      {"elsewhere", FailureKind::kFailed, "CUDA error 906"},
      {"empty", FailureKind::kBroken,
       "the captured call asked nothing of the stream that it was given"},
      {"refuses", FailureKind::kUnsupported, "not today"},
  };
  for (const auto& wanted : cases) {
    prepare(wanted.mode);
    const CallStatus status = capture();
    EXPECT_EQ(status.kind, wanted.kind) << wanted.mode;
    EXPECT_NE(status.status.to_string().find(wanted.message), std::string::npos)
        << status.status.to_string();
    EXPECT_FALSE(plugin_->is_captured());
    plugin_.reset();
  }
}

TEST_F(CapturedCallsTest, TheDriversErrorIsNamed) {
  prepare("");
  control_->instantiate_code = 2;
  const CallStatus status = capture();
  EXPECT_EQ(status.kind, FailureKind::kFailed);
  EXPECT_TRUE(mentions(status.status.message(),
                       {"cuGraphInstantiateWithFlags", "CUDA_ERROR_OUT_OF_MEMORY (2)",
                        "primary context", "512 MiB", "1.00 GiB"}));
  ASSERT_FALSE(status.status.context().empty());
  EXPECT_EQ(status.status.context().back(), "capturing gn_backend_run of plugin 'launching'");
}

TEST_F(CapturedCallsTest, LaunchThatFailsIsThePlugins) {
  prepare("");
  ASSERT_NO_FATAL_FAILURE(expect_ok(capture()));
  control_->graph_launch_code = 700;
  TimedFindings findings;
  EXPECT_FALSE(time(findings).is_ok());
  EXPECT_EQ(plugin_->failure().kind, FailureKind::kFailed);
  EXPECT_NE(plugin_->failure().status.message().find("CUDA_ERROR_ILLEGAL_ADDRESS (700)"),
            std::string::npos);
}

TEST_F(CapturedCallsTest, DevicesWithoutGraphsSaySo) {
  prepare("");
  device_.gpu = nullptr;
  const CallStatus status = capture();
  EXPECT_EQ(status.kind, FailureKind::kUnsupported);
  EXPECT_EQ(status.status.message(), "calls on 'cpu' cannot be captured");
}

TEST_F(CapturedCallsTest, ProofNotesThreadsOfTheDriverThatItTolerates) {
  prepare("");
  std::promise<void> ready;
  std::promise<void> end;
  std::thread events([&] {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    ::pthread_setname_np(::pthread_self(), "cuda-EvtHandlr");
    ready.set_value();
    end.get_future().wait();
  });
  ready.get_future().wait();
  // All that is there is the host's, this program too; libtorch is closed.
  proof::MapHistory history;
  history.note("start", base::read_memory_map().value());
  base::Json ledger = base::Json::object();
  ProofPhase(compared(), history, "full", {}).trace(ledger);
  end.set_value();
  events.join();
  EXPECT_EQ(ledger["witness"], "full") << base::dump_json(ledger["unavailable"]);
  EXPECT_EQ(ledger["tolerated_threads"].size(), 1U);
}

TEST_F(CapturedCallsTest, ProofTracesTheReplaysAndEagerBeside) {
  prepare("");
  ASSERT_NO_FATAL_FAILURE(expect_ok(capture()));
  tests::FakeCuptiLibrary cupti;
  seeing = &cupti;
  control_->on_launch = [] { seeing->launch("fused_kernel"); };
  DeviceTracing tracing(*gpu_, cupti.settings());
  ProofPhase phase(compared(), {}, "counts", {}, &tracing);
  base::Json ledger = base::Json::object();
  phase.trace(ledger);
  const base::Json& device = ledger["device"];
  EXPECT_EQ(ledger["replayed_outputs"], "equal");
  EXPECT_EQ(device["calls"], ledger["calls"]);
  EXPECT_EQ(device["replays"]["calls"], ledger["calls"]);
  EXPECT_EQ(device["replays"]["busy_ns"], 1000);
  EXPECT_EQ(device["replays"]["as_called"], true);
  EXPECT_TRUE(device["replays"].contains("host_ns"));
  EXPECT_EQ(device["eager_calls"]["calls"], ledger["calls"]);
  EXPECT_EQ(device["eager_calls"]["busy_ns"], 0) << "this eager computes on the processor";
  EXPECT_EQ(device["eager"], 0);
  EXPECT_EQ(device["unattributed"], 0) << "calls that are not traced are between those that are";
  EXPECT_EQ(device["plugin"], 2 * ledger["calls"].get<int>());
}

}  // namespace captured_calls_test
}  // namespace graphnet::worker
