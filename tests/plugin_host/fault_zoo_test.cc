// SPDX-License-Identifier: MIT
//
// Plugins that load and then misbehave (fault_plugin.cc): each costs its own sample and nothing
// else. What is found without running any code of the plugin is in broken_file_test.cc.
#include "plugin_host/zoo.h"
#include "support/mentions.h"

namespace graphnet::tests {
namespace fault_zoo_test {

constexpr const char* kShortLimits = "timeouts: {compile: 1s, run: 1s}\n";
constexpr const char* kLittleMemory = "limits: {memory: 1GiB, memory_by: rlimit}\n";

/// What a fault must look like to the user.
struct Case {
  const char* fault;
  const char* outcome;
  std::vector<const char*> message;  ///< parts that the record's message holds
  const char* note = "";             ///< part of one of its notes
  const char* settings = "";
  double max_seconds = 20;
};

const Case kCases[] = {
    {"healthy", "ok", {}},
    {"wrong_major", "plugin_failed", {"built for plugin ABI 9.3", "speaks 0.3 to 0.3"}},
    {"future_minor", "plugin_failed", {"built for plugin ABI 0.7", "speaks 0.3 to 0.3"}},
    {"refuses_host", "plugin_failed", {"refuses this host", "full moon"}},
    {"crash_in_constructor",
     "crashed",
     {"crashed", "static constructors (phase compile)", "SIGSEGV"}},
    {"crash_in_query", "crashed", {"in gn_plugin_query (phase compile) with SIGSEGV"}},
    {"crash_in_compile", "crashed", {"in gn_backend_compile (phase compile) with SIGSEGV"}},
    {"crash_in_run", "crashed", {"in gn_backend_run (phase run) with SIGSEGV"}},
    {"abort_in_run", "crashed", {"in gn_backend_run (phase run) with SIGABRT"}},
    {"throw_in_compile",
     "plugin_failed",
     {"plugin bug", "exception left gn_backend_compile", "no such rewrite"}},
    {"exit_in_compile", "plugin_failed", {"called exit(3) in gn_backend_compile"}},
    {"exit_in_run", "plugin_failed", {"called exit(0) in gn_backend_run"}},
    {"hang_in_compile",
     "timed_out",
     {"exceeded the limit of 1s in gn_backend_compile (phase compile)"},
     "",
     kShortLimits,
     10},
    {"waits_for_cancel",
     "timed_out",
     {"exceeded the limit of 1s in gn_backend_compile (phase compile)"},
     "",
     kShortLimits,
     10},
    {"ignores_cancel",
     "timed_out",
     {"exceeded the limit of 1s in gn_backend_compile (phase compile)"},
     "did not end when told to (SIGTERM) and was killed",
     kShortLimits,
     12},
    {"hang_in_run",
     "timed_out",
     {"exceeded the limit of 1s in gn_backend_run (phase run)"},
     "did not end when told to (SIGTERM) and was killed",
     kShortLimits,
     12},
    {"swallows_crash",
     "timed_out",
     {"exceeded the limit of 1s in gn_backend_compile"},
     "",
     kShortLimits,
     10},
    {"writes_behind",
     "plugin_failed",
     {"plugin wrote behind", "last byte", "output0 (float32 [2, 3])"}},
    {"writes_before", "plugin_failed", {"plugin wrote before", "first byte", "output0"}},
    {"writes_weights",
     "plugin_failed",
     {"plugin changed weight", "'L_self_modules_fc1_parameters_weight_'", "only read"}},
    {"writes_inputs", "plugin_failed", {"plugin changed input", "'s77'", "only read"}},
    {"unwritten", "plugin_failed", {"plugin left output0 (float32 [2, 3]) unwritten"}},
    {"partly_written", "non_finite", {}},
    {"moves_output", "plugin_failed", {"changed", "tensor", "output0"}},
    {"long_info", "plugin_failed", {"plugin bug: info gave 1048576 bytes"}},
    {"zeros", "accuracy_mismatch", {}},
    {"not_a_number", "non_finite", {}},
    {"slightly_wrong", "accuracy_mismatch", {}},
    {"undefined_symbol",
     "plugin_failed",
     {"cannot load plugin: ", "undefined symbol: gn_host_secret"},
     "symbols of the host cannot be imported"},
    {"floods_output", "ok", {}, "wrote 1.00 GiB to standard output"},
    {"closes_files", "ok", {}},
    {"closes_all_files", "plugin_failed", {"closed", "worker's control channel"}},
    {"leaves_child", "ok", {}},
    {"leaves_daemon", "ok", {}},
    {"eats_memory", "out_of_memory", {"gn_backend_compile ran out of memory"}, "", kLittleMemory},
    {"eats_memory_malloc",
     "out_of_memory",
     {"ran out", "memory", "gn_backend_compile (phase compile)", "limit 1.00 GiB", "SIGSEGV"},
     "",
     kLittleMemory},
    {"unsupported_nodes",
     "unsupported",
     {"3 nodes: aten::linear(input 1 weight 0 weight 1 ) of rank 2, aten::relu(result 0 ) of rank "
      "2, aten::linear(result 0 weight 2 weight 3 ) of rank 2,"}},
    {"small_table", "plugin_failed", {"its table of 24 bytes is smaller than ABI 0.3 needs"}},
    {"empty_slot", "plugin_failed", {"mandatory slot", "table", "empty"}},
    {"other_slot", "plugin_failed", {"table slot 'run'", "exported gn_backend_run"}},
    {"other_name",
     "plugin_failed",
     {"says its name is 'someone_else', its plugin.yaml says 'other_name'"}},
    {"other_version",
     "plugin_failed",
     {"says its version is '7.0.0', its plugin.yaml says '0.1.0'"}},
};

void PrintTo(const Case& tested, std::ostream* stream) {
  *stream << tested.fault;
}

class FaultZoo : public ::testing::TestWithParam<Case> {};

bool any_contains(const std::vector<std::string>& texts, const std::string& part) {
  for (const std::string& text : texts) {
    if (text.find(part) != std::string::npos) return true;
  }
  return part.empty();
}

TEST_P(FaultZoo, CostsItsOwnSampleOnly) {
  const Case& expected = GetParam();
  if (ZOO_HAS_MEMORY_LIMIT == 0 && std::string_view(expected.settings) == kLittleMemory) {
    GTEST_SKIP() << "no memory limit under AddressSanitizer (base/memory.h)";
  }
  const ZooRun run(zoo_library(expected.fault), expected.settings);
  ASSERT_EQ(run.records().size(), 2U) << run.output();
  const record::Record& record = run.records()[0];
  EXPECT_EQ(record.outcome.text(), expected.outcome) << record.message;
  for (const char* part : expected.message) {
    EXPECT_NE(record.message.find(part), std::string::npos)
        << "'" << part << "' is not in: " << record.message;
  }
  EXPECT_TRUE(any_contains(record.notes, expected.note)) << base::dump_json(record.notes);
  EXPECT_TRUE(record.eager.median_ns) << "the reference's numbers are lost";
  EXPECT_FALSE(record.outcome == record::Outcome::kCrashed && is_empty(record.crash))
      << "no frames of the crash";
  const record::Record& next = run.records()[1];
  EXPECT_EQ(next.outcome, record::Outcome::kOk) << next.message;
  EXPECT_EQ(next.plugin, "nope");
  EXPECT_EQ(run.exit_code(), record.outcome == record::Outcome::kOk ? 0 : 1) << run.output();
  EXPECT_LT(run.seconds(), expected.max_seconds);
  EXPECT_EQ(run.num_left_processes(), 0);
}

INSTANTIATE_TEST_SUITE_P(Plugins, FaultZoo, ::testing::ValuesIn(kCases),
                         [](const auto& tested) { return std::string(tested.param.fault); });

class HungryPlugin : public ::testing::TestWithParam<const char*> {};

TEST_P(HungryPlugin, IsEndedByTheKernelWhereAGroupHoldsTheLimit) {
  const ZooRun run(zoo_library(GetParam()), "limits: {memory: 1GiB}\n");
  ASSERT_EQ(run.records().size(), 2U) << run.output();
  const record::Record& record = run.records()[0];
  const std::string holder = record.environment.memory_limit_by;
  if (holder.rfind("cgroup", 0) != 0) GTEST_SKIP() << "no control group here: " << holder;
  EXPECT_EQ(record.environment.memory_limit_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(record.outcome, record::Outcome::kOutOfMemory) << record.message;
  const std::string plugin = GetParam();
  EXPECT_TRUE(mentions(
      record.message, {"'" + plugin + "'", "gn_backend_compile", "compile", "1.00 GiB", "kernel"}));
  EXPECT_TRUE(is_empty(record.crash));
  EXPECT_TRUE(record.eager.median_ns) << "the reference's numbers are lost";
  EXPECT_EQ(run.records()[1].outcome, record::Outcome::kOk) << run.records()[1].message;
  EXPECT_EQ(run.num_left_processes(), 0);
}

INSTANTIATE_TEST_SUITE_P(Plugins, HungryPlugin,
                         ::testing::Values("eats_memory", "eats_memory_malloc"),
                         [](const auto& tested) { return std::string(tested.param); });

/// The frames of a crash with this fault; the first is where it happened.
std::vector<std::string> crash_frames(const std::string& fault, const std::string& signal) {
  const ZooRun run(zoo_library(fault), "", false);
  EXPECT_EQ(run.records().size(), 1U) << run.output();
  if (run.records().empty()) return {};
  const record::Crash& crash = run.records()[0].crash;
  EXPECT_EQ(crash.signal, signal);
  EXPECT_EQ(crash.address.empty(), signal != "SIGSEGV") << crash.address;
  return crash.frames;
}

bool is_in_plugin(const std::string& frame, const std::string& fault) {
  return frame.rfind("libgn_" + fault + ".so+0x", 0) == 0;
}

TEST(CrashReport, NamesWhereThePluginCrashed) {
  const auto frames = crash_frames("crash_in_run", "SIGSEGV");
  ASSERT_GT(frames.size(), 2U);
  EXPECT_TRUE(is_in_plugin(frames[0], "crash_in_run")) << frames[0];
  // Who called it: the exported function, if the compiler has not made one function of both.
  const bool has_caller =
      any_contains(frames, " gn_backend_run") || any_contains(frames, " run(gn_executable");
  EXPECT_TRUE(has_caller || any_contains(frames, "misbehave")) << base::dump_json(frames);
  EXPECT_TRUE(any_contains(frames, "graphnet-worker+0x")) << base::dump_json(frames);
}

TEST(CrashReport, NamesWhoAborted) {
  const auto frames = crash_frames("abort_in_run", "SIGABRT");
  ASSERT_GT(frames.size(), 2U);
  EXPECT_EQ(frames[0].rfind("libc.so", 0), 0U) << frames[0];
  bool is_named = false;
  for (const auto& frame : frames) is_named = is_named || is_in_plugin(frame, "abort_in_run");
  EXPECT_TRUE(is_named) << base::dump_json(frames);
}

// What the host demands and allows reaches the plugin, which refuses what it cannot do.
TEST(MathPolicy, ReachesThePlugin) {
  const std::string library = "keeps_denormals";
  const ZooRun refused(zoo_library(library), "math: {tf32: true, flush_denormals: true}\n", false);
  ASSERT_EQ(refused.records().size(), 1U) << refused.output();
  EXPECT_EQ(refused.records()[0].outcome, record::Outcome::kPluginFailed);
  EXPECT_TRUE(mentions(refused.records()[0].message, {"flush subnormals", "tf32"}))
      << refused.records()[0].message;
  EXPECT_EQ(refused.records()[0].math.text(), "tf32, flush_denormals");
  EXPECT_NE(refused.output().find("math tf32, flush_denormals"), std::string::npos)
      << refused.output();
  const ZooRun allowed(zoo_library(library), "math: {tf32: true, fast_math: true}\n", false);
  ASSERT_EQ(allowed.records().size(), 1U) << allowed.output();
  EXPECT_EQ(allowed.records()[0].outcome, record::Outcome::kOk) << allowed.records()[0].message;
  EXPECT_NE(allowed.records()[0].task_key, refused.records()[0].task_key);
}

TEST(MathPolicy, IsOneForAllPluginsOfARun) {
  const ZooRun run(zoo_library("healthy"), "math: {tf32: true}\n");
  EXPECT_EQ(run.exit_code(), 2);
  EXPECT_TRUE(run.records().empty());
  EXPECT_TRUE(mentions(run.output(), {"math policy"})) << run.output();
}

}  // namespace fault_zoo_test
}  // namespace graphnet::tests
