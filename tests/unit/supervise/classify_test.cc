// SPDX-License-Identifier: MIT
#include "supervise/classify.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <utility>

namespace graphnet::supervise {
namespace classify_test {

using record::Outcome;
using record::Phase;
using record::Record;
using Stop = WorkerEnd::Stop;

constexpr std::int64_t kLimitBytes = 1000;

PlannedTask planned_task() {
  PlannedTask planned;
  planned.task.plugin_name = "acme";
  planned.task.memory_limit_bytes = kLimitBytes;
  return planned;
}

WorkerEnd ended(Phase phase) {
  WorkerEnd end;
  end.phase = phase;
  end.oom_kill = OomKill::kNone;
  return end;
}

/// A way to end and the outcomes that follow from it, by the phases of classify()'s table.
struct EndCase {
  const char* name;
  void (*become)(WorkerEnd& end);
  Outcome in_load;
  Outcome in_eager;
  Outcome in_compile;
};

constexpr EndCase kEnds[] = {
    {"signal", [](WorkerEnd& end) { end.exit.signal = SIGSEGV; }, Outcome::kInvalidSample,
     Outcome::kReferenceFailed, Outcome::kCrashed},
    {"killed at the limit of its group",
     [](WorkerEnd& end) {
       end.exit.signal = SIGKILL;
       end.oom_kill = OomKill::kAtLimit;
     },
     Outcome::kReferenceFailed, Outcome::kReferenceFailed, Outcome::kOutOfMemory},
    {"killed for lack of memory of the machine",
     [](WorkerEnd& end) {
       end.exit.signal = SIGKILL;
       end.oom_kill = OomKill::kOutside;
     },
     Outcome::kReferenceFailed, Outcome::kReferenceFailed, Outcome::kOutOfMemory},
    {"killed where the kernel does not tell",
     [](WorkerEnd& end) {
       end.exit.signal = SIGKILL;
       end.oom_kill = OomKill::kUnknown;
     },
     Outcome::kReferenceFailed, Outcome::kReferenceFailed, Outcome::kOutOfMemory},
    {"killed by somebody", [](WorkerEnd& end) { end.exit.signal = SIGKILL; },
     Outcome::kReferenceFailed, Outcome::kReferenceFailed, Outcome::kKilled},
    {"a refused allocation",
     [](WorkerEnd& end) {
       end.exit.signal = SIGABRT;
       end.no_memory = true;
     },
     Outcome::kInvalidSample, Outcome::kReferenceFailed, Outcome::kOutOfMemory},
    {"a limit that was nearly used up",
     [](WorkerEnd& end) {
       end.exit.signal = SIGSEGV;
       end.memory_by = "RLIMIT_DATA";
       end.exit.peak_rss_bytes = kLimitBytes / 4 * 3 + 1;
     },
     Outcome::kInvalidSample, Outcome::kReferenceFailed, Outcome::kOutOfMemory},
    {"a limit with room left",
     [](WorkerEnd& end) {
       end.exit.signal = SIGSEGV;
       end.memory_by = "RLIMIT_DATA";
       end.exit.peak_rss_bytes = kLimitBytes / 4 * 3;
     },
     Outcome::kInvalidSample, Outcome::kReferenceFailed, Outcome::kCrashed},
    {"a limit of a group does not refuse memory",
     [](WorkerEnd& end) {
       end.exit.signal = SIGSEGV;
       end.memory_by = "cgroup v2";
       end.exit.peak_rss_bytes = kLimitBytes;
     },
     Outcome::kInvalidSample, Outcome::kReferenceFailed, Outcome::kCrashed},
    {"time limit",
     [](WorkerEnd& end) {
       end.stop = Stop::kTimeLimit;
       end.exit.signal = SIGKILL;
     },
     Outcome::kInvalidSample, Outcome::kReferenceFailed, Outcome::kTimedOut},
    {"exit", [](WorkerEnd& end) { end.exit.exit_code = 0; }, Outcome::kInvalidSample,
     Outcome::kReferenceFailed, Outcome::kPluginFailed},
    {"broken message",
     [](WorkerEnd& end) {
       end.stop = Stop::kProtocol;
       end.exit.signal = SIGKILL;
     },
     Outcome::kReferenceFailed, Outcome::kReferenceFailed, Outcome::kPluginFailed},
};

TEST(Classify, OutcomeFollowsFromTheEndAndThePhase) {
  for (const EndCase& one : kEnds) {
    const std::pair<Phase, Outcome> outcomes[] = {
        {Phase::kLoad, one.in_load},       {Phase::kPlan, one.in_load},
        {Phase::kInputs, one.in_load},     {Phase::kNone, one.in_eager},
        {Phase::kEager, one.in_eager},     {Phase::kCompile, one.in_compile},
        {Phase::kBind, one.in_compile},    {Phase::kRun, one.in_compile},
        {Phase::kCompare, one.in_compile}, {Phase::kSecondWeights, one.in_compile},
        {Phase::kTime, one.in_compile}};
    for (const auto& [phase, outcome] : outcomes) {
      WorkerEnd end = ended(phase);
      one.become(end);
      const Record record = classify(planned_task(), end);
      EXPECT_EQ(record.outcome, outcome) << one.name << " in phase '" << name_of(phase) << "'";
      EXPECT_EQ(record.phase, phase) << one.name;
      EXPECT_FALSE(record.message.empty()) << one.name;
    }
  }
}

TEST(Classify, ASettledOutcomeStays) {
  for (const EndCase& one : kEnds) {
    for (const Phase phase : {Phase::kRobustness, Phase::kProof}) {
      WorkerEnd end = ended(phase);
      end.record.emplace();
      end.record->outcome = Outcome::kOk;
      one.become(end);
      const Record record = classify(planned_task(), end);
      EXPECT_EQ(record.outcome, Outcome::kOk) << one.name;
      EXPECT_EQ(record.message, "") << one.name;
      EXPECT_FALSE(record.notes.empty()) << one.name;
      const bool is_proof = phase == Phase::kProof;
      EXPECT_EQ(record.verdict.kind,
                is_proof ? record::ProofVerdict::kUnknown : record::ProofVerdict::kNone)
          << one.name;
      EXPECT_EQ(record.checks.other_inputs_end.empty(), is_proof) << one.name;
    }
  }
}

TEST(Classify, AFinalRecordStandsWhateverTheEnd) {
  for (const EndCase& one : kEnds) {
    WorkerEnd end = ended(Phase::kTime);
    end.record.emplace();
    end.record->outcome = Outcome::kAccuracyMismatch;
    end.record->message = "off";
    end.is_final = true;
    one.become(end);
    const Record record = classify(planned_task(), end);
    EXPECT_EQ(record.outcome, Outcome::kAccuracyMismatch) << one.name;
    EXPECT_EQ(record.message, "off") << one.name;
  }
}

TEST(Classify, PausesAreTakenOutOfDurations) {
  WorkerEnd end = ended(Phase::kProof);
  end.is_final = true;
  end.record.emplace();
  end.record->outcome = Outcome::kOk;
  end.record->phases_ns = {{"compile", 900}, {"bind", 50}, {"run", 70}};
  end.record->plugin_side.compile_ns = 600;
  end.record->plugin_side.bind_ns = 40;
  using std::chrono::nanoseconds;
  end.paused = {{"compile", nanoseconds(300)},
                {"compile/gn_backend_compile", nanoseconds(200)},
                {"bind", nanoseconds(80)}};
  const Record record = classify(planned_task(), end);
  EXPECT_EQ(record.phases_ns.value("compile", 0.0), 600);
  EXPECT_EQ(record.phases_ns.value("bind", 1.0), 0);
  EXPECT_EQ(record.phases_ns.value("run", 0.0), 70);
  EXPECT_EQ(record.plugin_side.compile_ns, 400);
  EXPECT_EQ(record.plugin_side.bind_ns, 40);
}

PlannedTask refused(base::Code code) {
  PlannedTask planned;
  planned.refusal =
      base::Status(code, "no").add_context("plugin.yaml").add_hint("another protocol");
  return planned;
}

TEST(RefusedRecord, SaysWhyAndWhatToTry) {
  const Record record = refused_record(refused(base::Code::kPlugin));
  EXPECT_EQ(record.outcome, Outcome::kPluginFailed);
  EXPECT_EQ(record.phase, Phase::kNone);
  EXPECT_EQ(record.message, "no");
  EXPECT_EQ(record.notes, (std::vector<std::string>{"at: plugin.yaml", "try: another protocol"}));
}

// A protocol that replays captured calls, for one.
TEST(RefusedRecord, WhatAPluginDoesNotOfferIsUnsupported) {
  EXPECT_EQ(refused_record(refused(base::Code::kUnsupported)).outcome, Outcome::kUnsupported);
}

}  // namespace classify_test
}  // namespace graphnet::supervise
