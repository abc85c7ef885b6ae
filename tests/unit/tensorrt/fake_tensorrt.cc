// SPDX-License-Identifier: MIT
//
// A library that looks like TensorRT up to its entry points, in one of several states: FAKE_MAJOR
// and FAKE_MINOR are its version, FAKE_STATE what becomes of a builder.
#include <cstdint>
#include <cstring>
#include <string_view>

#include "tensorrt/nv_types.h"

namespace {

constexpr std::string_view kState = FAKE_STATE;

/// The entry of log() in the table of a logger: behind three functions and a destructor from 11 on.
void log_error(void* logger, const char* line) {
  using Log = void (*)(void*, graphnet::tensorrt::nv::Severity, const char*);
  void** const table = *static_cast<void***>(logger);
  reinterpret_cast<Log>(table[FAKE_MAJOR == 10 ? 0 : 4])(
      logger, graphnet::tensorrt::nv::Severity::kError, line);
}

void* nothing_to_table[8] = {};
void* an_object[3] = {nothing_to_table, nothing_to_table, nothing_to_table};

void* make(void* logger) {
  if (kState == "null") return nullptr;
  if (kState == "offset") {
    log_error(logger, "CUDA initialization failure with error: 35");
    return reinterpret_cast<void*>(
        0x228);  // NOLINT(performance-no-int-to-ptr): as the lean runtime
  }
  if (kState == "error") log_error(logger, "no file for this device");
  return an_object;
}

}  // namespace

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

FAKE_EXPORT std::int32_t getInferLibMajorVersion() {
  return FAKE_MAJOR;
}
FAKE_EXPORT std::int32_t getInferLibMinorVersion() {
  return FAKE_MINOR;
}
FAKE_EXPORT std::int32_t getInferLibPatchVersion() {
  return 0;
}
FAKE_EXPORT std::int32_t getInferLibBuildVersion() {
  return 7;
}
extern "C" {
__attribute__((visibility("default"))) char fake_folder[4096] = {};
}
FAKE_EXPORT bool setInternalLibraryPath(const char* folder) {
  std::strncpy(fake_folder, folder, sizeof(fake_folder) - 1);
  return true;
}
FAKE_EXPORT void* createInferRuntime_INTERNAL(void* logger, std::int32_t) {
  return make(logger);
}
FAKE_EXPORT void* createInferRefitter_INTERNAL(void*, void* logger, std::int32_t) {
  return make(logger);
}
#ifndef FAKE_LEAN
FAKE_EXPORT void* createInferBuilder_INTERNAL(void* logger, std::int32_t) {
  return make(logger);
}
#endif
