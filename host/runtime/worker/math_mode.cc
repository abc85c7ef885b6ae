// SPDX-License-Identifier: MIT
#include "worker/math_mode.h"

#include "eager/flush_denormals.h"

namespace graphnet::worker {

base::Status enter_math_mode(const base::MathPolicy& math) {
  if (!math.flush_denormals || eager::set_flush_denormals(true)) return base::Status::ok();
  return base::Status(base::Code::kEnvironment,
                      "math.flush_denormals: this processor cannot take subnormals for zero");
}

}  // namespace graphnet::worker
