// SPDX-License-Identifier: MIT
#include "worker/dense_copy.h"

#include <algorithm>
#include <cstring>

#include "worker/kernel_copy.h"

namespace graphnet::worker {

namespace {

struct Copier {
  const DLTensor& tensor;
  std::size_t element_bytes;
  std::byte* next;

  void copy(const std::byte* source, int dim) {
    if (dim == tensor.ndim) {
      std::memcpy(next, source, element_bytes);
      next += element_bytes;
      return;
    }
    const std::int64_t extent = tensor.shape[dim];
    const std::int64_t stride = tensor.strides[dim];
    const auto step = static_cast<std::ptrdiff_t>(element_bytes) * stride;
    if (dim + 1 == tensor.ndim && stride == 1) {
      const std::size_t row = element_bytes * static_cast<std::size_t>(extent);
      std::memcpy(next, source, row);
      next += row;
      return;
    }
    for (std::int64_t i = 0; i < extent; ++i) copy(source + i * step, dim + 1);
  }
};

/// From the first element to the last, what lies between them included.
std::size_t spanned_bytes(const DLTensor& tensor) {
  std::int64_t last = 0;
  for (int dim = 0; dim < tensor.ndim; ++dim) {
    if (tensor.shape[dim] == 0) return 0;
    last += (tensor.shape[dim] - 1) * tensor.strides[dim];
  }
  return static_cast<std::size_t>(last + 1) * tensor.dtype.bits / 8;
}

}  // namespace

bool is_dense(const DLTensor& tensor) {
  std::int64_t stride = 1;
  for (int dim = tensor.ndim - 1; dim >= 0; --dim) {
    if (tensor.shape[dim] != 1 && tensor.strides[dim] != stride) return false;
    stride *= tensor.shape[dim];
  }
  return true;
}

void copy_dense(const DLTensor& tensor, void* destination) {
  for (int dim = 0; dim < tensor.ndim; ++dim) {
    if (tensor.shape[dim] == 0) return;
  }
  const auto* source = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
  Copier copier{tensor, static_cast<std::size_t>(tensor.dtype.bits) / 8,
                static_cast<std::byte*>(destination)};
  copier.copy(source, 0);
}

base::Status copy_dense(device::TensorDevice& device, const DLTensor& tensor, void* destination) {
  const std::size_t num_bytes = spanned_bytes(tensor);
  if (num_bytes == 0) return base::Status::ok();
  const auto* const source = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
  if (is_dense(tensor)) {
    return device.is_host() ? read_known_memory(source, destination, num_bytes, "an output")
                            : device.copy_out(destination, source, num_bytes);
  }
  if (device.is_host()) {
    copy_dense(tensor, destination);
    return base::Status::ok();
  }
  std::vector<std::byte> copy(num_bytes);
  GN_RETURN_IF_ERROR(device.copy_out(copy.data(), source, num_bytes));
  DLTensor on_host = tensor;
  on_host.data = copy.data();
  on_host.byte_offset = 0;
  copy_dense(on_host, destination);
  return base::Status::ok();
}

base::Status read_as_if_dense(const DLTensor& tensor, void* destination) {
  std::size_t num_bytes = static_cast<std::size_t>(tensor.dtype.bits) / 8;
  for (int dim = 0; dim < tensor.ndim; ++dim) {
    num_bytes *= static_cast<std::size_t>(tensor.shape[dim]);
  }
  return read_known_memory(static_cast<const std::byte*>(tensor.data) + tensor.byte_offset,
                           destination, std::min(num_bytes, spanned_bytes(tensor)), "an output");
}

bool bits_equal(const std::vector<KeptOutput>& a, const std::vector<KeptOutput>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    const std::size_t size = one.bytes.num_bytes();
    return size == other.bytes.num_bytes() &&
           (size == 0 || std::memcmp(one.bytes.data(), other.bytes.data(), size) == 0);
  });
}

}  // namespace graphnet::worker
