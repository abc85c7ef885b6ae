// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lowering/ir/graph.h"
#include "tensorrt/cuda_driver.h"
#include "tensorrt/engine.h"

namespace graphnet::tensorrt {

class EngineExecutable;

/// Memory on the device of the inputs and outputs of an engine, by their names in the network.
using Addresses = std::map<std::string, void*>;

/// 1e-3 (float32; 1e-2 with TF32), 2e-2 (float16), 8e-2 (bfloat16); 0 of types that are not
/// compared.
double tolerance_of(lowering::Type type, bool allows_tf32);

/// How far apart the elements of two tensors are: root mean square of the differences over that of
/// `wanted`. Infinity where one has a number and the other has none, or another infinity.
double relative_distance(lowering::Type type, std::string_view got, std::string_view wanted);

/// Finds out whether a refitted engine computes with every weight that it was given: by TensorRT's
/// documentation refitting may leave out a bias that the builder has merged, without a word. The
/// same graph is built once more, quickly and with all weights as inputs, which cannot be lost, and
/// is called with the inputs of the first call behind a bind.
class RefitCheck {
 public:
  /// `graph` is what the engine was built from, and borrowed; `driver` as in EngineExecutable.
  RefitCheck(const Library& library, const lowering::ir::Graph& graph,
             const BuildSettings& settings, const std::string& driver);
  ~RefitCheck();
  RefitCheck(const RefitCheck&) = delete;
  RefitCheck& operator=(const RefitCheck&) = delete;

  /// What bind has given for a weight; `memory` on the device with the same, or null. What it gave
  /// before is the weight's former content.
  void keep(const std::string& name, std::string bytes, void* memory);

  /// Compares what a call on `stream` has written. Waits for it.
  ///
  /// errors   RUNTIME_FAILED: the outputs are what the former content of some weights, or zeros in
  ///          their place, give; the message names the weights
  void check(const Addresses& addresses, void* stream);

  /// For `info`: "agrees ...", "disagrees ..." where no weight explains it, "not done ...".
  const std::string& report() const { return report_; }

 private:
  struct Weight {
    std::string bytes;
    std::string former;  ///< empty: none but the zeros that the engine was built with
    void* memory = nullptr;
  };
  class Memory;
  struct Call;

  bool build_reference();
  double distance_of(const Call& call, const std::map<std::string, std::string>& replaced) const;
  std::string culprits_of(const Call& call, double distance) const;

  const Library library_;
  const CudaDriver driver_;
  const std::string driver_name_;
  const lowering::ir::Graph& graph_;
  BuildSettings settings_;
  std::map<std::string, Weight> weights_;
  std::unique_ptr<EngineExecutable> reference_;
  std::string report_ = "not done: no call yet";
};

}  // namespace graphnet::tensorrt
