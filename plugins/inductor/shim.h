// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "graphnet/abi.h"

namespace graphnet::inductor {

struct TensorObject;  // opaque
using Tensor = TensorObject*;

/// The part of libtorch's C interface that a call of compiled code takes beside the code itself.
/// The host has loaded libtorch; the plugin is not linked with it. Functions return 0 for success.
///
/// source   torch/csrc/inductor/aoti_torch/c/shim.h, torch/csrc/stable/c/shim.h
struct Shim {
  std::int32_t (*create_tensor_from_blob)(void* data, std::int64_t ndim, const std::int64_t* sizes,
                                          const std::int64_t* strides, std::int64_t offset,
                                          std::int32_t dtype, std::int32_t device_type,
                                          std::int32_t device_index, Tensor* made);
  std::int32_t (*delete_tensor_object)(Tensor);
  std::int32_t (*get_data_ptr)(Tensor, void**);
  std::int32_t (*get_numel)(Tensor, std::int64_t*);
  std::int32_t (*is_contiguous)(Tensor, bool*);
  std::int32_t (*copy)(Tensor to, Tensor from, std::int32_t non_blocking);
  std::int32_t (*new_tensor_handle)(Tensor, Tensor* same);
  std::int32_t (*assign_tensors)(Tensor from, Tensor to);
  // The dispatcher takes and gives 64 bits for each argument: a number, a tensor or list, whose
  // handle it deletes, or for an optional argument null or a pointer to these bits, which it
  // deletes, too.
  struct List;  // opaque
  std::int32_t (*new_list)(std::size_t reserved, List** made);
  std::int32_t (*push_back)(List*, std::uint64_t bits);
  std::int32_t (*call_dispatcher)(const char* name, const char* overload, std::uint64_t* stack);
};

/// errors   Failure UNAVAILABLE: this process has no libtorch, or one of another release
const Shim& shim();

/// A tensor object that is deleted.
class TensorHandle {
 public:
  TensorHandle() = default;
  explicit TensorHandle(Tensor tensor) : tensor_(tensor) {}
  TensorHandle(const TensorHandle&) = delete;
  TensorHandle& operator=(const TensorHandle&) = delete;
  TensorHandle(TensorHandle&& other) noexcept : tensor_(other.release()) {}
  TensorHandle& operator=(TensorHandle&&) = delete;
  ~TensorHandle() {
    if (tensor_ != nullptr) shim().delete_tensor_object(tensor_);
  }

  Tensor get() const { return tensor_; }
  Tensor release() {
    Tensor const tensor = tensor_;
    tensor_ = nullptr;
    return tensor;
  }

 private:
  Tensor tensor_ = nullptr;
};

/// A tensor object over memory that stays the owner's.
///
/// errors   Failure RUNTIME_FAILED
TensorHandle borrow(const DLTensor& tensor);

}  // namespace graphnet::inductor
