// SPDX-License-Identifier: MIT
//
// See ral_api.h. RAL's includes CUDA's header only if GOOGLE_CUDA is set.
#pragma once

#include "mlir/ral/context/base/cpu/cpu_context_impl.h"

// Names as in RAL. NOLINTBEGIN(readability-identifier-naming)

namespace tao {
namespace ral {
namespace gpu {

using GpuStreamHandle = CUstream;
using GpuEventHandle = cudaEvent_t;

struct BaseCudaContextOption {
  GpuStreamHandle stream = nullptr;
  int device_ordinal = 0;
  bool use_stream_executor = true;
  bool cache_workspace_mem_across_execution = false;
  std::shared_ptr<Allocator> gpu_allocator;
};

std::unique_ptr<BaseContext> MakeBaseCudaContext(BaseContextOption& option,
                                                 cpu::BaseCpuContextOption& cpu_option,
                                                 BaseCudaContextOption& gpu_option);

struct BaseCudaExecutionContext : public cpu::BaseCpuExecutionContext {
  explicit BaseCudaExecutionContext(BaseContext* context);
  ~BaseCudaExecutionContext() override;
};

}  // namespace gpu
}  // namespace ral
}  // namespace tao

// NOLINTEND(readability-identifier-naming)
