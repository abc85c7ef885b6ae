// SPDX-License-Identifier: MIT
//
// Plugins that do one thing wrong, and the outcome that each must have.
#include "conformance/isolated_run.h"

#include <gtest/gtest.h>

#include "support/folders.h"

namespace graphnet::conformance {
namespace isolated_run_test {

constexpr const char* kCases = R"(graph "family/op/f32/first"
%0: f32[2,3] = input "x"
%1: f32[3] = weight "w"
%2: f32[2,3] = aten::mul.Tensor(self=%0, other=%1)
return %2

graph "family/op/f32/second"
%0: f32[4] = input "x"
%1: f32[4] = aten::neg(self=%0)
return %1
)";

std::vector<CaseResult> run(const std::string& fault, const std::string& text = kCases,
                            bool artifacts = false,
                            std::optional<std::uint64_t> memory = std::nullopt) {
  const auto cases = parse_cases(text, "x.gir");
  EXPECT_TRUE(cases.is_ok()) << cases.status().message();
  std::vector<const Case*> pointers;
  for (const Case& each : *cases) pointers.push_back(&each);
  const std::filesystem::path folder = std::filesystem::path(tests::build_dir()) / "tests/plugins";
  std::vector<CaseResult> results;
  const auto status = run_isolated(pointers, folder / fault / ("libgn_" + fault + ".so"),
                                   {base::Json::object(), artifacts, memory, {}, true},
                                   [&](const Case& item, const CaseResult& result) {
                                     EXPECT_EQ(&item, pointers[results.size()]);
                                     results.push_back(result);
                                   });
  EXPECT_TRUE(status.is_ok()) << status.message();
  return results;
}

void expect_all(const std::vector<CaseResult>& results, Outcome outcome, const std::string& part) {
  ASSERT_EQ(results.size(), 2U);
  for (const CaseResult& result : results) {
    EXPECT_EQ(result.outcome, outcome) << result.message;
    EXPECT_NE(result.message.find(part), std::string::npos) << result.message;
  }
}

TEST(IsolatedRun, APluginThatIsRightPasses) {
  expect_all(run("healthy"), Outcome::kPassed, "");
}

TEST(IsolatedRun, WrongNumbersFail) {
  expect_all(run("slightly_wrong"), Outcome::kFailed, "instead of");
}

TEST(IsolatedRun, ADeathCostsItsCaseOnly) {
  expect_all(run("crash_in_run"), Outcome::kFailed, "crashed: Segmentation fault");
  expect_all(run("exit_in_run"), Outcome::kFailed, "ended the process with exit code");
}

TEST(IsolatedRun, RefusalsAreUnsupported) {
  expect_all(run("unsupported_nodes"), Outcome::kUnsupported, "");
}

TEST(IsolatedRun, AnAnswerThatCompileDoesNotKeepFails) {
  expect_all(run("refuses_late"), Outcome::kFailed, "check_only said that it is supported");
  expect_all(run("compiles_when_asked"), Outcome::kFailed, "an executable with check_only");
}

TEST(IsolatedRun, ALoadedExecutableMustDoTheSame) {
  expect_all(run("other_artifact", kCases, true), Outcome::kFailed, "gives other bits");
  expect_all(run("other_artifact"), Outcome::kPassed, "");
  expect_all(run("healthy", kCases, true), Outcome::kPassed, "");
}

TEST(IsolatedRun, WithoutMemoryGivingUpPassesAndPretendingFails) {
  constexpr std::uint64_t kMemory = std::uint64_t{128} << 20U;
  expect_all(run("ignores_no_memory"), Outcome::kPassed, "");
  expect_all(run("ignores_no_memory", kCases, false, kMemory), Outcome::kFailed, "unwritten");
  expect_all(run("eats_memory", kCases, false, kMemory), Outcome::kPassed, kGaveUp);
  expect_all(run("crash_in_run", kCases, false, kMemory), Outcome::kPassed, kGaveUp);
  expect_all(run("slightly_wrong", kCases, false, kMemory), Outcome::kFailed, "instead of");
  expect_all(run("healthy", kCases, false, kMemory), Outcome::kPassed, "");
}

TEST(IsolatedRun, WhatAPluginPrintsAndLeavesBehindIsNoResult) {
  expect_all(run("floods_output"), Outcome::kPassed, "");
  expect_all(run("leaves_child"), Outcome::kPassed, "");
}

TEST(IsolatedRun, WritesWhereNothingMayBeWrittenFail) {
  expect_all(run("writes_inputs"), Outcome::kFailed, "wrote to argument");
  expect_all(run("writes_behind"), Outcome::kFailed, "behind the last byte");
  expect_all(run("unwritten"), Outcome::kFailed, "unwritten");
}

TEST(IsolatedRun, ACaseThatEagerSeesOtherwiseIsInvalid) {
  const auto results = run("healthy",
                           "graph \"a/b/c/shape\"\n%0: f32[4] = input \"x\"\n"
                           "%1: f32[3] = aten::neg(self=%0)\nreturn %1\n\n"
                           "graph \"a/b/c/operator\"\n%0: f32[4] = input \"x\"\n"
                           "%1: f32[4] = aten::no_such(self=%0)\nreturn %1\n");
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].outcome, Outcome::kInvalid);
  EXPECT_EQ(results[0].message, "output 0 is f32[4], the case says f32[3]");
  EXPECT_EQ(results[1].outcome, Outcome::kInvalid);
}

TEST(IsolatedRun, APluginThatCannotBeOpenedIsAnError) {
  const auto cases = parse_cases(kCases, "x.gir");
  ASSERT_TRUE(cases.is_ok());
  const auto status = run_isolated({&(*cases)[0]}, "/no/such/plugin.so", SessionSettings(),
                                   [](const Case&, const CaseResult&) { FAIL(); });
  EXPECT_FALSE(status.is_ok());
}

}  // namespace isolated_run_test
}  // namespace graphnet::conformance
