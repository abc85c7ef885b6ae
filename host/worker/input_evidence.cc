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

namespace {

void fail(journal::Record& record, std::string outcome, std::string message) {
  record.outcome = std::move(outcome);
  record.message = std::move(message);
  record.speedup.reset();
}

/// Calls on the other inputs, while they are in place.
class OtherSeed {
 public:
  OtherSeed(const ComparedSample& compared, journal::Record& record)
      : compared_(compared), record_(record) {}

  /// True if the plugin follows.
  bool look() {
    const auto varied = on_other_inputs(compared_, [this] { return call(); });
    if (!varied.is_ok()) {
      note_failure(varied.status());
    } else if (!*varied) {
      record_.checks["sensitivity"] = {{"seed", kOtherInputsSeed}, {"varied", false}};
    }
    return is_followed_;
  }

 private:
  Status call() {
    std::vector<KeptOutput> eager;
    std::vector<KeptOutput> plugin;
    GN_RETURN_IF_ERROR(run_eager(compared_, eager));
    GN_RETURN_IF_ERROR(run_plugin(compared_, plugin));
    const Sensitivity found =
        sensitivity_of({compared_.eager.kept(), eager, compared_.plugin.kept(), plugin});
    record_.checks["sensitivity"] = found.json;
    is_followed_ = found.is_followed;
    if (found.stale.empty()) return Status::ok();
    // Where eager itself is far from float64, its change is no measure.
    const PresentJudgement judged = judge_on_present_inputs(compared_, eager, plugin);
    if (judged.standing != PresentStanding::kWrong) return Status::ok();
    record_.flags.emplace_back(found.stays ? "stale_output" : "wrong_output");
    fail(record_, found.stays ? "plugin_failed" : judged.comparison.outcome, found.stale);
    return Status::ok();
  }

  void note_failure(const Status& status) {
    const std::string where = "on the inputs of seed " + std::to_string(kOtherInputsSeed) + ": ";
    const plugin::CallStatus& failure = compared_.plugin.failure();
    if (failure.is_ok()) {
      record_.notes.push_back(where + status.message());
      return;
    }
    const bool is_broken = failure.kind == plugin::FailureKind::kBroken;
    fail(record_, is_broken ? "plugin_failed" : "runtime_failed", where + status.message());
  }

  const ComparedSample& compared_;
  journal::Record& record_;
  bool is_followed_ = false;
};

}  // namespace

bool check_evidence_of_inputs(const ComparedSample& compared, const journal::Task& task,
                              journal::Record& record) {
  if (record.outcome != "ok") return true;
  const bool is_followed = OtherSeed(compared, record).look();
  if (record.outcome != "ok") return false;
  const SecondWeightsCosts costs = {record.eager.median_ns.value_or(0),
                                    record.plan.value("peak_live_bytes", std::int64_t{0})};
  SecondWeightsResult second = try_second_weights(compared, task, costs);
  record.checks["second_weights"] = std::move(second.json);
  if (!second.outcome.empty()) {
    fail(record, std::move(second.outcome), std::move(second.message));
    return false;
  }
  if (!is_followed && !second.is_evidence) record.flags.emplace_back("unvaried");
  return true;
}

}  // namespace graphnet::worker
