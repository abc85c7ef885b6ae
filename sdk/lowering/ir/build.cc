// SPDX-License-Identifier: MIT
#include "lowering/ir/build.h"

#include <utility>

#include "lowering/ir/graph_emitter.h"

namespace graphnet::lowering::ir {

Built build(const gn_graph_body& body, bool rewrites, View<UnsupportedOp> unsupported) {
  GraphEmitter emitter(rewrites);
  Lowered lowered = lower_graph(body, emitter, emitter.add_parameters(body), unsupported);
  if (!lowered.failures.empty()) return {{}, std::move(lowered.failures)};
  return {emitter.finish(lowered.outputs), {}};
}

}  // namespace graphnet::lowering::ir
