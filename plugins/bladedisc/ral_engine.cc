// SPDX-License-Identifier: MIT
//
// The half of gn-disc-run that runs a library with BladeDISC's RAL, inside a BladeDISC image
// (plugins/bladedisc/README.md). It was written from RAL's headers at commit "fix concat codegen"
// of 2024-08-27. Nobody here has compiled it with them or run it with RAL; tests compile it with
// declarations of our own (tests/unit/bladedisc/ral) and run it with a fake. -DGN_DISC_GPU: for
// CUDA images.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <chrono>
#include <memory>
#include <stdexcept>

#include "mlir/ral/context/base/cpu/cpu_context_impl.h"
#include "mlir/ral/ral_api.h"
#include "runner_engine.h"
#ifdef GN_DISC_GPU
#include <cuda.h>
#include <cuda_runtime.h>

#include "mlir/ral/context/base/cuda/cuda_context_impl.h"
#endif

namespace gn_disc {

namespace {

namespace ral = tao::ral;
using Clock = std::chrono::steady_clock;

uint64_t since(Clock::time_point start) {
  const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start);
  return static_cast<uint64_t>(time.count());
}

#ifdef GN_DISC_GPU
using ExecutionContext = ral::gpu::BaseCudaExecutionContext;

void require(cudaError_t state, const char* what) {
  if (state == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(state));
}

void* allocate(uint64_t bytes) {
  void* memory = nullptr;
  require(cudaMalloc(&memory, bytes), "cudaMalloc");
  return memory;
}
void copy(void* to, const void* from, uint64_t bytes) {
  require(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "cudaMemcpy");
}
void wait() {
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}
#else
using ExecutionContext = ral::cpu::BaseCpuExecutionContext;

void* allocate(uint64_t bytes) {
  void* memory = nullptr;
  if (posix_memalign(&memory, GN_DISC_ALIGNMENT, bytes) != 0) throw std::bad_alloc();
  return memory;
}
void copy(void* to, const void* from, uint64_t bytes) {
  memcpy(to, from, bytes);
}
void wait() {}
#endif

class RalEngine : public Engine {
 public:
  std::string describe() override {
    std::string text = "engine: BladeDISC RAL\n";
    text += "string_abi: " + std::to_string(_GLIBCXX_USE_CXX11_ABI) + "\n";
#ifdef GN_DISC_GPU
    int runtime = 0;
    require(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    text += "cuda_runtime: " + std::to_string(runtime) + "\n";
#endif
    return text;
  }

  std::string load(const gn_disc_load& load, const std::vector<gn_disc_tensor>& tensors,
                   const std::string& library, const std::string& metadata) override {
    load_ = load;
    tensors_ = tensors;
    void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw std::runtime_error(dlerror());
    entry_ = reinterpret_cast<void (*)(void**)>(dlsym(handle, "main"));
    if (entry_ == nullptr) throw std::runtime_error(library + " does not export main");
    ral::BaseContextOption option;
    option.metadata_file_path = metadata;
    option.cache_workspace_mem_across_execution = true;
    ral::cpu::BaseCpuContextOption cpu;
#ifdef GN_DISC_GPU
    if (load.is_gpu == 0) throw std::runtime_error("this gn-disc-run is for GPUs");
    require(cudaSetDevice(load.ordinal), "cudaSetDevice");
    ral::gpu::BaseCudaContextOption gpu;
    gpu.device_ordinal = load.ordinal;
    gpu.use_stream_executor = true;
    context_ = ral::gpu::MakeBaseCudaContext(option, cpu, gpu);
#else
    if (load.is_gpu != 0) throw std::runtime_error("this gn-disc-run is for processors");
    context_ = ral::cpu::MakeBaseCpuContext(option, cpu);
#endif
    for (uint32_t i = 0; i < load.num_arguments; ++i) {
      arguments_.push_back(allocate(tensors[i].bytes));
    }
    return "";
  }

  gn_disc_times run(uint8_t* memory, uint64_t weights_version) override {
    gn_disc_times times = {};
    Clock::time_point start = Clock::now();
    const bool is_new = weights_version != weights_version_;
    for (uint32_t i = 0; i < load_.num_arguments; ++i) {
      const gn_disc_tensor& each = tensors_[i];
      if (each.kind == GN_DISC_WEIGHT && !is_new) continue;
      copy(arguments_[i], memory + each.offset, each.bytes);
    }
    wait();
    weights_version_ = weights_version;
    times.copy_ns = since(start);
    start = Clock::now();
    auto execution = ral::MakeExecutionContext<ExecutionContext>(context_.get());
    for (uint32_t i = 0; i < load_.num_arguments; ++i) {
      const gn_disc_tensor& each = tensors_[i];
      execution->bindInput(static_cast<int>(i), arguments_[i],
                           std::vector<int64_t>(each.shape, each.shape + each.rank));
    }
    void* arguments[] = {static_cast<ral::ExecutionContext*>(execution.get()),
                         reinterpret_cast<void*>(tao_ral_call_impl)};
    entry_(arguments);
    require_no_error();
    wait();
    times.entry_ns = since(start);
    start = Clock::now();
    for (uint32_t i = 0; i < load_.num_results; ++i) {
      take_result(*execution, i, memory, tensors_[load_.num_arguments + i]);
    }
    wait();
    times.copy_ns += since(start);
    return times;
  }

 private:
  // Errors are the context's, not the execution's, and stay until they are cleared.
  void require_no_error() {
    ral::Context* const context = context_.get();
    const char* message = nullptr;
    const int32_t code = tao_ral_last_error(context, &message);
    if (code == 0) return;
    const std::string reason = message == nullptr ? "" : message;
    tao_ral_clear_error(context);
    throw std::runtime_error("RAL's error " + std::to_string(code) + ": " + reason);
  }

  static void take_result(ExecutionContext& execution, uint32_t index, uint8_t* memory,
                          const gn_disc_tensor& tensor) {
    std::unique_ptr<ral::OutputBufferWrapper> output;
    execution.bindOutput(static_cast<int>(index), &output);
    const std::vector<int64_t> wanted(tensor.shape, tensor.shape + tensor.rank);
    if (!output || output->shape() != wanted) {
      throw std::runtime_error("result " + std::to_string(index) + " has another shape");
    }
    copy(memory + tensor.offset, output->data(), tensor.bytes);
  }

  gn_disc_load load_ = {};
  std::vector<gn_disc_tensor> tensors_;
  void (*entry_)(void**) = nullptr;
  std::unique_ptr<ral::BaseContext> context_;
  std::vector<void*> arguments_;
  uint64_t weights_version_ = 0;
};

}  // namespace

Engine& engine() {
  static RalEngine only;
  return only;
}

}  // namespace gn_disc
