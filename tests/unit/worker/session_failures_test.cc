// SPDX-License-Identifier: MIT
// Whole samples on a made-up driver under a made-up CUPTI. Every function of both that a sample
// asks fails once, at its first call, in the middle and at its last: the process goes on, and the
// record names the function and its code. With GRAPHNET_PRINT_FAILURES set the outcomes are printed
// as a table.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "device/own_kernels.h"
#include "support/driver_device.h"
#include "support/failure_table.h"
#include "support/folders.h"
#include "support/mentions.h"
#include "support/seen_driver.h"
#include "worker/session.h"

namespace graphnet::worker {
namespace session_failures_test {

using base::Json;
using base::Result;
using record::Outcome;
using tests::contains;
using tests::FakeCuptiLibrary;
using tests::SeenDriver;

constexpr int kCode = 719;
constexpr std::size_t kCopiesTried = 24;  // of some hundred of a sample

journal::Task task_of(const std::string& method) {
  journal::Task task;
  task.sample_path = tests::source_dir() + "/configs/control";
  task.plugin_library = GRAPHNET_LAUNCHING_PLUGIN;
  task.plugin_name = "launching";
  task.plugin_version = "0.1.0";
  task.plugin_options = {{"mode", ""}};
  task.device = "cuda:0";
  task.threads = 1;
  task.proof = "counts";
  task.method = method == "upstream" ? method : "paired";
  task.warmup = 1;
  task.trials = 2;
  if (method == "upstream") return task;
  task.protocol_settings = Json::parse(R"({
    "half_width": 0.1, "margin": 0.1, "confidence": 0.95, "max_width": 0.5, "first_look": 6,
    "max_pairs": 6, "time_ns": 20000000, "long_call_pairs": 3, "long_call_time_ns": 20000000,
    "fewest_pairs": 3, "warmup_calls": 2, "warmup_change": 0.1, "warmup_time_ns": 1000000,
    "settle_below_ns": 0, "cache": "hot", "flush_bytes": 0, "idle_wait_ns": 0,
    "disturbed_share": 0.5, "max_steal": 1, "max_dropped": 1, "max_waited": 1, "affinity": false,
    "remeasure": false, "quiet_wait_ns": 0, "seed": 1, "replay": false})");
  if (method == "cold") {
    task.protocol_settings["cache"] = "cold";
    task.protocol_settings["flush_bytes"] =
        1 << 20;  // caches of a session's size would take a minute
  }
  return task;
}

/// The record of a sample, as the supervisor would read it.
record::Record run(const journal::Task& task, const FakeCuptiLibrary& cupti) {
  const int file = ::memfd_create("channel", 0);
  Channel channel = Channel::over(base::UniqueFd(::dup(file)));
  const proof::CuptiSession::Settings tracing = cupti.settings();
  const auto open = [&](const journal::Task&) -> Result<std::unique_ptr<TaskDevice>> {
    GN_ASSIGN_OR_RETURN(auto device,
                        TaskDevice::open_driver({true, 0}, SeenDriver::library(), tracing));
    GN_ASSIGN_OR_RETURN(auto tensors, tests::DriverDevice::create(*device->gpu()));
    device->replace_tensors(std::move(tensors));
    return device;
  };
  run_session(task, channel, open);
  std::string text(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)), '\0');
  EXPECT_EQ(::pread(file, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  ::close(file);
  std::istringstream lines(text);
  Json last;
  for (std::string line; std::getline(lines, line);)
    last = base::parse_json(line, "channel").value();
  EXPECT_EQ(last["final"], true) << text;
  return record::record_from_json(last["record"]).value();
}

class SessionFailures : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const bool needs_kernels = std::string(GetParam()) == "cold";
    if (needs_kernels && device::own_kernels() == nullptr) GTEST_SKIP() << "built without nvcc";
  }
};

TEST_P(SessionFailures, WithoutOneTheSampleIsOk) {
  const FakeCuptiLibrary cupti;
  const SeenDriver driver(cupti);
  const record::Record record = run(task_of(GetParam()), cupti);
  EXPECT_TRUE(record.is_ok()) << base::dump_json(to_json(record));
  EXPECT_EQ(record.timing.event_ns["eager"].size(), record.eager.trials_ns.size());
  EXPECT_EQ(record.timing.event_ns["plugin"].size(), record.plugin_side.trials_ns.size());
  EXPECT_EQ(SeenDriver::control().buffers, 0);
  EXPECT_EQ(SeenDriver::control().events, 0);
  EXPECT_EQ(SeenDriver::control().contexts, 0);
  EXPECT_EQ(cupti.control().num_subscribers, 0);
}

/// Functions whose failure stops nothing, and why it need not be told.
const std::map<std::string, const char*> kUntold = {
    {"cuDeviceGetPCIBusId", "clocks and the like are not noted then"},
    {"cuDevicePrimaryCtxRelease_v2", "given back at the end"},
    {"cuMemFree_v2", "given back at the end"},
    {"cuEventDestroy_v2", "given back at the end"},
    {"cuGetErrorName", "asked for an error only, which has a number then"},
    {"cuCtxGetCurrent", "asked for an error only"},
    {"cuptiGetCallbackName", "names launches for show; before recording: cupti_failures_test.cc"},
    {"cuptiUnsubscribe", "the session ends, and the process soon after"},
    {"cuptiGetResultString", "asked for an error only, which has a number then"},
};

/// How often each function was called.
std::map<std::string, std::size_t> count(const std::vector<std::string>& calls) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& call : calls) ++counts[call];
  return counts;
}

/// Which calls of a function fail, one in each sample. Samples of pairs take longer. With
/// GRAPHNET_FAIL_CALLS set about so many, evenly spread: which call is the middle one depends on
/// the machine's speed.
std::set<std::size_t> calls_to_fail(const std::string& method, std::size_t num_calls) {
  std::set<std::size_t> calls;
  if (const char* const wanted = ::getenv("GRAPHNET_FAIL_CALLS")) {
    const std::size_t step = 1 + num_calls / std::max(1UL, std::stoul(wanted));
    for (std::size_t call = 0; call < num_calls; call += step) calls.insert(call);
    return calls;
  }
  if (method != "upstream") return {num_calls / 2};
  return {0, num_calls / 2, num_calls - 1};
}

void expect_told(const std::string& function, std::size_t call, const record::Record& record) {
  const std::string text = base::dump_json(to_json(record));
  tests::print_failure(function + " " + std::to_string(call), kCode,
                       record.outcome.text() + " | " + record.message);
  EXPECT_FALSE(record.outcome.empty()) << function << ' ' << call;
  EXPECT_NE(record.outcome, Outcome::kOutOfMemory) << function << ' ' << call << ": " << text;
  if (kUntold.count(function) != 0) {
    EXPECT_TRUE(record.is_ok()) << function << ' ' << call << ": " << text;
    return;
  }
  EXPECT_TRUE(contains(text, function)) << function << ' ' << call << ": " << text;
  EXPECT_TRUE(contains(text, std::to_string(kCode))) << function << ' ' << call << ": " << text;
}

TEST_P(SessionFailures, OfTheDriverAreInTheRecord) {
  const journal::Task task = task_of(GetParam());
  std::map<std::string, std::size_t> counts;
  {
    const FakeCuptiLibrary cupti;
    const SeenDriver driver(cupti);
    run(task, cupti);
    counts = count(SeenDriver::control().calls);
  }
  EXPECT_GE(counts.size(), 18U);
  for (const auto& [function, num_calls] : counts) {
    for (const std::size_t call : calls_to_fail(GetParam(), num_calls)) {
      const FakeCuptiLibrary cupti;
      const SeenDriver driver(cupti);
      SeenDriver::control().fails_once = function;
      SeenDriver::control().failing_once_code = kCode;
      SeenDriver::control().num_before = call;
      const record::Record record = run(task, cupti);
      const bool has_failed = SeenDriver::control().fails_once.empty();
      if (has_failed) expect_told(function, call, record);
      EXPECT_EQ(SeenDriver::control().buffers, 0) << function << ' ' << call;
      EXPECT_EQ(SeenDriver::control().events, 0) << function << ' ' << call;
      const bool is_release = function == "cuDevicePrimaryCtxRelease_v2";
      EXPECT_EQ(SeenDriver::control().contexts, is_release ? 1 : 0) << function << ' ' << call;
      EXPECT_EQ(cupti.control().num_subscribers, 0) << function << ' ' << call;
    }
  }
}

TEST_P(SessionFailures, OfCuptiAreInTheRecord) {
  const journal::Task task = task_of(GetParam());
  std::map<std::string, std::size_t> counts;
  {
    const FakeCuptiLibrary cupti;
    const SeenDriver driver(cupti);
    run(task, cupti);
    counts = count(cupti.control().calls);
  }
  EXPECT_GE(counts.size(), 14U);
  for (const auto& [function, num_calls] : counts) {
    for (const std::size_t call : calls_to_fail(GetParam(), num_calls)) {
      const FakeCuptiLibrary cupti;
      const SeenDriver driver(cupti);
      cupti.control().fails_once = function;
      cupti.control().failing_once_code = kCode;
      cupti.control().num_before = call;
      const record::Record record = run(task, cupti);
      EXPECT_TRUE(record.is_ok()) << "times do not depend on CUPTI: " << record.message;
      if (cupti.control().fails_once.empty()) expect_told(function, call, record);
      EXPECT_EQ(cupti.control().num_subscribers, function == "cuptiUnsubscribe" ? 1 : 0)
          << function << ' ' << call;
    }
  }
}

// Weights and inputs are put back by copies: one that fails there must not be told of the plugin.
TEST(FailedCopies, AreNoFaultOfThePlugin) {
  const journal::Task task = task_of("paired");
  const std::string function = "cuMemcpyHtoD_v2";
  std::size_t num_calls = 0;
  {
    const FakeCuptiLibrary cupti;
    const SeenDriver driver(cupti);
    run(task, cupti);
    num_calls = count(SeenDriver::control().calls)[function];
  }
  ASSERT_GT(num_calls, kCopiesTried);
  std::size_t num_failed = 0;
  for (std::size_t i = 0; i < kCopiesTried; ++i) {
    const std::size_t call = i * num_calls / kCopiesTried;
    const FakeCuptiLibrary cupti;
    const SeenDriver driver(cupti);
    SeenDriver::control().fails_once = function;
    SeenDriver::control().failing_once_code = kCode;
    SeenDriver::control().num_before = call;
    const record::Record record = run(task, cupti);
    if (!SeenDriver::control().fails_once.empty()) continue;
    ++num_failed;
    expect_told(function, call, record);
    const bool is_right = record.is_ok() || record.outcome == Outcome::kReferenceFailed;
    EXPECT_TRUE(is_right) << call << ": " << record.outcome.text() << ": " << record.message;
  }
  EXPECT_GE(num_failed, kCopiesTried / 2);
}

// What does not fit beside others on the device is not begun; what finds no memory has a record.
TEST_P(SessionFailures, MemoryOfTheDeviceThatIsUsedUpIsTheOutcome) {
  const journal::Task task = task_of(GetParam());
  const FakeCuptiLibrary cupti;
  const SeenDriver driver(cupti);
  SeenDriver::control().free_bytes = 1 << 20;
  const record::Record skipped = run(task, cupti);
  EXPECT_EQ(skipped.outcome, Outcome::kSkipped);
  EXPECT_TRUE(contains(skipped.message, "cuda:0 has 1.00 MiB free")) << skipped.message;
  EXPECT_EQ(SeenDriver::control().largest_buffer, 0U);
  SeenDriver::control() = tests::FakeCuda();
  run(task, cupti);
  const std::size_t num_buffers = count(SeenDriver::control().calls)["cuMemAlloc_v2"];
  std::set<std::string> outcomes;
  for (std::size_t call = 0; call < num_buffers; ++call) {
    SeenDriver::control() = tests::FakeCuda();
    SeenDriver::control().fails_once = "cuMemAlloc_v2";
    SeenDriver::control().failing_once_code = 2;
    SeenDriver::control().num_before = call;
    const record::Record record = run(task, cupti);
    if (!SeenDriver::control().fails_once.empty()) continue;
    tests::print_failure("cuMemAlloc_v2 " + std::to_string(call), 2,
                         record.outcome.text() + " | " + record.message);
    outcomes.insert(record.outcome.text());
    EXPECT_TRUE(contains(base::dump_json(to_json(record)), "CUDA_ERROR_OUT_OF_MEMORY")) << call;
  }
  EXPECT_EQ(outcomes.count("out_of_memory"), 1U) << "of the plugin's outputs";
  EXPECT_EQ(outcomes.count("runtime_failed"), 0U);
}

INSTANTIATE_TEST_SUITE_P(Methods, SessionFailures, testing::Values("upstream", "paired", "cold"));

}  // namespace session_failures_test
}  // namespace graphnet::worker
