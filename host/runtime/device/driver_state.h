// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/device_name.h"
#include "base/status.h"

namespace graphnet::device {

/// Whether the CUDA driver of this machine can be used.
///
/// | condition    | means                                                                        |
/// |--------------|------------------------------------------------------------------------------|
/// | `ready`      | it started and shows at least one device                                     |
/// | `no_library` | the driver's library is not there: no driver is installed                    |
/// | `stub`       | what was found is the CUDA toolkit's stand-in for linking (error 34)         |
/// | `no_device`  | the driver is there and shows no device (error 100, or a count of 0)         |
/// | `too_old`    | it is of an earlier CUDA than the one libtorch was built with (CUDA's own    |
/// |              | libraries answer 35 then, as they do without a driver)                       |
/// | `broken`     | it does not start, for the reason that it gives                              |
enum class DriverCondition { kReady, kNoLibrary, kStub, kNoDevice, kTooOld, kBroken };

/// "ready", "no_library", "stub", "no_device", "too_old", "broken".
const char* driver_condition_name(DriverCondition condition);

struct DriverState {
  DriverCondition condition = DriverCondition::kNoLibrary;
  int code = 0;         ///< what the driver's start, or counting its devices, returned
  int version = 0;      ///< newest CUDA that the driver knows, 13000 for 13.0; 0: not known
  int num_devices = 0;  ///< that this process may use
  std::string reason;   ///< in plain words; empty if it is ready

  bool is_ready() const { return condition == DriverCondition::kReady; }
};

/// Newest CUDA that a driver must know for the libtorch that this program is built for.
///
/// source   torch 2.11.0 is built with CUDA 13.0; a driver runs what is built for its own major
///          release or an earlier one
inline constexpr int kNeededDriverVersion = 13000;

/// Opens the driver by name, starts it and counts its devices. Leaves the driver started, so it
/// must not be called in a process that forks workers: contexts do not survive a fork.
DriverState probe_driver(const std::string& library = "libcuda.so.1");

/// An error if a device cannot be used; success for the CPU.
///
/// errors   kEnvironment with the driver's state in plain words
base::Status check_device(const base::DeviceName& device, const DriverState& state);

}  // namespace graphnet::device
