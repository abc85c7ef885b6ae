// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "graphnet/abi.h"
#include "lowering/stablehlo/program.h"
#include "xla/pjrt_abi.h"

namespace graphnet::xla {

using lowering::stablehlo::TensorType;

/// PJRT's name of an element type.
///
/// errors   UNSUPPORTED
pjrt::BufferType buffer_type(DLDataType dtype);

/// Bytes of a dense tensor.
std::size_t num_bytes(const TensorType& type);

/// Such as "float32[2, 3]".
std::string describe(const TensorType& type);

/// Start of the tensor's elements after comparing it with what the compiled program expects:
/// nothing behind this check would notice another type or shape of the same size.
///
/// kind     "input", "weight" or "output"; with its index for the message
/// errors   INVALID_ARGUMENT: element type, shape, not dense row-major, not where it
///          must be
std::byte* checked_data(const DLTensor& tensor, const TensorType& expected, const char* kind,
                        std::uint32_t index, std::int32_t device_type = kDLCPU);

}  // namespace graphnet::xla
