// SPDX-License-Identifier: MIT
#include "cli/control_runs.h"

#include <algorithm>

namespace graphnet::cli {

using record::Outcome;
using record::ProofVerdict;
using record::Record;

namespace {

constexpr ControlRun kRuns[] = {
    {"as it is", "control", ""},
    // With as many threads as cores, nobody can use more than are granted.
    {"with one thread", "control", "threads: 1\n"},
    // Results that are kept until the inputs change are right here, until the weights change.
    {"with inputs that are all the same", "control_constant", ""},
    // Results of any inputs are right here.
    {"with weights that hide the inputs", "control_insensitive", ""},
    // A policy that cannot be met is refused (rule C5 of sdk/ABI.md), which is right.
    {"with math.flush_denormals", "control", "math: {flush_denormals: true}\n", true},
};

bool begins_with(const std::string& text, const char* start) {
  return text.rfind(start, 0) == 0;
}

/// Whether a setting of the user decides what this run varies.
bool is_settled(const ControlRun& run, const std::vector<std::string>& settings) {
  const std::string lines = run.settings;
  return std::any_of(settings.begin(), settings.end(), [&](const std::string& setting) {
    const bool sets_threads = begins_with(setting, "threads=");
    const bool excludes_flushing =
        begins_with(setting, "device=cuda") || begins_with(setting, "math.flush_denormals=");
    return (begins_with(lines, "threads:") && sets_threads) ||
           (begins_with(lines, "math:") && excludes_flushing);
  });
}

/// What the record says of a flag: its note, which has the numbers, or what the flag means.
std::string said_of(const Record& record, const std::string& flag, const char* meaning) {
  const std::string start = flag + ": ";
  for (const std::string& note : record.notes) {
    if (begins_with(note, start.c_str())) return note;
  }
  return start + meaning;
}

/// Why the verdict could not be found out, if it is not the plugin's doing; else empty.
std::string machines_reason(const Record& record) {
  if (record.settings.value("proof", "full") != "full") return "proof is not full";
  if (!record.proof.unavailable.empty()) return record.proof.unavailable;
  if (!record.proof.samples.unavailable.empty()) return record.proof.samples.unavailable;
  return record.device == "cpu" ? "" : "the device's work is not known";
}

void judge_verdict(const Record& record, Judgement& judgement) {
  const std::string verdict = "verdict " + record.verdict.text();
  switch (record.verdict.kind.value()) {
    case ProofVerdict::kEager:
      judgement.warnings.push_back(verdict +
                                   ": libtorch did all the work, so no compiler was measured");
      return;
    case ProofVerdict::kMixed:
      if (record.verdict.detail == "declared") return;
      judgement.failures.push_back(verdict +
                                   ": libtorch did a part of the work\ntry: compute it in the "
                                   "plugin; what its compiler is built on belongs to "
                                   "`calls_libtorch` of plugin.yaml");
      return;
    case ProofVerdict::kEmpty:
      judgement.failures.push_back(verdict +
                                   ": the traced calls did not compute what they gave\ntry: "
                                   "compute in each call from what its inputs hold now (rule R3)");
      return;
    case ProofVerdict::kUnknown: {
      const std::string why = machines_reason(record);
      if (!why.empty()) {
        judgement.warnings.push_back(verdict + ": not found out on this machine (" + why + ")");
        return;
      }
      judgement.failures.push_back(verdict +
                                   ": what was traced is no evidence of what was timed\ntry: do "
                                   "the same in every call; graphnet help proof says what makes a "
                                   "verdict unknown");
      return;
    }
    default:
      return;
  }
}

// Before each side sample the host waits for other threads to sleep, and gives up after a while. By
// chance that happens to single ones.
void judge_idleness(const record::Timing& timing, Judgement& judgement) {
  constexpr double kShare = 0.25;
  const auto pairs = static_cast<std::int64_t>(timing.disturbed.size());
  // One of a control's may be one of a pair's.
  const std::int64_t side_samples = 2 * (pairs + timing.controls.value_or(0));
  const std::int64_t given_up = timing.idle_timeouts.value_or(0);
  if (given_up == 0 || static_cast<double>(given_up) < kShare * static_cast<double>(side_samples)) {
    return;
  }
  judgement.warnings.push_back(
      "threads still ran long after calls (" + std::to_string(given_up) + " of about " +
      std::to_string(side_samples) +
      " side samples): eager then has a core less, and the result is often unstable\n"
      "try: let the threads of the plugin's pool go to sleep within 0.1 ms of the end of a call");
}

}  // namespace

std::vector<ControlRun> control_runs(int num_cores, const std::vector<std::string>& settings) {
  std::vector<ControlRun> runs;
  for (const ControlRun& run : kRuns) {
    const bool repeats_first = num_cores == 1 && begins_with(run.settings, "threads:");
    if (!repeats_first && !is_settled(run, settings)) runs.push_back(run);
  }
  return runs;
}

Judgement judge(const Record& record) {
  Judgement judgement;
  for (const record::Word<record::Flag>& flag : record.flags) {
    const record::FlagFacts& facts = record::facts_of(flag.value());
    if (*facts.remedy == '\0') continue;
    judgement.failures.push_back("flagged " + said_of(record, flag.text(), facts.meaning) +
                                 "\ntry: " + facts.remedy);
  }
  const Outcome outcome = record.outcome.value();
  if (outcome == Outcome::kOk) {
    // A flag is the reason of such a verdict, and says more.
    const bool is_explained =
        !judgement.failures.empty() && (record.verdict.kind == ProofVerdict::kEmpty ||
                                        record.verdict.kind == ProofVerdict::kUnknown);
    if (!is_explained) judge_verdict(record, judgement);
    judge_idleness(record.timing, judgement);
  } else if (outcome != Outcome::kUnsupported && outcome != Outcome::kSkipped) {
    judgement.failures.push_back(record.outcome.text() + ": " + record.message);
  }
  return judgement;
}

}  // namespace graphnet::cli
