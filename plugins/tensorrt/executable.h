// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graphnet/abi.h"
#include "lowering/ir/graph.h"
#include "lowering/ir/interpret.h"
#include "lowering/ir/passes/stage.h"
#include "tensorrt/cuda_driver.h"
#include "tensorrt/engine.h"
#include "tensorrt/library.h"
#include "tensorrt/refit_check.h"
#include "tensorrt/stored_engine.h"
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
  static std::unique_ptr<EngineExecutable> build(const Library& library,
                                                 lowering::ir::StagedGraph staged,
                                                 BoundWeights bound, const BuildSettings& settings,
                                                 const std::string& driver = "libcuda.so.1");
  /// Loads what store() of an executable gave that was built with the same settings.
  ///
  /// errors   INVALID_ARGUMENT: as read_engine(), or the library does not take the plan
  static std::unique_ptr<EngineExecutable> load(const Library& library, std::string_view stored,
                                                BoundWeights bound, const BuildSettings& settings,
                                                const std::string& driver = "libcuda.so.1");
  ~EngineExecutable();
  EngineExecutable(const EngineExecutable&) = delete;
  EngineExecutable& operator=(const EngineExecutable&) = delete;

  /// errors   RUNTIME_FAILED: the library does not take the weights
  void bind(gn_bind_args& args);
  /// errors   INVALID_ARGUMENT: bind is missing; RUNTIME_FAILED
  void run(const gn_run_args& args);

  /// The engine as bytes that load() takes. Once only, and before the first bind or run: what is
  /// as large as the engine is not kept beside it.
  ///
  /// errors   UNSUPPORTED: later
  std::string store();

  /// A part of what run() does, for who calls the engine with memory of its own: a name of
  /// network(), and the call itself. Returns the stream that has it.
  ///
  /// errors   RUNTIME_FAILED
  void set_address(const std::string& name, void* memory);
  void* enqueue(void* stream);
  const WrittenNetwork& network() const { return parts_.network; }

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

  EngineExecutable(const Library& library, BoundWeights bound, const BuildSettings& settings,
                   const std::string& driver);
  EngineParts built(lowering::ir::StagedGraph staged, BoundWeights bound, BuildSettings settings);
  void take(EngineParts parts, const BuildSettings& settings, std::uint32_t code);
  void attach(const gn_run_args& args);
  std::vector<lowering::ir::Array> read_weights(const gn_bind_args& args) const;
  void refit(const gn_bind_args& args, const std::vector<lowering::ir::Array>& bound);
  void fill_inputs(const gn_bind_args& args, const std::vector<lowering::ir::Array>& bound);
  std::string summary() const;
  void require_all_weights(void* refitter) const;

  const Library library_;
  CudaDriver driver_;
  EngineOrigin origin_;
  EngineParts parts_;  ///< the plan until it is stored or the first call of bind or run
  std::string timing_cache_;
  std::size_t plan_bytes_ = 0;
  Object runtime_;  ///< destroyed last
  Object engine_;
  Object context_;
  std::vector<Buffer> buffers_;
  Addresses addresses_;
  std::unique_ptr<RefitCheck> refit_check_;  ///< none: nothing is refitted, or nobody wants it
  bool is_refit_checked_ = false;            ///< since the last bind
  bool is_bound_ = false;
  bool is_attached_ = false;
  void* own_stream_ = nullptr;  ///< of calls on the default stream
};

}  // namespace graphnet::tensorrt
