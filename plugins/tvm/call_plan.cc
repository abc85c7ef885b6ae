// SPDX-License-Identifier: MIT
#include "tvm_plugin/call_plan.h"

#include <algorithm>
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
  if (lowering::num_elements(value.shape) != lowering::num_elements(value.storage)) {
    return "a buffer of another size than its value";
  }
  if (!value.is_argument) return "";
  if (value.source > ArgumentSource::kConstant) return "an argument from nowhere";
  if (value.source != ArgumentSource::kConstant) return "";
  if (value.index >= plan.constants.size()) return "a constant that is missing";
  return plan.constants[value.index].size() == bytes_of(value)
             ? ""
             : "a constant of another size than its value";
}

/// Follows a plan from call to call: which values are there.
class PlanReader {
 public:
  explicit PlanReader(const CallPlan& plan) : plan_(plan) {
    for (const StoredValue& value : plan.values) is_there_.push_back(value.is_argument);
  }

  std::string flaw() {
    for (const auto* calls : {&plan_.bind, &plan_.main}) {
      // Inputs are there for `main` alone.
      for (std::size_t i = 0; i < plan_.values.size(); ++i) {
        const StoredValue& value = plan_.values[i];
        if (!value.is_argument || value.source != ArgumentSource::kInput) continue;
        is_there_[i] = calls == &plan_.main;
      }
      for (const KernelCall& call : *calls) {
        if (!are_there(call.inputs)) return "a value that is missing";
        if (!make_all(call.results)) return "a value that is missing, made twice or an argument";
      }
    }
    return are_there(plan_.outputs) ? "" : "a value that is missing";
  }

 private:
  bool exists(std::int32_t id) const {
    return id >= 0 && static_cast<std::size_t>(id) < is_there_.size();
  }
  bool are_there(const std::vector<std::int32_t>& ids) const {
    return std::all_of(ids.begin(), ids.end(), [this](std::int32_t id) {
      return exists(id) && is_there_[static_cast<std::size_t>(id)];
    });
  }
  bool make_all(const std::vector<std::int32_t>& ids) {
    for (const std::int32_t id : ids) {
      if (!exists(id)) return false;
      const auto index = static_cast<std::size_t>(id);
      if (plan_.values[index].is_argument || is_there_[index]) return false;
      is_there_[index] = true;
    }
    return true;
  }

  const CallPlan& plan_;
  std::vector<bool> is_there_;
};

std::set<ir::ValueId> used_values(const ir::Graph& graph, const KernelModule& module) {
  std::set<ir::ValueId> used(graph.outputs.begin(), graph.outputs.end());
  for (const auto* calls : {&module.bind, &module.main}) {
    for (const KernelCall& call : *calls) {
      used.insert(call.inputs.begin(), call.inputs.end());
      used.insert(call.results.begin(), call.results.end());
    }
  }
  return used;
}

/// What a stored value is to the caller; adds the bytes of constants to the plan.
StoredValue stored_value(const ir::Graph& graph, const KernelPlan& kernels,
                         const KernelModule& module, ir::ValueId id, CallPlan& plan) {
  const ir::Operation& operation = graph.maker(id).operation;
  const ir::TensorType& type = graph.type(id);
  StoredValue value;
  value.type = type.type;
  value.shape = type.shape;
  const auto made = module.results.find(id);
  value.is_argument = made == module.results.end();
  if (!value.is_argument) {
    value.storage = made->second.shape;
    return value;
  }
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
                        const KernelModule& module) {
  CallPlan plan;
  std::map<ir::ValueId, std::int32_t> new_ids;
  for (const ir::ValueId id : used_values(graph, module)) {
    new_ids[id] = static_cast<std::int32_t>(plan.values.size());
    StoredValue value = stored_value(graph, kernels, module, id, plan);
    plan.values.push_back(std::move(value));
  }
  plan.bind = module.bind;
  plan.main = module.main;
  for (std::vector<KernelCall>* const calls : {&plan.bind, &plan.main}) {
    for (KernelCall& call : *calls) {
      renumber(call.inputs, new_ids);
      renumber(call.results, new_ids);
    }
  }
  plan.outputs = graph.outputs;
  renumber(plan.outputs, new_ids);
  for (const auto& [rule, count] : module.rules) plan.kernels_by_rule[rule] = count;
  return plan;
}

std::string flaw_of(const CallPlan& plan) {
  for (const StoredValue& value : plan.values) {
    std::string flaw = flaw_of_value(value, plan);
    if (!flaw.empty()) return flaw;
  }
  return PlanReader(plan).flaw();
}

}  // namespace graphnet::tvm
