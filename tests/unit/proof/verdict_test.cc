// SPDX-License-Identifier: MIT
#include "proof/verdict.h"

#include <gtest/gtest.h>

namespace graphnet::proof {
namespace verdict_test {

/// A plugin that computes by itself.
Evidence proven() {
  Evidence evidence;
  evidence.plugin_runs = 10;
  evidence.plugin_windows = 2;
  return evidence;
}

TEST(Verdict, ProvenIfNothingSpeaksAgainstIt) {
  EXPECT_EQ(verdict_of(proven()).text(), "proven");
}

TEST(Verdict, EagerIfLibtorchRanTheProgram) {
  Evidence evidence = proven();
  evidence.eager_runs = 10;
  EXPECT_EQ(verdict_of(evidence).text(), "eager");
  evidence = proven();
  evidence.dispatched = {"aten::relu"};
  evidence.covers_program = true;
  EXPECT_EQ(verdict_of(evidence).text(), "eager");
}

TEST(Verdict, MixedNamesWhatWasEnteredThenWhatWasDispatched) {
  Evidence evidence = proven();
  evidence.eager_runs = 1;
  EXPECT_EQ(verdict_of(evidence).text(), "mixed(eager service)");
  evidence.inside = {"at::native::f"};
  EXPECT_EQ(verdict_of(evidence).text(), "mixed(at::native::f)");
  evidence.entered = {"at::cpu::mm", "aten::relu"};
  evidence.dispatched = {"aten::relu", "aten::fill_"};
  EXPECT_EQ(verdict_of(evidence).text(), "mixed(at::cpu::mm, aten::relu, aten::fill_)");
  evidence.dispatched.push_back("aten::copy_");
  EXPECT_EQ(verdict_of(evidence).text(), "mixed(at::cpu::mm, aten::relu, aten::fill_, ...)");
}

TEST(Verdict, MixedSaysDeclaredIfTheManifestNamesAllThatWasCalled) {
  Evidence evidence = proven();
  evidence.entered = {"aoti_torch_cpu_mm_out", "aten::convolution"};
  evidence.dispatched = {"aten::convolution"};
  evidence.inside = {"at::native::f"};
  evidence.declared = {"aoti_torch_*", "aten::convolution"};
  EXPECT_EQ(verdict_of(evidence).text(), "mixed(declared)");
  evidence.dispatched.push_back("aten::sort");
  EXPECT_EQ(verdict_of(evidence).text(), "mixed(aten::sort)");
  evidence.dispatched.pop_back();
  evidence.eager_runs = 1;
  EXPECT_EQ(verdict_of(evidence).text(), "mixed(at::native::f)");
}

TEST(Verdict, ReportedIfTheWorkIsDoneWhereNothingIsTraced) {
  Evidence evidence = proven();
  evidence.runs_elsewhere = true;
  EXPECT_EQ(verdict_of(evidence).text(), "reported");
  evidence.unsampled = "no samples";
  evidence.flags = {record::Flag::kHelperProcess};
  EXPECT_EQ(verdict_of(evidence).text(), "reported") << "there is nothing to see in this process";
  evidence.differs = "outputs differ";
  EXPECT_EQ(verdict_of(evidence).text(), "unknown(outputs differ)");
  evidence = proven();
  evidence.runs_elsewhere = true;
  evidence.entered = {"at::cpu::mm"};
  EXPECT_EQ(verdict_of(evidence).text(), "mixed(at::cpu::mm)");
  evidence.entered.clear();
  evidence.is_stale = true;
  EXPECT_EQ(verdict_of(evidence).text(), "empty");
  evidence.is_stale = false;
  evidence.unavailable = "refused";
  EXPECT_EQ(verdict_of(evidence).text(), "unknown(refused)");
}

TEST(Verdict, MixedNamesWhatWasNotAskedForByName) {
  Evidence evidence = proven();
  evidence.inside = {"at::native::f"};
  evidence.declared = {"*"};
  EXPECT_EQ(verdict_of(evidence).text(), "mixed(at::native::f)");
}

TEST(Verdict, MixedIfThreadsWereFoundInLibtorchWhereTheTracerSawNoEntry) {
  Evidence evidence = proven();
  evidence.sampled = "at::native::gemv";
  evidence.unsampled = "too few";
  EXPECT_EQ(verdict_of(evidence).text(), "mixed(at::native::gemv)");
  evidence.unavailable = "refused";
  EXPECT_EQ(verdict_of(evidence).text(), "unknown(refused)");
  evidence.unavailable.clear();
  evidence.sampled.clear();
  EXPECT_EQ(verdict_of(evidence).text(), "unknown(too few)");
}

TEST(Verdict, EmptyIfTheCallsDidNotCompute) {
  for (const record::Flag flag :
       {record::Flag::kStaleOutput, record::Flag::kLateOutput, record::Flag::kUnwrittenOutput}) {
    Evidence evidence = proven();
    evidence.flags = {record::Flag::kDenormal, flag};
    evidence.unavailable = "not traced";
    EXPECT_EQ(verdict_of(evidence).text(), "empty") << name_of(flag);
  }
  Evidence evidence = proven();
  evidence.is_stale = true;
  EXPECT_EQ(verdict_of(evidence).text(), "empty");
  evidence = proven();
  evidence.plugin_windows = 0;
  EXPECT_EQ(verdict_of(evidence).text(), "empty");
}

TEST(Verdict, UnknownSaysWhy) {
  EXPECT_EQ(verdict_of(Evidence()).text(), "unknown(no run)");
  Evidence evidence = proven();
  evidence.unavailable = "refused";
  EXPECT_EQ(verdict_of(evidence).text(), "unknown(refused)");
  evidence = proven();
  evidence.differs = "outputs differ";
  EXPECT_EQ(verdict_of(evidence).text(), "unknown(outputs differ)");
  for (const record::Flag flag :
       {record::Flag::kImplausible, record::Flag::kWrongOutput, record::Flag::kClockTampered,
        record::Flag::kHelperProcess, record::Flag::kSettingsChanged}) {
    evidence = proven();
    evidence.flags = {flag};
    EXPECT_EQ(verdict_of(evidence).text(), "unknown(" + std::string(name_of(flag)) + ")");
  }
  evidence = proven();
  evidence.flags = {record::Flag::kDenormal};
  EXPECT_EQ(verdict_of(evidence).text(), "proven") << "says nothing of who did the work";
}

TEST(Verdict, WhatSpeaksAgainstThePluginCountsBeforeWhatIsMissing) {
  Evidence evidence = proven();
  evidence.unavailable = "refused";
  evidence.dispatched = {"aten::relu"};
  evidence.is_stale = true;
  EXPECT_EQ(verdict_of(evidence).text(), "mixed(aten::relu)");
}

}  // namespace verdict_test
}  // namespace graphnet::proof
