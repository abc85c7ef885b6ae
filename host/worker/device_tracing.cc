// SPDX-License-Identifier: MIT
#include "worker/device_tracing.h"

#include <utility>

#include "device/own_kernels.h"
#include "proof/device_ledger.h"

namespace graphnet::worker {

using base::Json;

void DeviceTracing::start() {
  if (!records()) return;
  state_ = session_->record();
  if (!records()) return;
  session_->begin_call(proof::CallSide::kHost);
  const base::Status tested = device::run_self_test(gpu_);
  session_->end_call();
  is_tested_ = tested.is_ok();
  self_test_ = is_tested_ ? "ok" : tested.message();
}

void DeviceTracing::begin_call() {
  if (records()) session_->begin_call(proof::CallSide::kPlugin);
}

void DeviceTracing::end_call(double host_ns, std::optional<double> event_ns) {
  if (records()) session_->end_call();
  ++num_calls_;
  host_ns_ += host_ns;
  event_ns_ += event_ns.value_or(0);
}

proof::DeviceEvidence DeviceTracing::finish(const std::vector<proof::Region>& regions, Json& json) {
  if (!records()) {
    json = proof::device_json(state_, nullptr, {});
    proof::DeviceEvidence evidence;
    evidence.unavailable =
        std::string("CUPTI is ") + proof::cupti_state_name(state_.state) + ": " + state_.reason;
    return evidence;
  }
  const auto name = [&](std::uint32_t domain, std::uint32_t id) {
    return session_->call_name(domain, id);
  };
  const proof::DeviceLedger ledger = proof::make_device_ledger(session_->finish(), name, regions);
  json = proof::device_json(state_, &session_->library(), ledger);
  json["self_test"] = self_test_;
  proof::DeviceEvidence evidence = proof::device_evidence(ledger, is_tested_);
  if (num_calls_ == 0) return evidence;
  json["host_ns"] = host_ns_ / num_calls_;
  json["event_ns"] = event_ns_ / num_calls_;
  const std::string times =
      proof::check_times(ledger, host_ns_ / num_calls_, event_ns_ / num_calls_);
  if (times.empty()) return evidence;
  json["times"] = times;
  if (evidence.unavailable.empty()) evidence.unavailable = times;
  return evidence;
}

}  // namespace graphnet::worker
