// SPDX-License-Identifier: MIT
#include "worker/session_log.h"

#include <algorithm>
#include <string>

#include "journal/run_id.h"
#include "measure/clock.h"
#include "measure/environment.h"
#include "proof/verdict.h"
#include "worker/record_writer.h"

namespace graphnet::worker {

using base::Status;
using record::Flag;
using record::Outcome;
using record::Phase;

SessionLog::SessionLog(const journal::Task& task, Channel& channel)
    : task_(task), channel_(channel), record_(start_record(task)) {}

void SessionLog::ask_for(Phase phase, std::optional<std::int64_t> num_bytes) {
  if (!task_.asks) return;
  const std::int64_t begin_ns = measure::monotonic_raw_ns();
  channel_.ask(phase, num_bytes);
  phase_start_ns_ += measure::monotonic_raw_ns() - begin_ns;
}

void SessionLog::enter(Phase phase) {
  if (record::facts_of(phase).takes_times) ask_for(phase);
  const std::int64_t now = measure::monotonic_raw_ns();
  if (phase_start_ns_ != 0) record_.phases_ns[record_.phase.text()] = now - phase_start_ns_;
  phase_start_ns_ = now;
  if (phase == Phase::kNone) return;
  record_.phase = phase;
  channel_.begin_phase(phase);
}

void SessionLog::finish() {
  enter(Phase::kNone);
  note_peak_memory(nullptr);
  record_.time_utc = journal::utc_now();
  channel_.send_record(record_, /*is_final=*/true);
}

// The whole run's peak is the largest of the parts between two resets.
void SessionLog::note_peak_memory(record::Record::Side* side) {
  const auto peak = measure::peak_rss_bytes();
  if (!peak) return;
  if (side != nullptr) side->peak_rss_bytes = peak;
  record_.peak_rss_bytes = std::max(record_.peak_rss_bytes.value_or(0), *peak);
  measure::reset_peak_rss();
}

Status SessionLog::end(Outcome outcome, const Status& status) {
  record_.outcome = outcome;
  record_.message = one_line(status);
  for (const std::string& hint : status.hints()) record_.notes.push_back(hint);
  return status;
}

Status SessionLog::end_plugin(Outcome outcome, const PluginSide& plugin,
                              const plugin::CallStatus& failure) {
  if (plugin.flag() != Flag::kNone) record_.flags.emplace_back(plugin.flag());
  if (failure.kind == plugin::FailureKind::kUnsupported) outcome = Outcome::kUnsupported;
  if (failure.kind == plugin::FailureKind::kOutOfMemory) outcome = Outcome::kOutOfMemory;
  if (failure.kind == plugin::FailureKind::kBroken) outcome = Outcome::kPluginFailed;
  return end(outcome, failure.status);
}

Status SessionLog::end_calls(const PluginSide& plugin, const Status& status) {
  const plugin::CallStatus& failure = plugin.failure();
  if (!failure.is_ok()) return end_plugin(Outcome::kRuntimeFailed, plugin, failure);
  const bool is_plugins = status.code() == base::Code::kPlugin;  // as where an input is closed
  return end(is_plugins ? Outcome::kPluginFailed : Outcome::kReferenceFailed, status);
}

Status SessionLog::note(const std::vector<Finding>& findings, const PluginSide& plugin) {
  for (const Finding& finding : findings) {
    const auto& flags = record_.flags;
    if (std::find(flags.begin(), flags.end(), finding.flag) != flags.end()) continue;
    record_.flags.emplace_back(finding.flag);
    record_.notes.push_back(name_of(finding.flag) + (": " + finding.message));
    if (!finding.is_fatal) continue;
    record_.outcome = Outcome::kPluginFailed;
    record_.message = finding.message;
    record_.speedup.reset();
    judge_service(plugin);
    return Status(base::Code::kPlugin, finding.message);
  }
  return Status::ok();
}

void SessionLog::judge_service(const PluginSide& plugin) {
  proof::Evidence evidence;
  evidence.plugin_runs = plugin.num_runs();
  evidence.eager_runs = plugin.eager_runs();
  evidence.flags = record_.flags;
  evidence.unavailable = "not traced";
  record_.verdict = proof::verdict_of(evidence);
}

}  // namespace graphnet::worker
