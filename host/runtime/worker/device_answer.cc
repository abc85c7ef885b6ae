// SPDX-License-Identifier: MIT
#include "worker/device_answer.h"

#include <memory>
#include <utility>

#include "base/field_reader.h"
#include "device/gpu.h"
#include "device/own_kernels.h"
#include "eager/cuda_library.h"
#include "proof/tracing_self_test.h"
#include "worker/requests.h"
#include "worker/task_device.h"

namespace graphnet::worker {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr const char* kDriver = "libcuda.so.1";

/// Adds what CUPTI sees of known work, `tracing`, and its state, `cupti`.
void trace_known_work(device::Gpu& gpu, const proof::CuptiSession::Settings& settings, Json& json) {
  const auto tested = proof::run_tracing_self_test(gpu, settings);
  proof::TracingSelfTest test;
  if (tested.is_ok()) {
    test = *tested;
  } else {
    // Without work to try it with, CUPTI's state is worth knowing.
    const auto session = proof::CuptiSession::start(settings, test.recording);
    if (session != nullptr) {
      test.version = session->library().version;
      test.library = session->library().file;
    }
  }
  const bool is_ready = test.recording.is_ready();
  std::string reason = test.recording.reason;
  if (is_ready) reason = tested.is_ok() ? test.problem() : tested.status().message();
  json["cupti"] = {{"state", proof::cupti_state_name(test.recording.state)}};
  if (!reason.empty()) json["cupti"]["reason"] = reason;
  if (!is_ready) return;
  json["cupti"]["version"] = test.version;
  json["cupti"]["file"] = test.library.string();
  if (tested.is_ok()) json["tracing"] = proof::tracing_json(test);
}

}  // namespace

Result<Json> examine_device(const base::DeviceName& device) {
  return examine_device(device, kDriver, tracing_settings());
}

Result<Json> examine_device(const base::DeviceName& device, const std::string& driver,
                            const proof::CuptiSession::Settings& settings) {
  auto opened = device::Gpu::open(device.index, driver);
  if (!opened.is_ok()) return unusable(device, opened.status());
  const std::unique_ptr<device::Gpu> gpu = std::move(opened).value();
  const Status tested = device::run_self_test(*gpu);
  const bool is_tested = tested.code() != Code::kUnsupported;
  if (is_tested && !tested.is_ok()) return unusable(device, tested);
  Json json = facts_json(gpu->facts());
  json["self_test"] = is_tested ? "ok" : tested.message();
  trace_known_work(*gpu, settings, json);
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

Result<base::DeviceName> requested_device(const Json& arguments) {
  std::string name;
  base::FieldReader fields(arguments);
  fields.require("device").read("device", name);
  GN_RETURN_IF_ERROR(fields.status());
  GN_ASSIGN_OR_RETURN(const base::DeviceName device, base::parse_device_name(name));
  if (!device.is_cuda) return Status(Code::kInput, "'" + name + "' is not a CUDA device");
  return device;
}

// libtorch must have a CUDA part too.
Result<Json> check_device(const Json& arguments) {
  GN_ASSIGN_OR_RETURN(const base::DeviceName device, requested_device(arguments));
  GN_RETURN_IF_ERROR(device::check_device(device, device::probe_driver()));
  const Status loaded = eager::load_cuda();
  if (!loaded.is_ok()) return unusable(device, loaded);
  return examine_device(device);
}

}  // namespace graphnet::worker
