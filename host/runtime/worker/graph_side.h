// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "eager/graph_run.h"
#include "graph/graph.h"
#include "plugin/host_services.h"
#include "worker/dense_copy.h"
#include "worker/device_arguments.h"

namespace graphnet::worker {

/// The reference side of a graph in normal form: libtorch runs it node by node. Plugins that ask
/// for the eager service get this graph.
class GraphSide final : public plugin::EagerService {
 public:
  /// Borrows the graph and the arguments: those of all its parameters but the random ones.
  static base::Result<std::unique_ptr<GraphSide>> create(const graph::Graph& graph,
                                                         const DeviceArguments& arguments);

  /// Runs once and copies the outputs.
  base::Result<std::vector<KeptOutput>> reference();

  base::Status prepare() override { return base::Status::ok(); }
  bool needs_prepare() const override { return false; }
  base::Status run() override { return run_->run(arguments_); }
  void describe_outputs(DLTensor* const* outputs, std::uint64_t num_outputs) override;

 private:
  GraphSide(std::unique_ptr<eager::GraphRun> run, std::vector<void*> arguments)
      : run_(std::move(run)), arguments_(std::move(arguments)) {}

  std::unique_ptr<eager::GraphRun> run_;
  std::vector<void*> arguments_;
};

}  // namespace graphnet::worker
