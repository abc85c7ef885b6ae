// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

#include <thread>

#include "launches.h"

namespace graphnet::tests {

__global__ void plain_kernel(int* word) {
  atomicAdd(word, 1);
}
__global__ void ex_kernel(int* word) {
  atomicAdd(word, 1);
}
__global__ void cooperative_kernel(int* word) {
  atomicAdd(word, 1);
}
__global__ void graph_kernel(int* word) {
  atomicAdd(word, 1);
}
__global__ void child_kernel(int* word) {
  atomicAdd(word, 1);
}
__global__ void side_kernel(int* word) {
  atomicAdd(word, 1);
}
__global__ void thread_kernel(int* word) {
  atomicAdd(word, 1);
}

namespace {

constexpr std::size_t kBytes = 4096;

int* memory() {
  static int* const words = [] {
    void* made = nullptr;
    cudaMalloc(&made, kBytes);
    return static_cast<int*>(made);
  }();
  return words;
}

cudaStream_t side_stream() {
  static const cudaStream_t stream = [] {
    cudaStream_t made = nullptr;
    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    return made;
  }();
  return stream;
}

void CUDART_CB do_nothing(void*) {}

int run_ex() {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(1);
  return cudaLaunchKernelEx(&config, ex_kernel, memory());
}

int run_cooperative() {
  int* words = memory();
  void* arguments[] = {&words};
  return cudaLaunchCooperativeKernel(reinterpret_cast<void*>(&cooperative_kernel), dim3(1), dim3(1),
                                     arguments);
}

int run_side_stream() {
  side_kernel<<<1, 1, 0, side_stream()>>>(memory());
  return cudaGetLastError();
}

int run_thread() {
  int code = 0;
  std::thread([&] {
    thread_kernel<<<1, 1>>>(memory());
    code = cudaGetLastError();
  }).join();
  return code;
}

int run_host_function() {
  return cudaLaunchHostFunc(nullptr, do_nothing, nullptr);
}

int run_copy() {
  return cudaMemcpyAsync(memory() + 256, memory(), 512, cudaMemcpyDeviceToDevice, nullptr);
}

int run_set() {
  return cudaMemsetAsync(memory() + 512, 0, 512, nullptr);
}

cudaKernelNodeParams node_of(void (*kernel)(int*), void** arguments) {
  cudaKernelNodeParams node = {};
  node.func = reinterpret_cast<void*>(kernel);
  node.gridDim = dim3(1);
  node.blockDim = dim3(1);
  node.kernelParams = arguments;
  return node;
}

/// Three kernels, a host function, and a graph of two kernels in it.
cudaGraphExec_t make_graph() {
  cudaGraph_t graph = nullptr;
  cudaGraph_t child = nullptr;
  cudaGraphExec_t executable = nullptr;
  int* words = memory();
  void* arguments[] = {&words};
  cudaGraphCreate(&graph, 0);
  cudaGraphCreate(&child, 0);
  cudaGraphNode_t node = nullptr;
  const cudaKernelNodeParams outer = node_of(graph_kernel, arguments);
  for (int i = 0; i < 3; ++i) cudaGraphAddKernelNode(&node, graph, nullptr, 0, &outer);
  const cudaKernelNodeParams inner = node_of(child_kernel, arguments);
  for (int i = 0; i < 2; ++i) cudaGraphAddKernelNode(&node, child, nullptr, 0, &inner);
  cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child);
  cudaHostNodeParams host = {};
  host.fn = do_nothing;
  cudaGraphAddHostNode(&node, graph, nullptr, 0, &host);
  cudaGraphInstantiate(&executable, graph, 0);
  return executable;
}

int run_graph() {
  static const cudaGraphExec_t graph = make_graph();
  return cudaGraphLaunch(graph, nullptr);
}

}  // namespace

int launch_plain() {
  plain_kernel<<<1, 1>>>(memory());
  return cudaGetLastError();
}

int wait_for_device() {
  return cudaDeviceSynchronize();
}

const std::vector<LaunchKind>& launch_kinds() {
  static const std::vector<LaunchKind> kinds = {{"plain", launch_plain, 1, 0, 0},
                                                {"ex", run_ex, 1, 0, 0},
                                                {"cooperative", run_cooperative, 1, 0, 0},
                                                {"graph with a child", run_graph, 5, 0, 0},
                                                {"host function", run_host_function, 0, 0, 0},
                                                {"side stream", run_side_stream, 1, 0, 0},
                                                {"thread", run_thread, 1, 0, 0},
                                                {"copy", run_copy, 0, 1, 0},
                                                {"set", run_set, 0, 0, 1}};
  return kinds;
}

}  // namespace graphnet::tests
