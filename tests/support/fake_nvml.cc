// SPDX-License-Identifier: MIT
//
// A management library for one made-up device; it does not know the device's power.
#include <cstring>

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int nvmlInit_v2() {
  return 0;
}

EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char* text, void** device) {
  if (std::strcmp(text, "0000:3B:00.0") != 0) return 6;  // not found
  *device = device;
  return 0;
}

EXPORT int nvmlDeviceGetClockInfo(void*, unsigned which, unsigned* mhz) {
  *mhz = which == 1 ? 1200 : 2600;
  return 0;
}

EXPORT int nvmlDeviceGetMaxClockInfo(void*, unsigned, unsigned* mhz) {
  *mhz = 1980;
  return 0;
}

EXPORT int nvmlDeviceGetTemperature(void*, unsigned, unsigned* celsius) {
  *celsius = 41;
  return 0;
}

EXPORT int nvmlDeviceGetPowerUsage(void*, unsigned*) {
  return 3;  // not supported
}

EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* bits) {
  *bits = 0x4 | 0x20;
  return 0;
}

EXPORT int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, void*) {
  *count = 2;
  return 7;  // more than fit into nothing
}
