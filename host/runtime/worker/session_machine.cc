// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "base/text.h"
#include "eager/flush_denormals.h"
#include "measure/pair_summary.h"
#include "measure/roofline.h"
#include "measure/statistics.h"
#include "worker/correctness.h"
#include "worker/eager_watch.h"
#include "worker/session.h"

namespace graphnet::worker {

bool Session::prepare_machine() {
  if (!is_paired()) return true;
  auto settings = measure::paired_settings(task_.protocol_settings);
  if (!settings.is_ok()) return end(record::Outcome::kReferenceFailed, settings.status());
  settings_ = *settings;
  bind_cores(task_.threads);
  if (!device_->is_cuda()) standby_ = EagerStandby::start(sample_, arguments_, task_.math);
  if (standby_) family_.exempt(standby_->pid());
  // Behind the copy, which the clock then does not count.
  family_clock_ =
      measure::FamilyClock::open(settings_.affinity ? cores_.other_cores() : std::vector<int>());
  return true;
}

void Session::compare_eager(const measure::PairedResult& result) {
  eager_times_ = {eager_warmup_.typical_ns(), result.summary.median_ns[measure::kEager]};
  record_.checks.eager_watch = {{"before_ns", eager_times_.before_ns},
                                {"in_pairs_ns", eager_times_.in_pairs_ns}};
  if (!cores_.cores().empty()) record_.timing.cores = cores_.cores();
  is_eager_suspicious_ = is_suspicious(eager_times_, result.summary);
}

void Session::bind_cores(int count) {
  if (is_paired() && settings_.affinity) cores_.bind(count);
}

bool Session::watch_eager() {
  const std::unique_ptr<EagerStandby> standby = std::move(standby_);
  std::vector<Finding> findings;
  // No copy is made for a device.
  if (is_eager_suspicious_ && !device_->is_cuda()) {
    findings = confirm_slowed(*eager_, *plugin_, standby.get(), eager_times_, settings_,
                              record_.checks.eager_watch);
  }
  cores_.release();  // no times are taken from here on
  return note(findings);
}

bool Session::note(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    const auto& flags = record_.flags;
    if (std::find(flags.begin(), flags.end(), finding.flag) != flags.end()) continue;
    record_.flags.emplace_back(finding.flag);
    record_.notes.push_back(name_of(finding.flag) + (": " + finding.message));
    if (!finding.is_fatal) continue;
    record_.outcome = record::Outcome::kPluginFailed;
    record_.message = finding.message;
    record_.speedup.reset();
    judge_service();
    return false;
  }
  return true;
}

void Session::note_helpers(const std::vector<std::string>& names) {
  if (names.empty()) return;
  note({{record::Flag::kHelperProcess,
         "processes that the plugin started lived while witnesses looked on: " +
             base::join(names, ", ")}});
}

// Arithmetic on subnormals can be a hundred times slower; a plugin that flushes them to zero would
// look that much faster.
void Session::check_subnormals() {
  if (task_.math.flush_denormals) return;  // both sides do
  const record::Subnormals& shares = record_.checks.subnormals;
  const double largest =
      std::max(shares.argument_share.value_or(0), shares.output_share.value_or(0));
  if (largest < kSubnormalShare) return;
  record_.flags.emplace_back(record::Flag::kDenormal);
  if (!eager::set_flush_denormals(true)) return;
  measure::SideCalls calls = eager_->calls();
  calls.after_first = nullptr;  // the kept outputs are those of the reference
  const auto flushed = measure::time_sequential(calls, {1, 5});
  eager::set_flush_denormals(false);
  if (!flushed.is_ok()) return;
  record_.checks.eager_flushed_ns = measure::summarise(flushed->trials_ns).median;
}

void Session::check_roofline() {
  if (!record_.plugin_side.median_ns || !record_.plan.live_flop) return;
  measure::Work work;
  work.flop = *record_.plan.live_flop;
  work.bytes = static_cast<double>(record_.plan.must_move_bytes.value_or(0));
  work.has_half = std::any_of(arguments_.begin(), arguments_.end(), [](const auto& argument) {
    return argument.dtype == base::DType::kFloat16 || argument.dtype == base::DType::kBFloat16;
  });
  const double least_ns = measure::least_time_ns(work, measure::measure_peaks(), task_.threads);
  record_.checks.least_time_ns = least_ns;
  if (*record_.plugin_side.median_ns >= least_ns) return;
  record_.flags.emplace_back(record::Flag::kImplausible);
  record_.notes.push_back("implausible: the plugin's median is shorter than the " +
                          base::format_duration(least_ns) +
                          " that this machine needs at least for the graph's arithmetic");
}

}  // namespace graphnet::worker
