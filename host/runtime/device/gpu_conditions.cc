// SPDX-License-Identifier: MIT
#include "device/gpu_conditions.h"

#include <dlfcn.h>

#include <cstdint>

namespace graphnet::device {

using base::Json;

namespace {

using Handle = void*;
using Number = unsigned int;

// source   nvmlClockType_t, nvmlTemperatureSensors_t, nvmlReturn_t
constexpr Number kSmClock = 1;
constexpr Number kMemoryClock = 2;
constexpr Number kDieSensor = 0;
constexpr int kMoreThanFits = 7;

/// source   nvmlClocksEventReason*
constexpr struct {
  std::uint64_t bit;
  const char* name;
} kReasons[] = {{0x1, "idle"},        {0x2, "set_clocks"},  {0x4, "sw_power_cap"},
                {0x8, "hw_slowdown"}, {0x10, "sync_boost"}, {0x20, "sw_thermal"},
                {0x40, "hw_thermal"}, {0x80, "hw_power"},   {0x100, "display"}};

class Management {
 public:
  explicit Management(void* library) : library_(library) {}

  /// A function's answer: 0, or why there is none; 1 without the function.
  template <typename... Arguments>
  int call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<int (*)(Arguments...)>(::dlsym(library_, name));
    return function == nullptr ? 1 : function(arguments...);
  }

  void add_number(Json& json, const char* key, const char* function, Handle device) const {
    Number value = 0;
    if (call(function, device, &value) == 0) json[key] = value;
  }
  void add_number(Json& json, const char* key, const char* function, Handle device,
                  Number which) const {
    Number value = 0;
    if (call(function, device, which, &value) == 0) json[key] = value;
  }

 private:
  void* library_;
};

Json reasons_json(std::uint64_t bits) {
  Json names = Json::array();
  for (const auto& reason : kReasons) {
    if ((bits & reason.bit) != 0) names.push_back(reason.name);
  }
  return names;
}

}  // namespace

Json gpu_conditions(const std::string& pci_bus_id, const std::string& library) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return {{"unavailable", "there is no " + library}};
  const Management management(handle);
  Handle device = nullptr;
  int code = management.call("nvmlInit_v2");
  if (code == 0) {
    code = management.call("nvmlDeviceGetHandleByPciBusId_v2", pci_bus_id.c_str(), &device);
  }
  if (code != 0) return {{"unavailable", library + " answers " + std::to_string(code)}};
  Json json = Json::object();
  management.add_number(json, "sm_mhz", "nvmlDeviceGetClockInfo", device, kSmClock);
  management.add_number(json, "max_sm_mhz", "nvmlDeviceGetMaxClockInfo", device, kSmClock);
  management.add_number(json, "memory_mhz", "nvmlDeviceGetClockInfo", device, kMemoryClock);
  management.add_number(json, "temperature_c", "nvmlDeviceGetTemperature", device, kDieSensor);
  management.add_number(json, "power_mw", "nvmlDeviceGetPowerUsage", device);
  unsigned long long reasons = 0;
  if (management.call("nvmlDeviceGetCurrentClocksThrottleReasons", device, &reasons) == 0) {
    json["limited_by"] = reasons_json(reasons);
  }
  Number processes = 0;
  void* const only_count = nullptr;
  code = management.call("nvmlDeviceGetComputeRunningProcesses_v3", device, &processes, only_count);
  if (code == 0 || code == kMoreThanFits) json["compute_processes"] = processes;
  return json;
}

}  // namespace graphnet::device
