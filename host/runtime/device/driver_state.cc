// SPDX-License-Identifier: MIT
#include "device/driver_state.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "base/text.h"

namespace graphnet::device {

using base::Code;
using base::Status;

namespace {

// Of the driver's result codes, those that say something of the machine.
constexpr int kStubLibrary = 34;
constexpr int kNoDevice = 100;

constexpr const char* kConditionNames[] = {"ready",     "no_library", "stub",
                                           "no_device", "too_old",    "broken"};

/// What the driver's start failed with, for people; the driver's own names say less.
struct StartFailure {
  int code;
  const char* text;
};

constexpr std::array<StartFailure, 6> kStartFailures = {{
    {2, "it has not enough memory"},
    {46, "another process has a device for itself"},
    {802, "the system is not ready: the fabric manager does not run, or has not started"},
    {803,
     "its library and its kernel module are of different versions: a reboot, or installing "
     "the driver again, is due"},
    {804, "a library for forward compatibility was found, which this device does not take"},
    {999,
     "unknown reason; often the kernel module cannot be loaded, or the device files cannot be "
     "opened"},
}};

using Init = int (*)(unsigned int);
using GetVersion = int (*)(int*);
using GetCount = int (*)(int*);

template <typename Function>
Function look_up(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// "(CUDA_VISIBLE_DEVICES is '')"; empty if the variable is not set.
std::string visible_devices() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible == nullptr ? "" : " (CUDA_VISIBLE_DEVICES is '" + std::string(visible) + "')";
}

std::string start_failure(int code) {
  for (const StartFailure& failure : kStartFailures) {
    if (failure.code == code) return failure.text;
  }
  return "reason unknown to this program";
}

DriverState failed(DriverState state, DriverCondition condition, std::string reason) {
  state.condition = condition;
  state.reason = std::move(reason);
  return state;
}

std::string no_devices(int version) {
  return "the NVIDIA driver is there" +
         (version > 0 ? " (CUDA " + version_text(version) + ")" : "") + " and shows 0 devices" +
         visible_devices();
}

DriverState judge_start(DriverState state) {
  if (state.code == kStubLibrary) {
    return failed(std::move(state), DriverCondition::kStub,
                  "what was found is the CUDA toolkit's stub of the driver, not a driver (error "
                  "34): a folder 'stubs' is in the library path");
  }
  if (state.code == kNoDevice) {
    std::string reason = no_devices(state.version);
    return failed(std::move(state), DriverCondition::kNoDevice, std::move(reason));
  }
  if (state.code == 0) return state;
  std::string reason = "the NVIDIA driver does not start: error " + std::to_string(state.code) +
                       " of cuInit, " + start_failure(state.code);
  return failed(std::move(state), DriverCondition::kBroken, std::move(reason));
}

DriverState judge_devices(DriverState state) {
  if (state.version > 0 && state.version < kNeededDriverVersion) {
    std::string reason = "the NVIDIA driver knows CUDA up to " + version_text(state.version) +
                         ", this libtorch needs " + version_text(kNeededDriverVersion);
    return failed(std::move(state), DriverCondition::kTooOld, std::move(reason));
  }
  if (state.num_devices > 0) return state;
  std::string reason = no_devices(state.version);
  return failed(std::move(state), DriverCondition::kNoDevice, std::move(reason));
}

}  // namespace

const char* driver_condition_name(DriverCondition condition) {
  return kConditionNames[static_cast<std::size_t>(condition)];
}

DriverState probe_driver(const std::string& library) {
  DriverState state;
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const why = ::dlerror();
    return failed(
        state, DriverCondition::kNoLibrary,
        "no NVIDIA driver is installed (" + std::string(why == nullptr ? library : why) + ")");
  }
  const auto init = look_up<Init>(handle, "cuInit");
  const auto get_version = look_up<GetVersion>(handle, "cuDriverGetVersion");
  const auto get_count = look_up<GetCount>(handle, "cuDeviceGetCount");
  if (init == nullptr || get_version == nullptr || get_count == nullptr) {
    return failed(state, DriverCondition::kBroken,
                  library +
                      " is not the NVIDIA driver: it lacks cuInit, cuDriverGetVersion or "
                      "cuDeviceGetCount");
  }
  if (get_version(&state.version) != 0) state.version = 0;
  state.code = init(0);
  state.condition = DriverCondition::kReady;
  state = judge_start(std::move(state));
  if (!state.is_ready()) return state;
  if (const int code = get_count(&state.num_devices); code != 0) {
    state.num_devices = 0;
    state.code = code;
    return failed(std::move(state), DriverCondition::kBroken,
                  "the NVIDIA driver does not count its devices: error " + std::to_string(code) +
                      " of cuDeviceGetCount, " + start_failure(code));
  }
  return judge_devices(std::move(state));
}

Status check_device(const base::DeviceName& device, const DriverState& state) {
  if (!device.is_cuda) return Status::ok();
  const std::string what = "device '" + device.text() + "' cannot be used: ";
  if (!state.is_ready()) {
    return Status(Code::kEnvironment, what + state.reason)
        .add_hint("device: cpu, which needs no driver");
  }
  if (device.index < state.num_devices) return Status::ok();
  return Status(Code::kEnvironment, what + "the driver shows " + std::to_string(state.num_devices) +
                                        " devices, cuda:0 to cuda:" +
                                        std::to_string(state.num_devices - 1) + visible_devices())
      .add_hint("one of these");
}

}  // namespace graphnet::device
