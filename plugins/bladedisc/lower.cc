// SPDX-License-Identifier: MIT
#include "bladedisc/lower.h"

#include <utility>

#include "bladedisc/legalize.h"
#include "graphnet/dump.h"
#include "graphnet/failure.h"
#include "lowering/ir/build.h"
#include "lowering/ir/text.h"
#include "lowering/stablehlo/print.h"

namespace graphnet::bladedisc {

namespace ir = lowering::ir;
namespace stablehlo = lowering::stablehlo;

stablehlo::LoweredProgram lower(const gn_host_api* host, const gn_graph_body& body) {
  const auto require = [](const ir::Built& built) {
    if (built.failures.empty()) return;
    throw Failure(GN_STATUS_UNSUPPORTED, lowering::describe_failures(built.failures));
  };
  ir::Built built = ir::build(body, /*rewrites=*/false);
  require(built);
  built = legalize(built.graph);
  require(built);
  if (dumps(host)) dump(host, "lowered.ir", ir::to_text(built.graph));
  stablehlo::PrintOptions options;
  options.rewrites = false;
  options.lends_results = false;
  options.full_precision = !math_policy(host).allows_tf32;
  options.dialect = stablehlo::Dialect::kMhlo2023;
  options.placement = host->device.device_type == kDLCUDA ? "gpu" : "cpu";
  stablehlo::LoweredProgram program = stablehlo::print(std::move(built.graph), options, "graphnet");
  if (dumps(host)) dump(host, "module.mlir", program.main.text);
  return program;
}

}  // namespace graphnet::bladedisc
