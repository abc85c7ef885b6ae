// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/device_name.h"
#include "base/json.h"
#include "base/result.h"
#include "device/driver_state.h"
#include "proof/cupti_session.h"

namespace graphnet::worker {

/// What the driver of this machine offers, and what its first device can do:
///
/// | key       | holds                                                                         |
/// |-----------|-------------------------------------------------------------------------------|
/// | `state`   | "ready", or another of device/driver_state.h, then with a `reason`            |
/// | `devices` | how many                                                                      |
/// | `version` | newest CUDA that the driver knows, 13000 for 13.0; absent if not known        |
/// | `device`  | examine_device() of the first one; absent if there is none                    |
base::Json cuda_json();

/// Opens a device, lets it compute something whose result is known, and looks whether CUPTI sees
/// that: {"name", "compute_capability", "processors", "memory_bytes", "l2_bytes", "self_test",
/// "cupti", "tracing"}. `self_test` is "ok" or why there is none, `cupti` {"state", "reason",
/// "version", "file"}; with CUPTI `ready` the reason says why it cannot be relied on. `tracing` is
/// proof::tracing_json(), absent where CUPTI did not start or there are no kernels to try it with.
/// Nothing can be timed in this process afterwards.
///
/// errors   kEnvironment: it cannot be opened, or computes something else
base::Result<base::Json> examine_device(const base::DeviceName& device);

/// The same with a driver and a CUPTI that are named, for tests.
base::Result<base::Json> examine_device(const base::DeviceName& device, const std::string& driver,
                                        const proof::CuptiSession::Settings& settings);

/// The CUDA device that a request (requests.h) names: {"device": "cuda:0"}.
///
/// errors   kInput
base::Result<base::DeviceName> requested_device(const base::Json& arguments);

}  // namespace graphnet::worker
