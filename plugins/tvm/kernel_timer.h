// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "lowering/aligned_copy.h"
#include "lowering/tensor.h"
#include "tvm_plugin/pipeline.h"

namespace graphnet::tvm {

/// A tensor that a kernel reads or writes.
struct BufferShape {
  lowering::Type type = lowering::Type::kF32;  ///< in memory
  lowering::Shape shape;
};

/// Builds variants of one kernel and measures them on the same tensors.
class KernelTimer {
 public:
  explicit KernelTimer(const std::vector<BufferShape>& buffers);
  KernelTimer(const KernelTimer&) = delete;
  KernelTimer& operator=(const KernelTimer&) = delete;

  /// Seconds of the fastest of some calls; one that takes long is called once.
  ///
  /// module   of one function "main"
  ///
  /// errors   ffi::Error where TVM refuses
  double seconds_of(const Ref& module, const Target& target);

 private:
  std::vector<BufferShape> buffers_;
  std::vector<lowering::AlignedCopy> memory_;
  std::vector<DLTensor> tensors_;
  std::vector<ffi::AnyView> arguments_;
};

}  // namespace graphnet::tvm
