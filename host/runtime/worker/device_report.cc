// SPDX-License-Identifier: MIT
#include "worker/device_report.h"

#include <string>

#include "base/memory_map.h"
#include "device/gpu.h"
#include "eager/cuda_library.h"
#include "worker/device_answer.h"
#include "worker/device_libraries.h"
#include "worker/requests.h"

namespace graphnet::worker {

using base::Json;
using base::Result;
using base::Status;

namespace {

Json driver_json(const device::DriverState& state) {
  Json json = {{"state", device::driver_condition_name(state.condition)},
               {"code", state.code},
               {"version", state.version},
               {"devices", state.num_devices}};
  if (!state.reason.empty()) json["reason"] = state.reason;
  return json;
}

/// With the context lines, of which the loader's words are one.
std::string whole_text(const Status& status) {
  std::string text = status.message();
  for (const std::string& line : status.context()) text += "; " + line;
  return text;
}

void add_surroundings(Json& report) {
  const auto mappings = base::read_memory_map();
  if (mappings.is_ok()) {
    report["libraries"] = cuda_libraries(*mappings);
    report["tools"] = cuda_tools(*mappings);
  }
  report["threads"] = thread_signals();
}

}  // namespace

Json device_report(const base::DeviceName& device) {
  const device::DriverState driver = device::probe_driver();
  Json report = {{"driver", driver_json(driver)}};
  const Status usable = device::check_device(device, driver);
  // Also without a driver: what is missing is told at once.
  const Status loaded = eager::load_cuda();
  report["cuda_part"] = loaded.is_ok() ? "ok" : whole_text(loaded);
  Status problem = usable.is_ok() ? loaded : usable;
  std::unique_ptr<device::Gpu> gpu;
  if (problem.is_ok()) {
    Result<Json> examined = examine_device(device);
    problem = examined.status();
    report["device"] = examined.is_ok() ? *examined : Json{{"problem", whole_text(problem)}};
    // The driver's threads are there while its context is.
    auto opened = device::Gpu::open(device.index);
    if (opened.is_ok()) gpu = std::move(opened).value();
  }
  if (!problem.is_ok()) report["problem"] = problem.message();
  add_surroundings(report);
  return report;
}

Result<Json> report_device(const Json& arguments) {
  GN_ASSIGN_OR_RETURN(const base::DeviceName device, requested_device(arguments));
  return device_report(device);
}

}  // namespace graphnet::worker
