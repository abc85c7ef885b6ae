// SPDX-License-Identifier: MIT
#include "worker/device_answer.h"

#include <memory>
#include <utility>

#include "device/gpu.h"
#include "device/own_kernels.h"
#include "eager/cuda_library.h"
#include "proof/device_ledger.h"
#include "worker/answer.h"
#include "worker/task_device.h"

namespace graphnet::worker {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

/// Why CUPTI cannot be relied on though it is ready.
std::string tracing_problem(proof::CuptiSession& session) {
  const auto name = [&](std::uint32_t domain, std::uint32_t id) {
    return session.call_name(domain, id);
  };
  const proof::DeviceLedger ledger = proof::make_device_ledger(session.finish(), name, {});
  return proof::device_evidence(ledger, /*self_tested=*/true).unavailable;
}

}  // namespace

Result<Json> examine_device(const base::DeviceName& device) {
  // CUPTI sees what happens after it has started.
  proof::CuptiStatus tracing;
  const auto session = start_tracing(/*records=*/true, tracing);
  auto gpu = device::Gpu::open(device.index);
  if (!gpu.is_ok()) return unusable(device, gpu.status());
  if (session) session->begin_call(proof::CallSide::kHost);
  const Status tested = device::run_self_test(**gpu);
  if (session) session->end_call();
  const bool is_tested = tested.code() != Code::kUnsupported;
  if (is_tested && !tested.is_ok()) return unusable(device, tested);
  Json json = facts_json((*gpu)->facts());
  json["self_test"] = is_tested ? "ok" : tested.message();
  json["cupti"] = {{"state", proof::cupti_state_name(tracing.state)}};
  if (session && is_tested) tracing.reason = tracing_problem(*session);
  if (!tracing.reason.empty()) json["cupti"]["reason"] = tracing.reason;
  return json;
}

Json cuda_json() {
  const device::DriverState state = device::probe_driver();
  Json json = {{"state", device::driver_condition_name(state.condition)},
               {"devices", state.num_devices}};
  if (!state.reason.empty()) json["reason"] = state.reason;
  if (state.version > 0) json["version"] = state.version;
  if (!state.is_ready()) return json;
  const Result<Json> first = examine_device({true, 0});
  json["device"] = first.is_ok() ? *first : Json{{"problem", first.status().message()}};
  return json;
}

int answer_device(std::string_view request) {
  const auto json = base::parse_json(std::string(request), "request");
  if (!json.is_ok() || !json->is_object()) return 2;
  const auto device = base::parse_device_name(json->value("device", ""));
  if (!device.is_ok() || !device->is_cuda) return 2;
  const Answer answer;
  Status status = device::check_device(*device, device::probe_driver());
  if (status.is_ok()) {
    const Status loaded = eager::load_cuda();
    if (!loaded.is_ok()) status = unusable(*device, loaded);
  }
  if (status.is_ok()) {
    const Result<Json> examined = examine_device(*device);
    if (examined.is_ok()) answer.send(*examined);
    status = examined.status();
  }
  if (!status.is_ok()) answer.send_error(status);
  return 0;
}

}  // namespace graphnet::worker
