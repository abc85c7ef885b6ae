// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/json.h"

namespace graphnet::base {

/// Which arithmetic a run has: one policy for the reference and every plugin. The initial values
/// are the default policy.
struct MathPolicy {
  /// Permission: products and convolutions of float32 on a device may have 10 bits of mantissa.
  /// The reference takes it.
  bool tf32 = false;
  /// Permission: sums in another order, approximate functions. The reference has no such mode.
  bool fast_math = false;
  /// Demand: subnormal operands and results are zero. The CPU only.
  bool flush_denormals = false;

  bool is_default() const { return !tf32 && !fast_math && !flush_denormals; }
  /// What is on, "tf32, fast_math"; "default" if nothing is.
  std::string text() const;

  bool operator==(const MathPolicy& other) const {
    return tf32 == other.tf32 && fast_math == other.fast_math &&
           flush_denormals == other.flush_denormals;
  }
  bool operator!=(const MathPolicy& other) const { return !(*this == other); }
};

/// {"tf32": false, "fast_math": false, "flush_denormals": false}.
Json to_json(const MathPolicy& policy);

}  // namespace graphnet::base
