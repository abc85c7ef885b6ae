// SPDX-License-Identifier: MIT
#include "worker/task_device.h"

#include <utility>

#include "base/device_name.h"
#include "base/memory_map.h"
#include "device/gpu_conditions.h"
#include "device/own_kernels.h"
#include "eager/cuda_library.h"

namespace graphnet::worker {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

namespace {

constexpr const char* kDriver = "libcuda.so.1";

}  // namespace

Status unusable(base::DeviceName device, const Status& why) {
  Status status(Code::kEnvironment,
                "device '" + device.text() + "' cannot be used: " + why.message());
  for (const std::string& line : why.context()) status.add_context(line);
  for (const std::string& hint : why.hints()) status.add_hint(hint);
  return status;
}

proof::CuptiSession::Settings tracing_settings() {
  proof::CuptiSession::Settings settings;
  const auto mappings = base::read_memory_map();
  if (mappings.is_ok()) settings.search.folders = proof::folders_beside_libtorch(*mappings);
  settings.search = proof::pin_cupti(settings.search);
  return settings;
}

Json facts_json(const device::GpuFacts& facts) {
  return {{"name", facts.name},
          {"compute_capability", facts.compute_capability},
          {"processors", facts.num_processors},
          {"memory_bytes", facts.memory_bytes},
          {"l2_bytes", facts.l2_bytes}};
}

Result<std::unique_ptr<TaskDevice>> TaskDevice::open(const journal::Task& task) {
  GN_ASSIGN_OR_RETURN(const base::DeviceName name, base::parse_device_name(task.device));
  if (!name.is_cuda) return std::unique_ptr<TaskDevice>(new TaskDevice);
  const Status loaded = eager::load_cuda();
  if (!loaded.is_ok()) return unusable(name, loaded);
  // As plugins are told by their host table (GN_MATH_ALLOW_TF32): one policy for both.
  GN_RETURN_IF_ERROR(eager::allow_tf32(task.math.tf32));
  GN_ASSIGN_OR_RETURN(auto opened, open_driver(name, kDriver, tracing_settings()));
  opened->allows_tf32_ = task.math.tf32;
  return opened;
}

Result<std::unique_ptr<TaskDevice>> TaskDevice::open_driver(
    base::DeviceName name, const std::string& library,
    const proof::CuptiSession::Settings& tracing) {
  std::unique_ptr<TaskDevice> opened(new TaskDevice);
  opened->tracing_ = tracing;
  const Status attached = opened->attach(name.index, library);
  if (!attached.is_ok()) return unusable(name, attached);
  return opened;
}

Status TaskDevice::attach(int index, const std::string& library) {
  GN_ASSIGN_OR_RETURN(gpu_, device::Gpu::open(index, library));
  GN_ASSIGN_OR_RETURN(tensors_, device::GpuDevice::create(*gpu_, index));
  return Status::ok();
}

Result<measure::Instruments> TaskDevice::instruments(const measure::PairedSettings& settings,
                                                     int threads) {
  measure::Instruments instruments = measure::machine_instruments(settings, threads);
  if (!is_cuda() || !instruments.flush_cache) return instruments;
  GN_ASSIGN_OR_RETURN(device::CacheFlush flush, device::CacheFlush::create(*gpu_));
  auto shared = std::make_shared<device::CacheFlush>(std::move(flush));
  instruments.flush_cache = [gpu = gpu_.get(), shared, status = flush_status_] {
    Status done = shared->run(*gpu);
    if (done.is_ok()) done = gpu->synchronize();
    if (status->is_ok()) *status = std::move(done);
  };
  return instruments;
}

void TaskDevice::note_conditions(const char* when) {
  if (is_cuda()) conditions_[when] = device::gpu_conditions(gpu_->facts().pci_bus_id);
}

void TaskDevice::describe(Json& environment) const {
  if (!is_cuda()) return;
  Json gpu = facts_json(gpu_->facts());
  gpu["tf32"] = allows_tf32_;
  gpu.update(conditions_);
  environment["gpu"] = std::move(gpu);
  environment["hardware_class"] =
      gpu_->facts().name + ", " + environment.value("hardware_class", "");
}

}  // namespace graphnet::worker
