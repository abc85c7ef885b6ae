// SPDX-License-Identifier: MIT
//
// Every plugin of the zoo (tests/plugin_host) through `graphnet plugin check`: the level at which
// it fails and why, or why it may pass.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "support/folders.h"
#include "support/mentions.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace plugin_check_test {

namespace fs = std::filesystem;

const fs::path kControl = fs::path(source_dir()) / "configs/control";
const fs::path kBuild = build_dir();
const fs::path kZoo = kBuild / "tests" / "plugins";

/// A plugin of the zoo, the level at which it fails, and why.
struct Fault {
  const char* name;
  int level;
  const char* reason;
  int cores = 1;               ///< without which it is no fault
  const char* or_reason = "";  ///< another symptom, which may show first; empty: none

  friend std::ostream& operator<<(std::ostream& out, const Fault& fault) {
    return out << fault.name;
  }
};

const Fault kLoads[] = {
    {"missing_query", 0, "does not export gn_plugin_query"},
    {"missing_compile", 0, "does not export gn_backend_compile"},
    {"missing_run", 0, "does not export gn_backend_run"},
    {"missing_dependency", 0, "libgn_zoo_absent_one.so.2"},
    {"undefined_symbol", 1, "undefined symbol"},
    {"wrong_major", 1, "ABI 9.3"},
    {"future_minor", 1, "ABI 0.7"},
    {"refuses_host", 1, "needs a full moon"},
    {"other_name", 1, "says its name is 'someone_else'"},
    {"other_version", 1, "says its version is '7.0.0'"},
    {"small_table", 1, "is smaller than ABI"},
    {"empty_slot", 1, "a mandatory slot of its table is empty"},
    {"other_slot", 1, "is not the exported gn_backend_run"},
    {"crash_in_constructor", 1, "crashed in its static constructors"},
    {"crash_in_query", 1, "crashed in gn_plugin_query"},
    {"crash_in_compile", 1, "crashed in gn_backend_compile"},
    {"crash_in_run", 1, "crashed in gn_backend_run"},
    {"abort_in_run", 1, "SIGABRT"},
    {"exit_in_compile", 1, "called exit(3)"},
    {"exit_in_run", 1, "called exit(0)"},
    {"throw_in_compile", 1, "an exception left gn_backend_compile"},
    {"hang_in_compile", 1, "exceeded the limit of 3s in gn_backend_compile"},
    {"hang_in_run", 1, "exceeded the limit of 3s in gn_backend_run"},
    {"ignores_cancel", 1, "exceeded the limit of 3s"},
    {"waits_for_cancel", 1, "exceeded the limit of 3s"},
    {"swallows_crash", 1, "exceeded the limit of 3s"},
    {"closes_all_files", 1, "closed the worker's control channel"},
    {"unwritten", 1, "unwritten"},
    {"partly_written", 1, "non_finite"},
    {"not_a_number", 1, "non_finite"},
    {"zeros", 1, "accuracy_mismatch"},
    {"slightly_wrong", 1, "accuracy_mismatch"},
    {"wrong_relu", 1, "accuracy_mismatch"},
    {"writes_before", 1, "before the first byte"},
    {"writes_behind", 1, "behind the last byte"},
    {"writes_inputs", 1, "changed input"},
    {"writes_weights", 1, "changed weight"},
    {"moves_output", 1, "changed the tensor of output0"},
    {"long_info", 1, "info gave 1048576 bytes"},
};

const Fault kAppetites[] = {
    {"floods_output", 1, "wrote 1.00 GiB to standard output and error"},
    {"eats_memory", 1, "ran out of memory"},
    {"eats_memory_malloc", 1, "ran out of memory"},
};

const Fault kCases[] = {
    {"compiles_when_asked", 2, "an executable with check_only"},
    {"refuses_late", 2, "check_only said that it is supported"},
    {"other_artifact", 2, "the loaded executable gives other bits"},
    {"closes_files", 2, "ended the process"},
    {"ignores_no_memory", 2, "unwritten"},
    // They start threads in compile, which throws where no memory is left, before they play a
    // trick.
    {"all_cores", 2, "an exception left gn_backend_compile"},
    {"stops_count", 2, "an exception left gn_backend_compile"},
    {"burns_core", 2, "an exception left gn_backend_compile"},
};

/// Found by what it gives, whatever else the machine does.
const Fault kSamples[] = {
    {"onednn_off", 3, "flagged settings_changed"},
    {"one_thread", 3, "flagged settings_changed", 2},
    {"flushes_denormals", 3, "flagged settings_changed"},
    {"leaves_child", 3, "flagged helper_process"},
    {"unsupported_nodes", 3, "no sample runs"},
    {"late_output", 3, "after gn_backend_run had returned"},
    {"moves_later", 3, "moved_output"},
    {"fast_clock", 3, "clock_tampered"},
    {"cached_output", 3, "stale_output"},
    {"skips_calls_at_last", 3, "unwritten_output"},
    {"zero_writer", 3, "accuracy_mismatch"},
    {"wrong_elsewhere_at_last", 3, "on shuffled inputs"},
    {"wrong_at_first", 3, "wrong_output"},
    {"other_seed", 3, "other_seed"},
    {"one_element", 3, "an element is off"},
    {"built_in_weights", 3, "second weights"},
    {"stays_bound", 3, "first weights were bound again"},
    // What they remember is of inputs alone, so other weights make it wrong.
    {"remembers", 3, "inputs that are all the same: accuracy_mismatch: on second weights"},
    {"watches_input", 3, "inputs that are all the same: accuracy_mismatch: on second weights", 1,
     "first weights were bound again"},
    {"memo_by_content", 3, "inputs that are all the same: flagged implausible"},
    {"libtorch_from_third_bind", 3, "verdict mixed(sgemm_"},
    // It computes another program than the control sample.
    {"picks_honestly", 3, "non_finite"},
};

/// Found by what a plugin above is found by, in level 3 too, and checked alone in
/// tests/plugin_host.
const char* const kAsOthers[] = {"leaves_daemon",
                                 "slow_clock",
                                 "half_clock",
                                 "nearly_clock",
                                 "answers_clock",
                                 "cached_output_at_last",
                                 "stale_input",
                                 "stale_input_at_last",
                                 "flipped_bit",
                                 "flipped_bit_at_last",
                                 "ignores_inputs",
                                 "watches_quickly",
                                 "wrong_at_first_at_last",
                                 "orphan_helper",
                                 "starts_programs",
                                 "watches_inputs",
                                 "memo_by_last",
                                 "samples_input",
                                 "remembers_rows",
                                 "masks_badly",
                                 "drops_honestly",
                                 "drops_reversed",
                                 "masks_honestly",
                                 "picks_badly_later",
                                 "wrong_elsewhere",
                                 "helper_process"};

/// Found by times: a busy machine may look like a trick, or hide one.
const Fault kTimes[] = {
    {"constant_if_it_may", 3, "weights that hide the inputs: flagged tuned_to_weights"},
    {"constant_beside_slow_eager", 3, "flagged eager_slowed"},
    {"constant_and_keeps_much", 3, "weights that hide the inputs: flagged tuned_to_weights"},
    // On two cores the host's steps around its calls may show first.
    {"libtorch_until_zeros", 3, "verdict unknown(calls take", 1, "flagged untimed_work"},
    {"interrupts_eager", 3, "flagged eager_slowed"},
    {"interrupts_gently", 3, "flagged eager_slowed"},
    {"interrupts_pairs", 3, "flagged eager_slowed"},
    {"ends_copy", 3, "flagged eager_slowed"},
    {"closes_outputs", 3, "flagged untimed_work"},
    {"traps_clock", 3, "flagged untimed_work"},
    {"traps_clock_at_times", 3, "flagged untimed_work"},
    {"hides_child", 3, "with one thread: flagged over_threads", 2, "flagged helper_process"},
};

/// A plugin of the zoo that may pass, and why.
struct Pass {
  const char* name;
  const char* because;
  const char* says = "level 3  samples     ";  ///< part of what the check prints
  const char* level = "3";                     ///< the last

  friend std::ostream& operator<<(std::ostream& out, const Pass& pass) { return out << pass.name; }
};

const Pass kPasses[] = {
    {"healthy", "asks the host to run eager, and says so", "verdict eager: libtorch did all"},
    {"honest", "computes each call itself"},
    {"busy", "computes each call itself, slowly"},
    // Long double: level 3 takes more than ten minutes.
    {"interpreter", "the interpreter of sdk/lowering, which computes each call itself",
     "level 2  conformance passed", "2"},
    {"tutorial", "the plugin of the tutorial"},
    {"peeks", "looks at what tells calls apart, finds nothing, and computes each call"},
    {"interrupts_until_stopped", "its speedup is unstable, so it is claimed nowhere",
     "times are unstable"},
    {"looks_for_results", "finds no results of eager's in memory, so it computes"},
    {"libtorch_until_third_bind", "the calls that are timed are its own; before, libtorch's are"},
    {"keeps_denormals", "refuses a math policy that it cannot meet, as rule C5 wants",
     "refuses to run with math.flush_denormals: cannot flush subnormals"},
};

std::vector<std::string> check_words(const std::string& name,
                                     const std::vector<std::string>& flags) {
  std::vector<std::string> words = {(kBuild / "bin" / "graphnet").string(), "plugin", "check",
                                    (kZoo / name).string()};
  words.insert(words.end(), flags.begin(), flags.end());
  return words;
}

/// Level 3 on the control samples alone, with as little as possible of level 2.
const std::vector<std::string> kOnControl = {"--cases", "product/linear/f32/bias", "--samples",
                                             kControl.string()};

int num_cores() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  ::sched_getaffinity(0, sizeof mask, &mask);
  return CPU_COUNT(&mask);
}

/// What `plugin check` finds first, with more flags of its own.
void expect_failure(const Fault& fault, std::vector<std::string> flags) {
  flags.emplace_back("--json");
  const TempDir temp;
  const ProgramEnd end = run_program(check_words(fault.name, flags), {}, temp.path() / "log");
  EXPECT_EQ(end.state.exit_code, 4) << fault.name << end.output;
  const auto json = base::parse_json(end.output, "check");
  ASSERT_TRUE(json.is_ok()) << end.output;
  const auto& checks = (*json)["checks"];
  const auto failed = std::find_if(checks.begin(), checks.end(),
                                   [](const auto& each) { return each["state"] == "failed"; });
  ASSERT_NE(failed, checks.end()) << end.output;
  EXPECT_EQ((*failed)["level"], fault.level) << end.output;
  const auto message = (*failed)["message"].template get<std::string>();
  const std::string other = fault.or_reason;
  const bool is_other = !other.empty() && message.find(other) != std::string::npos;
  EXPECT_TRUE(is_other || message.find(fault.reason) != std::string::npos) << end.output;
}

class PluginCheckLoads : public ::testing::TestWithParam<Fault> {};

TEST_P(PluginCheckLoads, FindsTheFault) {
  expect_failure(GetParam(),
                 {"--level", "1", "--set", "timeouts.compile=3s", "--set", "timeouts.run=3s"});
}

class PluginCheckAppetites : public ::testing::TestWithParam<Fault> {};

TEST_P(PluginCheckAppetites, AreFound) {
  expect_failure(GetParam(), {"--level", "1", "--set", "limits.memory=1GiB"});
}

class PluginCheckCases : public ::testing::TestWithParam<Fault> {};

TEST_P(PluginCheckCases, FindsTheFault) {
  expect_failure(GetParam(), {"--level", "2", "--cases", "product/linear/f32/*"});
}

class PluginCheckSamples : public ::testing::TestWithParam<Fault> {};

TEST_P(PluginCheckSamples, FindsTheTrick) {
  if (GetParam().cores > num_cores()) GTEST_SKIP() << "too few cores";
  // What they give shows in a few calls; an interval need not be narrow.
  std::vector<std::string> flags = {"--set", "protocol.time=100ms", "--set",
                                    "protocol.warmup_time=100ms"};
  flags.insert(flags.end(), kOnControl.begin(), kOnControl.end());
  expect_failure(GetParam(), flags);
}

class PluginCheckTimes : public ::testing::TestWithParam<Fault> {};

TEST_P(PluginCheckTimes, FindsTheTrick) {
  if (GetParam().cores > num_cores()) GTEST_SKIP() << "too few cores";
  // Nobody is accused without an interval, which a busy machine must not take away here.
  std::vector<std::string> flags = {"--set", "protocol.max_waited=1", "--set",
                                    "protocol.max_dropped=1"};
  flags.insert(flags.end(), kOnControl.begin(), kOnControl.end());
  expect_failure(GetParam(), flags);
}

class PluginCheckTimesPasses : public ::testing::TestWithParam<Pass> {};

TEST_P(PluginCheckTimesPasses, WhatGainsNothing) {
  const Pass& pass = GetParam();
  const TempDir temp;
  std::vector<std::string> flags = {"--level", pass.level};
  flags.insert(flags.end(), kOnControl.begin(), kOnControl.end());
  const ProgramEnd end = run_program(check_words(pass.name, flags), {}, temp.path() / "log");
  EXPECT_NE(end.output.find(pass.says), std::string::npos) << end.output;
  EXPECT_EQ(end.state.exit_code, 0) << pass.because << end.output;
}

constexpr auto kName = [](const auto& row) { return std::string(row.param.name); };
INSTANTIATE_TEST_SUITE_P(Faults, PluginCheckLoads, ::testing::ValuesIn(kLoads), kName);
INSTANTIATE_TEST_SUITE_P(Faults, PluginCheckAppetites, ::testing::ValuesIn(kAppetites), kName);
INSTANTIATE_TEST_SUITE_P(Faults, PluginCheckCases, ::testing::ValuesIn(kCases), kName);
INSTANTIATE_TEST_SUITE_P(Tricks, PluginCheckSamples, ::testing::ValuesIn(kSamples), kName);
INSTANTIATE_TEST_SUITE_P(Tricks, PluginCheckTimes, ::testing::ValuesIn(kTimes), kName);
INSTANTIATE_TEST_SUITE_P(Zoo, PluginCheckTimesPasses, ::testing::ValuesIn(kPasses), kName);

template <typename Rows>
void add_names(const Rows& rows, std::multiset<std::string>& names) {
  for (const auto& row : rows) names.insert(row.name);
}

TEST(PluginCheck, EachPluginOfTheZooFailsOrHasAReason) {
  std::multiset<std::string> listed;
  add_names(kLoads, listed);
  add_names(kAppetites, listed);
  add_names(kCases, listed);
  add_names(kSamples, listed);
  add_names(kTimes, listed);
  add_names(kPasses, listed);
  listed.insert(std::begin(kAsOthers), std::end(kAsOthers));
  std::multiset<std::string> built;
  for (const auto& entry : fs::directory_iterator(kZoo)) {
    if (fs::exists(entry.path() / "plugin.yaml")) built.insert(entry.path().filename());
  }
  EXPECT_EQ(listed, built);
}

TEST(PluginCheckTimesControl, Passes) {
  const TempDir temp;
  const ProgramEnd end =
      run_program({(kBuild / "bin" / "graphnet").string(), "plugin", "check",
                   (kBuild / "lib/graphnet/plugins/nope/libgn_nope.so").string(), "--cases",
                   "product/linear/f32/bias", "--samples", kControl.string()},
                  {}, temp.path() / "log");
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_TRUE(mentions(end.output, {"level 0  exports     passed", "level 1  compile     passed",
                                    "level 3  control     warning", "verdict eager"}));
}

}  // namespace plugin_check_test
}  // namespace graphnet::tests
