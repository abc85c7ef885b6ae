// SPDX-License-Identifier: MIT
#pragma once

#include "base/math_policy.h"
#include "base/status.h"

namespace graphnet::worker {

/// Puts this thread, libtorch's pool and whatever threads start from here on into the mode that a
/// policy demands: with `flush_denormals` subnormal numbers are zero, for the reference, for the
/// plugin, and for the host's comparisons. TF32 is the device's matter (task_device.h).
///
/// order    after phase inputs, whose numbers do not depend on a policy; before the reference's
/// first run errors   kEnvironment: the processor cannot
base::Status enter_math_mode(const base::MathPolicy& math);

}  // namespace graphnet::worker
