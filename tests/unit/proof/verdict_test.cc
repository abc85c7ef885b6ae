// SPDX-License-Identifier: MIT
#include "proof/verdict.h"

#include <gtest/gtest.h>

namespace graphnet::proof {
namespace {

/// A plugin that computes by itself.
Evidence proven() {
  Evidence evidence;
  evidence.plugin_runs = 10;
  evidence.plugin_windows = 2;
  return evidence;
}

TEST(Verdict, ProvenIfNothingSpeaksAgainstIt) {
  EXPECT_EQ(verdict_of(proven()), "proven");
}

TEST(Verdict, EagerIfLibtorchRanTheProgram) {
  Evidence evidence = proven();
  evidence.eager_runs = 10;
  EXPECT_EQ(verdict_of(evidence), "eager");
  evidence = proven();
  evidence.dispatched = {"aten::relu"};
  evidence.covers_program = true;
  EXPECT_EQ(verdict_of(evidence), "eager");
}

TEST(Verdict, MixedNamesWhatWasEnteredThenWhatWasDispatched) {
  Evidence evidence = proven();
  evidence.eager_runs = 1;
  EXPECT_EQ(verdict_of(evidence), "mixed(eager service)");
  evidence.inside = {"at::native::f"};
  EXPECT_EQ(verdict_of(evidence), "mixed(at::native::f)");
  evidence.entered = {"at::cpu::mm", "aten::relu"};
  evidence.dispatched = {"aten::relu", "aten::fill_"};
  EXPECT_EQ(verdict_of(evidence), "mixed(at::cpu::mm, aten::relu, aten::fill_)");
  evidence.dispatched.push_back("aten::copy_");
  EXPECT_EQ(verdict_of(evidence), "mixed(at::cpu::mm, aten::relu, aten::fill_, ...)");
}

TEST(Verdict, EmptyIfTheCallsDidNotCompute) {
  for (const char* flag : {"stale_output", "late_output", "unwritten_output"}) {
    Evidence evidence = proven();
    evidence.flags = {"denormal", flag};
    evidence.unavailable = "not traced";
    EXPECT_EQ(verdict_of(evidence), "empty") << flag;
  }
  Evidence evidence = proven();
  evidence.is_stale = true;
  EXPECT_EQ(verdict_of(evidence), "empty");
  evidence = proven();
  evidence.plugin_windows = 0;
  EXPECT_EQ(verdict_of(evidence), "empty");
}

TEST(Verdict, UnknownSaysWhy) {
  EXPECT_EQ(verdict_of(Evidence()), "unknown(no run)");
  Evidence evidence = proven();
  evidence.unavailable = "refused";
  EXPECT_EQ(verdict_of(evidence), "unknown(refused)");
  evidence = proven();
  evidence.differs = "outputs differ";
  EXPECT_EQ(verdict_of(evidence), "unknown(outputs differ)");
  for (const char* flag :
       {"implausible", "wrong_output", "clock_tampered", "helper_process", "settings_changed"}) {
    evidence = proven();
    evidence.flags = {flag};
    EXPECT_EQ(verdict_of(evidence), "unknown(" + std::string(flag) + ")");
  }
  evidence = proven();
  evidence.flags = {"denormal"};
  EXPECT_EQ(verdict_of(evidence), "proven") << "says nothing of who did the work";
}

TEST(Verdict, WhatSpeaksAgainstThePluginCountsBeforeWhatIsMissing) {
  Evidence evidence = proven();
  evidence.unavailable = "refused";
  evidence.dispatched = {"aten::relu"};
  evidence.is_stale = true;
  EXPECT_EQ(verdict_of(evidence), "mixed(aten::relu)");
}

}  // namespace
}  // namespace graphnet::proof
