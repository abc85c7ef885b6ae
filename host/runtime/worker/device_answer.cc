// SPDX-License-Identifier: MIT
#include "worker/device_answer.h"

#include <memory>
#include <utility>

#include "device/gpu.h"
#include "device/own_kernels.h"
#include "eager/cuda_library.h"
#include "proof/tracing_self_test.h"
#include "worker/answer.h"
#include "worker/task_device.h"

namespace graphnet::worker {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr const char* kDriver = "libcuda.so.1";

/// A device and what traces it, which ends before the device's context does.
struct TracedDevice {
  std::unique_ptr<device::Gpu> gpu;
  std::unique_ptr<proof::CuptiSession> session;
};

/// What CUPTI sees of known work. `status` gets why it cannot be relied on.
Json trace_known_work(TracedDevice& traced, proof::CuptiStatus& status) {
  const auto tested = proof::run_tracing_self_test(*traced.gpu, *traced.session);
  if (!tested.is_ok()) {
    status.reason = tested.status().message();
    return {{"problem", status.reason}};
  }
  if (!tested->recording.is_ready()) status = tested->recording;
  if (status.is_ready()) status.reason = tested->problem();
  return proof::tracing_json(*tested);
}

}  // namespace

Result<Json> examine_device(const base::DeviceName& device) {
  return examine_device(device, kDriver, tracing_settings());
}

Result<Json> examine_device(const base::DeviceName& device, const std::string& driver,
                            const proof::CuptiSession::Settings& settings) {
  TracedDevice traced;
  // CUPTI sees what happens after it has started.
  proof::CuptiStatus status;
  traced.session = proof::CuptiSession::start(settings, status);
  auto opened = device::Gpu::open(device.index, driver);
  if (!opened.is_ok()) return unusable(device, opened.status());
  traced.gpu = std::move(opened).value();
  const Status tested = device::run_self_test(*traced.gpu);
  const bool is_tested = tested.code() != Code::kUnsupported;
  if (is_tested && !tested.is_ok()) return unusable(device, tested);
  Json json = facts_json(traced.gpu->facts());
  json["self_test"] = is_tested ? "ok" : tested.message();
  if (traced.session && is_tested) json["tracing"] = trace_known_work(traced, status);
  json["cupti"] = {{"state", proof::cupti_state_name(status.state)}};
  if (!status.reason.empty()) json["cupti"]["reason"] = status.reason;
  if (traced.session) {
    json["cupti"]["version"] = traced.session->library().version;
    json["cupti"]["file"] = traced.session->library().file.string();
  }
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
