// SPDX-License-Identifier: MIT
#include "xla/program_check.h"

#include <string>
#include <vector>

#include "graphnet/failure.h"
#include "xla/tensor_type.h"

namespace graphnet::xla {

using lowering::stablehlo::ArgumentSource;
using lowering::stablehlo::LoweredProgram;
using lowering::stablehlo::Module;
using lowering::stablehlo::ModuleArgument;

namespace {

void expect(bool holds, const std::string& what) {
  if (!holds) throw Failure(GN_STATUS_INTERNAL, "the lowered program is inconsistent: " + what);
}

/// An argument that is one of `results`, in the order of `what`.
void check_reference(const ModuleArgument& argument, const std::vector<TensorType>& results,
                     const std::string& what) {
  expect(argument.index < results.size(), what + " that does not exist");
  const TensorType& result = results[argument.index];
  expect(describe(result) == describe(argument.type),
         what + " is " + describe(result) + ", its argument " + describe(argument.type));
}

void check_result_memory(const Module& module) {
  std::vector<bool> has_memory(module.results.size());
  for (const ModuleArgument& argument : module.arguments) {
    if (argument.source != ArgumentSource::kResultMemory) continue;
    check_reference(argument, module.results,
                    "memory for result " + std::to_string(argument.index));
    expect(!has_memory[argument.index], "memory twice for one result");
    has_memory[argument.index] = true;
  }
}

void check_main(const Module& main, const std::vector<TensorType>& bound) {
  for (const ModuleArgument& argument : main.arguments) {
    if (argument.source != ArgumentSource::kBound) continue;
    check_reference(argument, bound, "bound value " + std::to_string(argument.index));
  }
  check_result_memory(main);
}

void check_bind(const Module& bind) {
  for (const ModuleArgument& argument : bind.arguments) {
    expect(argument.source == ArgumentSource::kWeight, "bind takes more than weights");
  }
}

}  // namespace

void check_program(const LoweredProgram& program) {
  expect(program.result_outputs.size() == program.main.results.size(),
         std::to_string(program.main.results.size()) + " results for " +
             std::to_string(program.result_outputs.size()) + " outputs");
  check_main(program.main, program.bind ? program.bind->results : std::vector<TensorType>());
  if (program.bind) check_bind(*program.bind);
}

}  // namespace graphnet::xla
