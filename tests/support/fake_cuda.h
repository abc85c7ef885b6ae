// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace graphnet::tests {

/// How the made-up driver (fake_cuda.cc) behaves, and what is left of what it gave out.
struct FakeCuda {
  int failing_code = 0;           ///< what launches and waiting return
  bool computes_wrongly = false;  ///< kernels leave their last word out

  void (*on_launch)() = nullptr;   ///< called with each kernel that runs
  void (*on_release)() = nullptr;  ///< called when the context is given back
  // Of the kernel that runs when on_launch is called.
  bool is_on_non_blocking_stream = false;
  bool is_in_graph = false;

  std::string fails_once;  ///< a call of this function returns failing_once_code
  int failing_once_code = 0;
  std::size_t num_before = 0;      ///< calls of it that do not fail before that
  std::vector<std::string> calls;  ///< functions, in the order in which they were called

  std::size_t free_bytes = std::size_t{1} << 29;  ///< of memory, as the driver tells

  int instantiate_code = 0;   ///< what instantiating a graph returns
  int graph_launch_code = 0;  ///< what launching one returns

  int contexts = 0;
  int buffers = 0;
  int events = 0;
  int launches = 0;  ///< of kernels that run, those of graphs too
  int streams = 0;
  int graphs = 0;             ///< captured ones
  int executable_graphs = 0;  ///< instantiated ones
  int graph_launches = 0;
  int l2_resets = 0;
  std::size_t largest_buffer = 0;
  unsigned int last_flush_value = 0;
};

/// The kernel "graphnet_call" calls such a function with the address that follows it.
using FakeKernel = void (*)(void*);

using FakeCudaControl = FakeCuda* (*)();  ///< exported as "fake_cuda_control"

}  // namespace graphnet::tests
