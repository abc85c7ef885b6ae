// SPDX-License-Identifier: MIT
#include "worker/device_tracing.h"

#include <utility>

#include "device/own_kernels.h"
#include "proof/device_json.h"
#include "proof/raw_rows.h"

namespace graphnet::worker {

using base::Json;

void DeviceTracing::start() {
  session_ = proof::CuptiSession::start(settings_, state_);
  if (!records()) return;
  session_->begin_call(proof::CallSide::kHost);
  const base::Status tested = device::run_self_test(gpu_);
  session_->end_call();
  is_tested_ = tested.is_ok();
  self_test_ = is_tested_ ? "ok" : tested.message();
  session_->begin_call(proof::CallSide::kBetween);
}

void DeviceTracing::begin_call(proof::CallSide side) {
  side_ = side;
  if (!records()) return;
  session_->end_call();  // of what is between calls
  session_->begin_call(side);
}

void DeviceTracing::end_call(double host_ns, std::optional<double> event_ns) {
  if (records()) {
    session_->end_call();
    session_->begin_call(proof::CallSide::kBetween);
  }
  Times& times = times_[side_];
  ++times.num_calls;
  times.host_ns += host_ns;
  times.event_ns += event_ns.value_or(0);
}

/// Writes the means beside what CUPTI saw, and says how the two do not fit.
std::string DeviceTracing::check_times(const proof::CallsOnDevice& calls, proof::CallSide side,
                                       std::uint64_t clock_error_ns, Json& json) const {
  const auto found = times_.find(side);
  if (found == times_.end()) return "";
  const Times& times = found->second;
  json["host_ns"] = times.host_ns / times.num_calls;
  json["event_ns"] = times.event_ns / times.num_calls;
  return proof::check_times(calls, times.host_ns / times.num_calls,
                            times.event_ns / times.num_calls, clock_error_ns);
}

proof::DeviceEvidence DeviceTracing::finish(const std::vector<proof::Region>& regions, Json& json) {
  if (!records()) {
    json = proof::device_json(state_, nullptr, {});
    proof::DeviceEvidence evidence;
    evidence.unavailable =
        std::string("CUPTI is ") + proof::cupti_state_name(state_.state) + ": " + state_.reason;
    return evidence;
  }
  session_->end_call();
  const proof::CallName name = [&](std::uint32_t domain, std::uint32_t id) {
    return session_->call_name(domain, id);
  };
  const proof::DeviceTrace trace = session_->finish();
  const proof::DeviceLedger ledger = proof::make_device_ledger(
      trace, name, proof::find_kernel_files(trace.records.names, regions));
  json = proof::device_json(state_, &session_->library(), ledger);
  json["self_test"] = self_test_;
  proof::DeviceEvidence evidence = proof::device_evidence(ledger, is_tested_);
  const std::string times = check_all_times(ledger, json);
  if (!times.empty()) json["times"] = times;
  if (evidence.unavailable.empty()) evidence.unavailable = times;
  const bool is_doubtful =
      !evidence.unavailable.empty() || evidence.unattributed > 0 || evidence.counts_differ;
  if (is_doubtful) json["raw"] = proof::raw_rows_json(trace, name);
  return evidence;
}

std::string DeviceTracing::check_all_times(const proof::DeviceLedger& ledger, Json& json) const {
  const std::uint64_t clock_error_ns = ledger.outside.clock_error_ns;
  std::string times =
      check_times(ledger.plugin_calls, proof::CallSide::kPlugin, clock_error_ns, json);
  if (ledger.replays.num_calls > 0) {
    const std::string of_replays =
        check_times(ledger.replays, proof::CallSide::kReplay, clock_error_ns, json["replays"]);
    if (times.empty() && !of_replays.empty()) times = "replays: " + of_replays;
  }
  // Eager's times are no evidence; what is odd about them shows in the record.
  if (ledger.eager_calls.num_calls > 0) {
    check_times(ledger.eager_calls, proof::CallSide::kEager, clock_error_ns, json["eager_calls"]);
  }
  return times;
}

}  // namespace graphnet::worker
