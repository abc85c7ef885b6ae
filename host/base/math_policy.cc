// SPDX-License-Identifier: MIT
#include "base/math_policy.h"

#include <vector>

#include "base/text.h"

namespace graphnet::base {

std::string MathPolicy::text() const {
  std::vector<std::string> on;
  if (tf32) on.emplace_back("tf32");
  if (fast_math) on.emplace_back("fast_math");
  if (flush_denormals) on.emplace_back("flush_denormals");
  return on.empty() ? "default" : join(on, ", ");
}

Json to_json(const MathPolicy& policy) {
  return {{"tf32", policy.tf32},
          {"fast_math", policy.fast_math},
          {"flush_denormals", policy.flush_denormals}};
}

}  // namespace graphnet::base
