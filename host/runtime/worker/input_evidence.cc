// SPDX-License-Identifier: MIT
#include "worker/input_evidence.h"

#include <string>
#include <utility>
#include <vector>

#include "plugin/status_bridge.h"
#include "worker/second_weights.h"
#include "worker/sensitivity.h"

namespace graphnet::worker {

using base::Status;
using record::Flag;
using record::Outcome;

namespace {

void fail(record::Record& record, Outcome outcome, std::string message) {
  record.outcome = outcome;
  record.message = std::move(message);
  record.speedup.reset();
}

/// What a failed call is to be flagged as.
void add_flag_of_failure(const ComparedSample& compared, record::Record& record) {
  const Flag flag = compared.plugin.flag();
  if (flag != Flag::kNone) record.flags.emplace_back(flag);
}

std::string seed_text() {
  return "on the inputs of seed " + std::to_string(kOtherInputsSeed) + ": ";
}

/// Calls on the other inputs, while they are in place.
class OtherSeed {
 public:
  OtherSeed(const ComparedSample& compared, record::Record& record)
      : compared_(compared), record_(record) {}

  /// True if the plugin follows.
  bool look() {
    const auto varied = on_other_inputs(compared_, [this] { return call(); });
    if (!varied.is_ok()) {
      note_failure(varied.status());
    } else if (!*varied) {
      record_.checks.sensitivity = {{"seed", kOtherInputsSeed}, {"varied", false}};
    }
    return is_followed_;
  }

 private:
  Status call() {
    std::vector<KeptOutput> eager;
    std::vector<KeptOutput> plugin;
    // In this order: what is not in memory yet cannot be copied from there.
    GN_RETURN_IF_ERROR(run_plugin(compared_, plugin).status());
    GN_RETURN_IF_ERROR(run_eager(compared_, eager).status());
    const Sensitivity found =
        sensitivity_of({compared_.eager.kept(), eager, compared_.plugin.kept(), plugin});
    record_.checks.sensitivity = found.json;
    is_followed_ = found.is_followed;
    // Where eager itself is far from float64, its change is no measure.
    const PresentJudgement judged = judge_on_present_inputs(compared_, eager, plugin);
    record_.checks.other_inputs.push_back(
        other_input("seed " + std::to_string(kOtherInputsSeed), judged));
    if (judged.standing == PresentStanding::kWrong) blame(judged, found);
    return Status::ok();
  }

  void blame(const PresentJudgement& judged, const Sensitivity& found) {
    if (found.stale.empty()) {
      record_.flags.emplace_back(Flag::kOtherSeed);
      return fail(record_, judged.comparison.outcome, seed_text() + judged.comparison.message);
    }
    record_.flags.emplace_back(found.stays ? Flag::kStaleOutput : Flag::kWrongOutput);
    fail(record_, found.stays ? Outcome::kPluginFailed : judged.comparison.outcome, found.stale);
  }

  void note_failure(const Status& status) {
    const plugin::CallStatus& failure = compared_.plugin.failure();
    if (failure.is_ok()) {
      record_.notes.push_back(seed_text() + status.message());
      return;
    }
    const bool is_broken = failure.kind == plugin::FailureKind::kBroken;
    fail(record_, is_broken ? Outcome::kPluginFailed : Outcome::kRuntimeFailed,
         seed_text() + status.message());
  }

  const ComparedSample& compared_;
  record::Record& record_;
  bool is_followed_ = false;
};

}  // namespace

bool check_evidence_of_inputs(const ComparedSample& compared, const journal::Task& task,
                              const SecondTimingMeans& means, record::Record& record) {
  if (!record.is_ok()) return true;
  const bool is_followed = OtherSeed(compared, record).look();
  const Status copied = compared.eager.arguments().failed_copy();
  if (!copied.is_ok()) fail(record, Outcome::kReferenceFailed, seed_text() + copied.message());
  if (!record.is_ok()) {
    add_flag_of_failure(compared, record);
    return false;
  }
  const SecondWeightsCosts costs = {means.call_ns[measure::kEager],
                                    record.plan.peak_live_bytes.value_or(0), means.available_bytes};
  SecondWeightsResult second = try_second_weights(compared, task, costs, means);
  record.checks.second_weights = std::move(second.found);
  if (second.outcome != Outcome::kNone) {
    if (second.flag != Flag::kNone) record.flags.emplace_back(second.flag);
    add_flag_of_failure(compared, record);
    fail(record, second.outcome, std::move(second.message));
    return false;
  }
  const bool is_shown = is_followed || second.is_evidence;
  if (!is_shown || second.is_crowded_out) record.flags.emplace_back(Flag::kUnvaried);
  return true;
}

}  // namespace graphnet::worker
