// SPDX-License-Identifier: MIT
#include "lowering/stablehlo/print.h"

#include <utility>

#include "lowering/ir/replay.h"

namespace graphnet::lowering::stablehlo {

Printed print(const ir::Graph& graph, const EmitterOptions& options, const std::string& name) {
  Emitter emitter(options);
  const auto argument = [&emitter](const ir::Parameter& parameter, const ir::TensorType& type) {
    const bool is_input = parameter.source == ir::ParameterSource::kInput;
    return emitter.argument(is_input ? ArgumentSource::kInput : ArgumentSource::kWeight,
                            static_cast<std::uint32_t>(parameter.index), type.type, type.shape);
  };
  Lowered lowered = ir::replay(graph, emitter, argument);
  if (!lowered.failures.empty()) return {{}, std::move(lowered.failures)};
  return {emitter.finish(lowered.outputs, name), {}};
}

}  // namespace graphnet::lowering::stablehlo
