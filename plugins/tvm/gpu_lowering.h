// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tvm_plugin/ffi.h"
#include "tvm_plugin/options.h"
#include "tvm_plugin/pipeline.h"

namespace graphnet::tvm {

/// What code for GPUs is generated for, and the processor that would start it.
struct GpuTarget {
  GpuCode form = GpuCode::kCuda;
  Ref device;
  Ref host;
};

/// Tells TVM what its Python package otherwise would: the head of CUDA source, where CUDA's
/// libdevice.10.bc is (under CUDA_HOME, or else /usr/local/cuda; PTX needs it for exp and its
/// like), and how to write what kernels take from LLVM or the C library.
///
/// errors   ffi::Error; Failure INVALID_ARGUMENT: LLVM, which PTX comes from, lacks the processor
GpuTarget make_gpu_target(GpuCode form, const std::string& arch, const Target& host);

/// A kernel's part that runs on a GPU: one function a block of its loops.
struct DeviceKernel {
  Ref module;
  std::vector<std::string> launches;  ///< "aten_add_Tensor_kernel<<<49, 1024>>>", in order
};

/// A function of TE with TVM's default GPU schedule, lowered.
///
/// name     of the kernel; those of the functions on the device begin with it
/// errors   ffi::Error where TVM refuses
DeviceKernel lower_for_gpu(const Ref& function, const std::string& name, const GpuTarget& target);

/// CUDA C++ or PTX of kernels.
///
/// errors   ffi::Error; Failure UNSUPPORTED: PTX without a function that it calls
std::string gpu_source(const std::vector<DeviceKernel>& kernels, const GpuTarget& target);

}  // namespace graphnet::tvm
