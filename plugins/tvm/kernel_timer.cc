// SPDX-License-Identifier: MIT
#include "tvm_plugin/kernel_timer.h"

#include <algorithm>
#include <cstring>

#include "tvm_plugin/clock.h"
#include "tvm_plugin/expression.h"
#include "tvm_plugin/thread_pool.h"

namespace graphnet::tvm {

namespace {

constexpr double kLongCall = 0.1;
constexpr double kMeasured = 0.05;
constexpr int kMostCalls = 50;

/// Floats near one, so that nothing is subnormal; zeros otherwise, so that indices exist.
void fill(Type type, std::byte* data, std::size_t num_bytes) {
  std::memset(data, 0, num_bytes);
  if (type != Type::kF32) return;
  for (std::size_t i = 0; i < num_bytes / sizeof(float); ++i) {
    const float value = 0.5F + static_cast<float>(i % 17) / 16;
    std::memcpy(data + i * sizeof(float), &value, sizeof(float));
  }
}

}  // namespace

KernelTimer::KernelTimer(const std::vector<BufferShape>& buffers) : buffers_(buffers) {
  for (BufferShape& buffer : buffers_) {
    const auto num_bytes = static_cast<std::size_t>(lowering::num_elements(buffer.shape) *
                                                    lowering::bytes_of(buffer.type));
    memory_.emplace_back(std::max<std::size_t>(num_bytes, 1));
    fill(buffer.type, memory_.back().data(), num_bytes);
    DLTensor tensor = {};
    tensor.data = memory_.back().data();
    tensor.device = {kDLCPU, 0};
    tensor.ndim = static_cast<int>(buffer.shape.size());
    tensor.dtype = tvm_type(buffer.type);
    tensor.shape = buffer.shape.data();
    tensors_.push_back(tensor);
  }
  for (DLTensor& tensor : tensors_) arguments_.emplace_back(&tensor);
}

double KernelTimer::seconds_of(const Ref& module, const Target& target) {
  const ffi::Function function = module_function(build_kernels(module, target), "main").value();
  Any ignored;
  const PoolCall pool_call;
  const auto once = [&] {
    const double start = seconds_now();
    function.CallPacked(arguments_.data(), static_cast<int>(arguments_.size()), &ignored);
    return seconds_now() - start;
  };
  double best = once();
  if (best > kLongCall) return best;
  const double start = seconds_now();
  for (int i = 0; i < kMostCalls && seconds_now() - start < kMeasured; ++i)
    best = std::min(best, once());
  return best;
}

}  // namespace graphnet::tvm
