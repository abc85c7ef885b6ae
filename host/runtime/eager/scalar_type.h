// SPDX-License-Identifier: MIT
#pragma once

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <optional>

#include "base/device_name.h"
#include "base/dtype.h"

namespace graphnet::eager {

at::ScalarType to_scalar_type(base::DType dtype);
/// Nothing for element types that the host has no name for.
std::optional<base::DType> from_scalar_type(at::ScalarType type);

c10::Device to_device(base::DeviceName name);

/// Element type of floating results for which nothing names one; see Program::default_dtype.
at::ScalarType default_scalar_type();

/// Sets libtorch's default element type for its own life. It is one for the whole process, so that
/// nothing else may use libtorch meanwhile.
class DefaultTypeGuard {
 public:
  explicit DefaultTypeGuard(base::DType dtype);
  ~DefaultTypeGuard();
  DefaultTypeGuard(const DefaultTypeGuard&) = delete;
  DefaultTypeGuard& operator=(const DefaultTypeGuard&) = delete;

 private:
  at::ScalarType before_;
};

}  // namespace graphnet::eager
