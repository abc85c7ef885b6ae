// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/json.h"
#include "device/gpu.h"

namespace graphnet::device {

/// Under which conditions a device works at the moment, as its management library says, which is
/// opened by name. What it does not tell is absent:
///
/// | key                                     | holds                                             |
/// |-----------------------------------------|---------------------------------------------------|
/// | `sm_mhz`, `max_sm_mhz`, `memory_mhz`    | clocks now, and the highest of the processors     |
/// | `temperature_c`, `power_mw`             |                                                   |
/// | `limited_by`                            | why clocks are not higher: ["sw_power_cap", ...]  |
/// | `compute_processes`                     | on the device, this one included where it is seen |
/// | `unavailable`                           | why nothing is known; alone                       |
///
/// source   nvml.h of CUDA 13.0
base::Json gpu_conditions(const std::string& pci_bus_id,
                          const std::string& library = "libnvidia-ml.so.1");

}  // namespace graphnet::device
