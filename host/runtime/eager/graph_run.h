// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/device_name.h"
#include "base/result.h"
#include "eager/engine.h"
#include "graph/graph.h"

namespace graphnet::eager {

/// Runs a graph in normal form with libtorch, node by node, freeing values at their last use.
class GraphRun {
 public:
  ~GraphRun();

  /// Resolves operators and arguments; borrows the graph. On a CUDA device, which needs load_cuda()
  /// (cuda_library.h) first, constants are copied there now, and what a node makes from nothing is
  /// made there.
  ///
  /// errors   kInternal for a graph that breaks its rules (graph/verify_graph.h)
  static base::Result<std::unique_ptr<GraphRun>> create(const graph::Graph& graph,
                                                        base::DeviceName device = {});

  /// One call; on a device it may be under way yet. Random parameters take the values that the
  /// graph holds for them.
  ///
  /// shapes   arguments: dense elements of each parameter but the random ones on the device, in
  ///          their order
  /// errors   as Engine::run(); outputs are empty
  base::Status run(const std::vector<void*>& arguments);

  /// Of the last run, owned by this object until the next one.
  const std::vector<EngineOutput>& outputs() const;
  /// Copies output `index` to dense row-major memory of its size.
  base::Status copy_output(std::size_t index, void* destination) const;

 private:
  struct State;
  explicit GraphRun(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace graphnet::eager
