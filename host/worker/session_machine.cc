// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "measure/pair_summary.h"
#include "worker/eager_watch.h"
#include "worker/session.h"

namespace graphnet::worker {

bool Session::prepare_machine() {
  if (!is_paired()) return true;
  auto settings = measure::paired_settings(task_.protocol_settings);
  if (!settings.is_ok()) return end("reference_failed", settings.status());
  settings_ = *settings;
  bind_cores(task_.threads);
  if (!device_->is_cuda()) standby_ = EagerStandby::start(sample_, arguments_, task_.math);
  if (standby_) family_.exempt(standby_->pid());
  return true;
}

void Session::compare_eager(const measure::PairedResult& result) {
  const double before_ns = eager_warmup_.typical_ns();
  const double in_pairs_ns = result.summary.median_ns[measure::kEager];
  record_.checks["eager_watch"] = {{"before_ns", before_ns}, {"in_pairs_ns", in_pairs_ns}};
  if (!cores_.cores().empty()) record_.timing["cores"] = cores_.cores();
  is_eager_suspicious_ = is_suspicious(before_ns, in_pairs_ns, result.summary);
}

void Session::bind_cores(int count) {
  if (is_paired() && settings_.affinity) cores_.bind(count);
}

bool Session::watch_eager() {
  const std::unique_ptr<EagerStandby> standby = std::move(standby_);
  std::vector<Finding> findings;
  if (is_eager_suspicious_ && standby) {
    findings = confirm_slowed({*eager_, *plugin_, *standby}, eager_warmup_.typical_ns(),
                              task_.threads, settings_, record_.checks["eager_watch"]);
  }
  cores_.release();  // no times are taken from here on
  return note(findings);
}

bool Session::note(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    const auto& flags = record_.flags;
    if (std::find(flags.begin(), flags.end(), finding.flag) != flags.end()) continue;
    record_.flags.push_back(finding.flag);
    record_.notes.push_back(finding.flag + ": " + finding.message);
    if (!finding.is_fatal) continue;
    record_.outcome = "plugin_failed";
    record_.message = finding.message;
    record_.speedup.reset();
    judge_service();
    return false;
  }
  return true;
}

}  // namespace graphnet::worker
