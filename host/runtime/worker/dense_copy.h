// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/result.h"
#include "device/tensor_device.h"
#include "graphnet/abi.h"
#include "verify/compare.h"

namespace graphnet::worker {

/// A dense copy of an output, kept to be compared after the buffers have moved on.
using KeptOutput = base::DenseTensor;

/// True if the elements lie in memory as in the shape, row by row, with nothing between them.
bool is_dense(const DLTensor& tensor);

/// Copies a strided tensor on the host to dense row-major memory.
///
/// shapes   destination: as many bytes as the tensor has elements times their size
void copy_dense(const DLTensor& tensor, void* destination);

/// The same from any device. What lies between the tensor's elements is copied too, if it is not on
/// the host. Dense memory of the host is read as kernel_copy.h says.
///
/// errors   as device::TensorDevice, read_known_memory()
base::Status copy_dense(device::TensorDevice& device, const DLTensor& tensor, void* destination);

/// Reads the host's memory from the tensor's first element on as dense elements are read: as many
/// bytes as it has elements, or up to its last one. It takes as long as copying a dense tensor.
///
/// shapes   destination: as in copy_dense()
/// errors   read_known_memory()
base::Status read_as_if_dense(const DLTensor& tensor, void* destination);

/// True if both hold as many outputs, each of the same bytes.
bool bits_equal(const std::vector<KeptOutput>& a, const std::vector<KeptOutput>& b);

/// What verify compares, borrowed.
using verify::views;

}  // namespace graphnet::worker
