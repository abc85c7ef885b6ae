// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graphnet/abi.h"
#include "lowering/ir/graph.h"
#include "lowering/ir/interpret.h"
#include "lowering/ir/passes/stage.h"
#include "tensorrt/cuda_memory.h"
#include "tensorrt/engine.h"
#include "tensorrt/library.h"
#include "tensorrt/write_network.h"

namespace graphnet::tensorrt {

/// An engine on the device, ready to be called: what stands behind a gn_executable.
///
/// Inputs and outputs are read and written where the host has them. Weights that are known while
/// compiling are part of the engine; others are refitted by bind, or, if they are no floats, inputs
/// of the engine.
class EngineExecutable {
 public:
  /// Builds and loads the engine. `staged` has a bind graph only if weights are bound.
  ///
  /// errors   UNSUPPORTED with all layers that the library refuses; COMPILE_FAILED, UNAVAILABLE,
  ///          OUT_OF_MEMORY
  EngineExecutable(const Library& library, lowering::ir::StagedGraph staged, BoundWeights bound,
                   const BuildSettings& settings, const std::string& driver = "libcuda.so.1");
  ~EngineExecutable();
  EngineExecutable(const EngineExecutable&) = delete;
  EngineExecutable& operator=(const EngineExecutable&) = delete;

  /// errors   RUNTIME_FAILED: the library does not take the weights
  void bind(gn_bind_args& args);
  /// errors   INVALID_ARGUMENT: bind is missing; RUNTIME_FAILED
  void run(const gn_run_args& args);

  /// "key: value" lines.
  std::string describe() const;
  /// Layers and kernels, as the library's inspector writes them: JSON.
  std::string inspect() const;
  /// What later builds take; empty if the library has none.
  const std::string& timing_cache() const { return timing_cache_; }

 private:
  /// Device memory of a value that bind computes.
  struct Buffer {
    std::string name;
    void* memory = nullptr;
    std::size_t num_bytes = 0;
  };

  void build(BoundWeights bound, const BuildSettings& settings);
  void load(const std::string& plan);
  std::vector<lowering::ir::Array> read_weights(const gn_bind_args& args) const;
  void refit(const gn_bind_args& args, const std::vector<lowering::ir::Array>& bound);
  void fill_inputs(const gn_bind_args& args, const std::vector<lowering::ir::Array>& bound);
  void set_address(const std::string& name, void* memory) const;
  void require_all_weights(void* refitter) const;

  const Library library_;
  lowering::ir::StagedGraph staged_;
  WrittenNetwork written_;
  CudaMemory memory_;
  std::string timing_cache_;
  std::size_t plan_bytes_ = 0;
  std::int32_t num_layers_ = 0;
  Object runtime_;  ///< destroyed last
  Object engine_;
  Object context_;
  std::vector<Buffer> buffers_;
  bool is_bound_ = false;
  bool is_attached_ = false;
};

}  // namespace graphnet::tensorrt
