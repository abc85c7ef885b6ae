// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include "eager/engine.h"
#include "eager/planner.h"
#include "eager/scalar_type.h"

namespace graphnet::eager {

/// An argument's elements on the host, borrowed.
inline at::Tensor wrap(const EngineArgument& argument) {
  return at::from_blob(argument.data, argument.shape,
                       at::TensorOptions().dtype(to_scalar_type(argument.dtype)));
}

/// An argument of a plan: on the Meta device, unless its elements are known.
inline at::Tensor meta_tensor(const PlanArgument& argument) {
  const auto options = at::TensorOptions().dtype(to_scalar_type(argument.dtype));
  if (argument.known != nullptr) return at::from_blob(argument.known, argument.shape, options);
  return at::empty(argument.shape, options.device(c10::Device(c10::kMeta)));
}

/// The argument where calls on `device` find it.
inline at::Tensor tensor_on_device(const EngineArgument& argument, c10::Device device) {
  if (argument.on_device == nullptr) return wrap(argument).to(device);
  // The device is named: asking the driver whose memory it is would be a call of libtorch more.
  return at::for_blob(argument.on_device, argument.shape)
      .options(at::TensorOptions().dtype(to_scalar_type(argument.dtype)).device(device))
      .target_device(device)
      .make_tensor();
}

}  // namespace graphnet::eager
