// SPDX-License-Identifier: MIT
#include "tvm_plugin/call_plan.h"

#include <set>
#include <utility>

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

std::set<ir::ValueId> used_values(const ir::Graph& graph, const KernelPlan& kernels,
                                  const RelaxModule& module) {
  std::set<ir::ValueId> used(graph.outputs.begin(), graph.outputs.end());
  for (const FunctionSignature* function : {&module.main, &module.bind}) {
    used.insert(function->parameters.begin(), function->parameters.end());
    used.insert(function->results.begin(), function->results.end());
  }
  for (const ir::Node& node : graph.nodes) {
    const ir::ValueId id = node.results[0];
    const bool is_stored = kernels.is_stored[static_cast<std::size_t>(id)];
    if (is_argument(node.operation) && is_stored) used.insert(id);
  }
  return used;
}

/// What a stored value is to the caller; adds the bytes of constants to the plan.
StoredValue stored_value(const ir::Graph& graph, const KernelPlan& kernels, ir::ValueId id,
                         CallPlan& plan) {
  const ir::Operation& operation = graph.maker(id).operation;
  const ir::TensorType& type = graph.type(id);
  StoredValue value;
  value.type = type.type;
  value.shape = type.shape;
  value.is_argument = is_argument(operation) && kernels.is_stored[static_cast<std::size_t>(id)];
  if (!value.is_argument) return value;
  value.storage = kernels.storage[static_cast<std::size_t>(id)];
  if (const auto* constant = std::get_if<ir::Constant>(&operation)) {
    value.source = ArgumentSource::kConstant;
    value.index = static_cast<std::uint32_t>(plan.constants.size());
    plan.constants.push_back(constant->bytes);
    return value;
  }
  const auto& parameter = std::get<ir::Parameter>(operation);
  const bool is_input = parameter.source == ir::ParameterSource::kInput;
  value.source = is_input ? ArgumentSource::kInput : ArgumentSource::kWeight;
  value.index = static_cast<std::uint32_t>(parameter.index);
  return value;
}

void renumber(std::vector<std::int32_t>& ids, const std::map<std::int32_t, std::int32_t>& new_ids) {
  for (std::int32_t& id : ids) id = new_ids.at(id);
}

}  // namespace

std::size_t bytes_of(const StoredValue& value) {
  return static_cast<std::size_t>(lowering::num_elements(value.shape) *
                                  lowering::bytes_of(value.type));
}

CallPlan make_call_plan(const ir::Graph& graph, const KernelPlan& kernels,
                        const RelaxModule& module) {
  CallPlan plan;
  std::map<ir::ValueId, std::int32_t> new_ids;
  for (const ir::ValueId id : used_values(graph, kernels, module)) {
    new_ids[id] = static_cast<std::int32_t>(plan.values.size());
    StoredValue value = stored_value(graph, kernels, id, plan);
    plan.values.push_back(std::move(value));
  }
  plan.main = module.main;
  plan.bind = module.bind;
  plan.outputs = graph.outputs;
  for (std::vector<std::int32_t>* ids :
       {&plan.main.parameters, &plan.main.results, &plan.bind.parameters, &plan.bind.results,
        &plan.outputs}) {
    renumber(*ids, new_ids);
  }
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
