// SPDX-License-Identifier: MIT
#include "worker/second_weights.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <utility>

#include "base/memory.h"
#include "base/text.h"
#include "eager/calibration.h"
#include "graph/call_list.h"
#include "measure/environment.h"
#include "verify/scan.h"
#include "worker/input_shuffle.h"
#include "worker/sensitivity.h"
#include "worker/weight_values.h"
#include "worker/weights.h"

namespace graphnet::worker {

using base::Json;
using base::Result;
using base::Status;
using graph::WeightRole;
using graph::WeightUse;
using plugin::CallStatus;
using plugin::FailureKind;
using record::Outcome;

namespace {

constexpr double kCheckBudgetNs = 30e9;
// Of eager: the run that calibrates, its repetition, and two calls.
constexpr double kEagerCalls = 4;
constexpr double kFillNsAByte = 1;
// Of outputs: of the run that calibrates, of both sides in one call, and those of a checked call.
constexpr int kKeptSets = 5;
// Of the weights: what is put back, and what the copy of this process that stands by
// (eager_standby.h) shares no longer.
constexpr int kWeightSets = 2;

constexpr const char* kWhere = "on second weights: ";
constexpr const char* kNonFinite = "non_finite";

std::int64_t num_non_finite(const KeptOutput& output) {
  if (!base::is_floating(output.dtype)) return 0;
  constexpr int kBlock = 1024;
  std::array<double, kBlock> block;
  const std::int64_t total = *base::num_elements(output.shape);
  std::int64_t found = 0;
  for (std::int64_t begin = 0; begin < total; begin += kBlock) {
    const int count = static_cast<int>(std::min<std::int64_t>(kBlock, total - begin));
    verify::load_as_double(output.dtype, output.bytes.data(), begin, count, block.data());
    found += std::count_if(block.begin(), block.begin() + count,
                           [](double value) { return !std::isfinite(value); });
  }
  return found;
}

/// Whether some output has more of them than on the sample's own weights.
bool became_non_finite(const std::vector<KeptOutput>& first,
                       const std::vector<KeptOutput>& second) {
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (num_non_finite(second[i]) > num_non_finite(first[i])) return true;
  }
  return false;
}

Result<std::vector<WeightUse>> uses_in(const eager::Engine& engine,
                                       const std::vector<sample::Argument>& arguments) {
  std::vector<bool> weights;
  for (const sample::Argument& argument : arguments) weights.push_back(is_weight(argument.kind));
  const auto normal = engine.normal_form(weights);
  if (normal.is_ok()) return graph::weight_uses(*normal);
  GN_ASSIGN_OR_RETURN(const graph::CallList calls, engine.call_list(weights));
  return graph::weight_uses(graph::as_graph(calls));
}

/// One call of a side.
struct Called {
  std::vector<KeptOutput> outputs;
  double ns = 0;
};

class SecondWeights {
 public:
  SecondWeights(const ComparedSample& compared, const journal::Task& task,
                const SecondTimingMeans& means)
      : compared_(compared), task_(task), means_(means) {}

  SecondWeightsResult run(const SecondWeightsCosts& costs) {
    const Status chosen = choose(costs);
    if (!chosen.is_ok()) return not_tried(chosen.message());
    auto saved = SavedContent::save(compared_.arguments, uses_);
    if (!saved.is_ok()) {
      result_.is_crowded_out = true;
      return not_tried(saved.status().message());
    }
    Status ready = put_in_place();
    const bool is_tried = ready.is_ok();
    if (is_tried) ready = try_plugin();
    saved->restore(compared_.arguments);
    Status restored = update();
    if (restored.is_ok()) restored = compared_.eager.arguments().failed_copy();
    if (!restored.is_ok()) {
      fail(Outcome::kReferenceFailed, "after second weights: " + restored.message());
    } else if (is_tried && result_.outcome == Outcome::kNone) {
      go_back();
    }
    if (result_.outcome == Outcome::kNone) {
      if (!ready.is_ok()) return not_tried(ready.message());
      if (result_.found.evidence == kNonFinite) {
        return not_tried("eager's results on second weights are not finite");
      }
    }
    result_.found.outcome = result_.outcome;
    if (result_.outcome == Outcome::kNone) {
      result_.found.outcome = is_ill_ ? record::OtherInput::ill_conditioned() : Outcome::kOk;
    }
    if (!result_.message.empty()) result_.found.message = result_.message;
    return std::move(result_);
  }

 private:
  SecondWeightsResult not_tried(const std::string& reason) {
    result_.found.outcome = record::SecondWeights::not_tried();
    result_.found.message = reason;
    return std::move(result_);
  }

  Status choose(const SecondWeightsCosts& costs);
  Status check_costs(const SecondWeightsCosts& costs);
  Status put_in_place();
  Status update();
  Status calibrate();
  Status try_plugin();
  Status compare_on(std::uint32_t seed);
  Status compare_call(const std::string& where);
  void judge(const std::vector<KeptOutput>& eager, const std::string& where);
  void note_sensitivity(std::uint32_t seed);
  bool is_to_be_timed() const {
    return result_.outcome == Outcome::kNone && result_.found.evidence != kNonFinite;
  }
  bool is_fast_enough();
  void time();
  bool bind(const char* what);
  bool call(Called& called);
  void fail_call(const Status& status);
  void go_back();
  void fail(Outcome outcome, std::string message) {
    result_.outcome = outcome;
    result_.message = std::move(message);
  }

  const ComparedSample compared_;
  const journal::Task& task_;
  const SecondTimingMeans& means_;
  std::vector<WeightUse> uses_;
  // Drawn, so that results on these inputs cannot be there before the call.
  const std::uint32_t seed_ = std::random_device()();
  bool varies_ = false;                 // some input, with the seed
  std::vector<KeptOutput> calibrated_;  // eager's, on inputs of other content
  Called eager_;
  Called plugin_;
  std::vector<measure::PerSide<double>> calls_ns_;  // that were compared
  SecondWeightsResult result_;
  bool is_ill_ = false;
};

Status SecondWeights::choose(const SecondWeightsCosts& costs) {
  const auto no = [](const std::string& why) { return Status(base::Code::kUnsupported, why); };
  if (task_.second_weights == "off") return no("switched off");
  if (task_.weights == "frozen" && task_.second_weights != "always") {
    return no("weights mode frozen needs a second compile; second_weights: always allows it");
  }
  GN_ASSIGN_OR_RETURN(const auto uses, uses_in(compared_.eager.engine(), compared_.arguments));
  uses_ =
      changeable_weights(compared_.arguments, uses, compared_.eager.engine().pinned_arguments());
  int num_weights = 0;
  int num_changed = 0;
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    num_weights += is_weight(compared_.arguments[i].kind) ? 1 : 0;
    num_changed += uses_[i].role != WeightRole::kUnknown ? 1 : 0;
  }
  result_.found.seed = kSecondWeightsSeed;
  result_.found.changed = num_changed;
  result_.found.unchanged = num_weights - num_changed;
  if (num_weights == 0) return no("the sample has no weights");
  if (num_changed == 0) return no("no weight has a known role");
  return check_costs(costs);
}

// What the plugin takes or says leaves the check out at a price: it must not have been needed.
Status SecondWeights::check_costs(const SecondWeightsCosts& costs) {
  const std::int64_t weight_bytes = changeable_bytes(compared_.arguments, uses_);
  const double expected_ns =
      kEagerCalls * costs.eager_ns + kFillNsAByte * static_cast<double>(weight_bytes);
  if (expected_ns > kCheckBudgetNs) {
    return Status(base::Code::kUnsupported, "time: about " + base::format_duration(expected_ns) +
                                                ", at most " +
                                                base::format_duration(kCheckBudgetNs));
  }
  std::int64_t needed = kWeightSets * weight_bytes + costs.peak_live_bytes;
  for (const KeptOutput& output : compared_.eager.kept()) {
    needed += kKeptSets * static_cast<std::int64_t>(output.bytes.num_bytes());
  }
  const auto lacks = [](std::int64_t need, std::int64_t have) {
    const auto text = [](std::int64_t bytes) {
      return base::format_bytes(static_cast<unsigned long long>(bytes));
    };
    return Status(base::Code::kUnsupported, "memory: need " + text(need) + ", have " + text(have));
  };
  if (needed > costs.available_bytes) return lacks(needed, costs.available_bytes);
  // A plugin may say that it keeps more than it can.
  const auto resident = static_cast<std::uint64_t>(measure::peak_rss_bytes().value_or(0));
  needed += static_cast<std::int64_t>(std::min(compared_.plugin.kept_bytes(), resident));
  const std::int64_t available = base::available_memory_bytes();
  result_.is_crowded_out = needed > available;
  return result_.is_crowded_out ? lacks(needed, available).add_context("beside the plugin")
                                : Status::ok();
}

Status SecondWeights::put_in_place() {
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    if (uses_[i].role == WeightRole::kUnknown) continue;
    fill_weight(uses_[i], kSecondWeightsSeed, i, compared_.arguments[i]);
  }
  GN_RETURN_IF_ERROR(update());
  GN_ASSIGN_OR_RETURN(varies_, on_other_inputs(
                                   compared_, [] { return Status::ok(); }, seed_));
  // Results on the content that is compared later must not be in memory before the plugin's calls.
  const DeviceArguments& on_device = compared_.eager.arguments();
  InputShuffle shuffle(on_device,
                       sample::variable_arguments(compared_.sample.metas, compared_.arguments,
                                                  compared_.eager.engine().pinned_arguments()),
                       kSecondWeightsSeed);
  Status done = shuffle.next();
  if (done.is_ok()) done = calibrate();
  if (done.is_ok() && calibrated_.empty() && varies_) {
    done = run_eager(compared_, calibrated_).status();
  }
  GN_RETURN_IF_ERROR(shuffle.restore());
  return done;
}

/// Leaves calibrated_ empty where the run's outputs are not those of the weights that it leaves.
Status SecondWeights::calibrate() {
  std::vector<WeightRole> roles;
  for (const WeightUse& use : uses_) roles.push_back(use.role);
  const DeviceArguments& on_device = compared_.eager.arguments();
  GN_RETURN_IF_ERROR(compared_.eager.prepare());
  GN_ASSIGN_OR_RETURN(eager::Calibration found,
                      eager::calibrate(compared_.sample.program, engine_arguments(on_device), roles,
                                       on_device.device().name(), /*then_reverse=*/!varies_));
  if (found.is_final) calibrated_ = std::move(found.outputs);
  GN_RETURN_IF_ERROR(on_device.device().wait());
  if (on_device.device().is_host()) return Status::ok();
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    if (uses_[i].role == WeightRole::kUnknown) continue;
    base::AlignedBuffer& bytes = compared_.arguments[i].bytes;
    GN_RETURN_IF_ERROR(
        on_device.device().copy_out(bytes.data(), on_device.data(i), bytes.num_bytes()));
  }
  return Status::ok();
}

Status SecondWeights::update() {
  for (std::size_t i = 0; i < uses_.size(); ++i) {
    if (uses_[i].role == WeightRole::kUnknown) continue;
    GN_RETURN_IF_ERROR(compared_.eager.arguments().update(i));
  }
  return Status::ok();
}

bool SecondWeights::bind(const char* what) {
  if (task_.weights == "per_call") return true;
  double bind_ns = 0;
  means_.bind_cores(task_.compile_threads);
  const CallStatus status = compared_.plugin.bind(bind_ns);
  if (!result_.found.bind_ns) result_.found.bind_ns = bind_ns;
  if (status.is_ok()) return true;
  const bool memory = status.kind == FailureKind::kOutOfMemory;
  fail(memory ? Outcome::kOutOfMemory : Outcome::kPluginFailed,
       std::string("bind of the ") + what + " failed: " + status.status.message());
  return false;
}

bool SecondWeights::call(Called& called) {
  means_.bind_cores(task_.threads);
  const Result<double> ran = run_plugin(compared_, called.outputs);
  if (!ran.is_ok()) fail_call(ran.status());
  called.ns = ran.is_ok() ? *ran : 0;
  return ran.is_ok();
}

void SecondWeights::fail_call(const Status& status) {
  const FailureKind kind = compared_.plugin.failure().kind;
  fail(kind == FailureKind::kOutOfMemory ? Outcome::kOutOfMemory
       : kind == FailureKind::kBroken    ? Outcome::kPluginFailed
                                         : Outcome::kRuntimeFailed,
       kWhere + status.message());
}

Status SecondWeights::try_plugin() {
  if (task_.weights == "frozen") {
    CompileTimes times;
    means_.bind_cores(task_.compile_threads);
    const CallStatus compiled = compared_.plugin.compile_second(times);
    result_.found.compile_ns = times.compile_ns;
    if (!compiled.is_ok()) {
      fail(Outcome::kPluginFailed, kWhere + compiled.status.message());
      return Status::ok();
    }
  }
  if (!bind("second weights")) return Status::ok();
  GN_RETURN_IF_ERROR(compare_on(seed_));
  if (!is_to_be_timed()) return Status::ok();
  // The first call after a bind may be right where the next repeats it; those that are timed are
  // checked. Of inputs that do not vary, eager's results are in memory by now.
  const bool is_long = means_.call_ns[measure::kEager] >= kLongCallNs;
  if (varies_ && (is_long || is_fast_enough())) {
    GN_RETURN_IF_ERROR(compare_on(std::random_device()()));
    if (!is_to_be_timed()) return Status::ok();
  }
  if (!is_fast_enough()) time();
  return Status::ok();
}

/// One call of each side on the inputs of a seed; on the sample's own if none changes with it.
Status SecondWeights::compare_on(std::uint32_t seed) {
  if (!varies_) return compare_call(kWhere);
  const std::string where =
      "on second weights and the inputs of seed " + std::to_string(seed) + ": ";
  const auto called = on_other_inputs(
      compared_, [&] { return compare_call(where); }, seed);
  GN_RETURN_IF_ERROR(called.status());
  if (is_to_be_timed()) note_sensitivity(seed);
  return Status::ok();
}

/// The plugin's call first: eager's results on these inputs must not be in memory before it.
Status SecondWeights::compare_call(const std::string& where) {
  if (!call(plugin_)) return Status::ok();
  GN_ASSIGN_OR_RETURN(eager_.ns, run_eager(compared_, eager_.outputs));
  calls_ns_.push_back({eager_.ns, plugin_.ns});
  const bool is_finite = !became_non_finite(compared_.eager.kept(), eager_.outputs);
  result_.found.evidence = is_finite ? "insensitive" : kNonFinite;
  if (!is_finite) return Status::ok();
  judge(eager_.outputs, where);
  return Status::ok();
}

/// The plugin's last outputs.
void SecondWeights::judge(const std::vector<KeptOutput>& eager, const std::string& where) {
  const PresentJudgement judged = judge_on_present_inputs(compared_, eager, plugin_.outputs);
  is_ill_ = is_ill_ || judged.standing == PresentStanding::kIllConditioned;
  if (judged.standing != PresentStanding::kWrong) return;
  fail(judged.comparison.outcome, where + judged.comparison.message);
}

/// What the plugin gives on the content of the calibrating run is not known, and not needed: where
/// eager's results there are far from those here, being near them here is to follow.
void SecondWeights::note_sensitivity(std::uint32_t seed) {
  const Sensitivity both =
      sensitivity_of({eager_.outputs, calibrated_, plugin_.outputs, calibrated_});
  result_.found.evidence = both.is_sensitive ? "sensitive" : "insensitive";
  result_.found.sensitivity = both.json;
  result_.found.sensitivity["seed"] = seed;
  result_.is_evidence = both.is_followed && !is_ill_;
}

// On a device a call ends before its work does.
bool SecondWeights::is_fast_enough() {
  return compared_.eager.device().is_host() &&
         take_compared_calls(calls_ns_, means_.call_ns, result_.found);
}

void SecondWeights::time() {
  SecondTimingEnd end = time_second_weights(compared_, means_, result_.found);
  if (end.findings.flag != record::Flag::kNone) {
    result_.flag = end.findings.flag;
    return fail(end.findings.outcome, kWhere + end.findings.message);
  }
  if (end.failure.is_ok()) return;
  if (compared_.plugin.failure().is_ok()) {
    result_.found.untimed = end.failure.message();
  } else {
    fail_call(end.failure);
  }
}

// The first weights are in place again.
void SecondWeights::go_back() {
  if (task_.weights == "frozen") {
    const Status last_call = compared_.plugin.take_first_back();
    if (!last_call.is_ok()) return fail_call(last_call);
  } else if (!bind("first weights for the second time")) {
    return;
  }
  // The timed calls are checked too; this one is for the message.
  if (means_.call_ns[measure::kEager] >= kLongCallNs || !call(plugin_)) return;
  judge(compared_.eager.kept(), "after the first weights were bound again: ");
}

}  // namespace

SecondWeightsResult try_second_weights(const ComparedSample& compared, const journal::Task& task,
                                       const SecondWeightsCosts& costs,
                                       const SecondTimingMeans& means) {
  return SecondWeights(compared, task, means).run(costs);
}

}  // namespace graphnet::worker
