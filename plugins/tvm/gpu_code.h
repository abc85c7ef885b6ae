// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tvm_plugin/options.h"
#include "tvm_plugin/pipeline.h"
#include "tvm_plugin/program.h"

namespace graphnet::tvm {

/// A program's kernels as source for GPUs. Nothing compiles it for a device or runs it.
struct GpuSource {
  std::string text;  ///< CUDA C++ or PTX, without a label
  int num_kernels = 0;
  int num_generated = 0;
  std::vector<std::string> launches;  ///< "aten_add_Tensor_kernel<<<49, 1024>>>"
  std::vector<std::string> refusals;  ///< "aten_sort: why"
};

/// Distinct kernels of a program without layouts (Emitter(false)), each with TVM's default GPU
/// schedule.
///
/// options  gpu_code and gpu_arch
/// errors   LoweringError; ffi::Error where there is no such target; what TVM refuses of single
///          kernels is among the refusals
GpuSource generate_gpu_source(const Program& program, const Options& options, const Target& host);

/// The same in a file of its own under options.gpu_code_folder, behind a comment that says what it
/// is. What goes wrong is no error: programs run without it.
///
/// sample   its name, for that of the file
/// returns  one line for `info`: how many kernels, where, and which were refused
std::string write_gpu_code(const Program& program, const std::string& sample,
                           const Options& options, const Target& host);

}  // namespace graphnet::tvm
