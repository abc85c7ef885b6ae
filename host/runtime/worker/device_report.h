// SPDX-License-Identifier: MIT
#pragma once

#include "base/device_name.h"
#include "base/json.h"

namespace graphnet::worker {

/// Everything that decides whether samples run on a device, for people who ask why they do not:
///
/// | key          | holds                                                                         |
/// |--------------|-------------------------------------------------------------------------------|
/// | `driver`     | {"state", "reason", "code", "version", "devices"} as device/driver_state.h    |
/// | `problem`    | why samples cannot run there, the driver's state first; absent if they can    |
/// | `cuda_part`  | of libtorch: "ok", or why it cannot be loaded                                 |
/// | `device`     | examine_device() (device_answer.h), or {"problem"}; absent if not tried       |
/// | `libraries`  | cuda_libraries() after all that, `tools` and `threads` so, too                |
///
/// To be called once in a process, before anything else is asked of libtorch or of CUDA.
base::Json device_report(const base::DeviceName& device);

}  // namespace graphnet::worker
