// SPDX-License-Identifier: MIT
#include "worker/graph_side.h"

#include <utility>

#include "worker/eager_side.h"

namespace graphnet::worker {

base::Result<std::unique_ptr<GraphSide>> GraphSide::create(const graph::Graph& graph,
                                                           const DeviceArguments& arguments) {
  GN_ASSIGN_OR_RETURN(auto run, eager::GraphRun::create(graph, arguments.device().name()));
  std::vector<void*> data;
  for (std::size_t i = 0; i < arguments.host().size(); ++i) data.push_back(arguments.data(i));
  return std::unique_ptr<GraphSide>(new GraphSide(std::move(run), std::move(data)));
}

base::Result<std::vector<KeptOutput>> GraphSide::reference() {
  GN_RETURN_IF_ERROR(run());
  std::vector<KeptOutput> kept;
  for (std::size_t i = 0; i < run_->outputs().size(); ++i) {
    const eager::EngineOutput& output = run_->outputs()[i];
    GN_ASSIGN_OR_RETURN(KeptOutput copy, base::allocate_tensor(output.dtype, output.shape));
    GN_RETURN_IF_ERROR(run_->copy_output(i, copy.bytes.data()));
    kept.push_back(std::move(copy));
  }
  return kept;
}

void GraphSide::describe_outputs(DLTensor* const* outputs, std::uint64_t num_outputs) {
  point_at(run_->outputs(), outputs, num_outputs);
}

}  // namespace graphnet::worker
