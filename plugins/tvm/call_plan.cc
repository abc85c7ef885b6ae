// SPDX-License-Identifier: MIT
#include "tvm_plugin/call_plan.h"

#include <set>

namespace graphnet::tvm {

namespace {

constexpr std::size_t kMaxRank = 64;
constexpr std::int64_t kMaxElements = std::int64_t{1} << 44;

/// Extents that no tensor has, alone or multiplied.
bool is_possible(const Shape& shape) {
  if (shape.size() > kMaxRank) return false;
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || extent > kMaxElements) return false;
    if (extent > 0 && count > kMaxElements / extent) return false;
    count *= extent;
  }
  return true;
}

std::string flaw_of_value(const StoredValue& value, const CallPlan& plan) {
  if (value.type > Type::kC128) return "an element type that there is not";
  if (!is_possible(value.shape) || !is_possible(value.storage)) return "a shape that cannot be";
  if (!value.is_argument) return "";
  if (lowering::num_elements(value.shape) != lowering::num_elements(value.storage)) {
    return "a buffer of another size than its value";
  }
  if (value.source > ArgumentSource::kConstant) return "an argument from nowhere";
  if (value.source != ArgumentSource::kConstant) return "";
  if (value.index >= plan.constants.size()) return "a constant that is missing";
  return plan.constants[value.index].size() == bytes_of(value)
             ? ""
             : "a constant of another size than its value";
}

std::set<std::int32_t> used_values(const Program& program, const KernelPlan& kernels,
                                   const RelaxModule& module) {
  std::set<std::int32_t> used(program.outputs.begin(), program.outputs.end());
  for (const FunctionSignature* function : {&module.main, &module.bind}) {
    used.insert(function->parameters.begin(), function->parameters.end());
    used.insert(function->results.begin(), function->results.end());
  }
  for (std::size_t id = 0; id < program.nodes.size(); ++id) {
    const bool is_argument = program.nodes[id].kind == NodeKind::kArgument;
    if (is_argument && kernels.is_stored[id]) used.insert(static_cast<std::int32_t>(id));
  }
  return used;
}

void renumber(std::vector<std::int32_t>& ids, const std::map<std::int32_t, std::int32_t>& new_ids) {
  for (std::int32_t& id : ids) id = new_ids.at(id);
}

}  // namespace

std::size_t bytes_of(const StoredValue& value) {
  return static_cast<std::size_t>(lowering::num_elements(value.shape) *
                                  lowering::bytes_of(value.type));
}

CallPlan make_call_plan(const Program& program, const KernelPlan& kernels,
                        const RelaxModule& module) {
  CallPlan plan;
  std::map<std::int32_t, std::int32_t> new_ids;
  for (const std::int32_t id : used_values(program, kernels, module)) {
    const Node& node = program.at(id);
    new_ids[id] = static_cast<std::int32_t>(plan.values.size());
    const bool is_argument =
        node.kind == NodeKind::kArgument && kernels.is_stored[static_cast<std::size_t>(id)];
    plan.values.push_back({is_argument, node.source, node.index, node.type, node.shape,
                           is_argument ? kernels.storage[static_cast<std::size_t>(id)] : Shape()});
  }
  plan.main = module.main;
  plan.bind = module.bind;
  plan.outputs = program.outputs;
  for (std::vector<std::int32_t>* ids :
       {&plan.main.parameters, &plan.main.results, &plan.bind.parameters, &plan.bind.results,
        &plan.outputs}) {
    renumber(*ids, new_ids);
  }
  for (const Constant& constant : program.constants) plan.constants.push_back(constant.bytes);
  for (const auto& [rule, count] : module.rules) plan.kernels_by_rule[rule] = count;
  plan.num_main_kernels = module.num_kernels;
  plan.num_bind_kernels = static_cast<std::int64_t>(kernels.bind.size());
  return plan;
}

std::string flaw_of(const CallPlan& plan) {
  for (const StoredValue& value : plan.values) {
    std::string flaw = flaw_of_value(value, plan);
    if (!flaw.empty()) return flaw;
  }
  for (const std::vector<std::int32_t>* ids :
       {&plan.main.parameters, &plan.main.results, &plan.bind.parameters, &plan.bind.results,
        &plan.outputs}) {
    for (const std::int32_t id : *ids) {
      if (id < 0 || static_cast<std::size_t>(id) >= plan.values.size()) {
        return "a value that is missing";
      }
    }
  }
  return "";
}

}  // namespace graphnet::tvm
