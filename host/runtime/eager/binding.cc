// SPDX-License-Identifier: MIT
#include "eager/binding.h"

#include <ATen/core/List.h>
#include <ATen/ops/scalar_tensor.h>
#include <c10/core/Device.h>

#include <optional>

#include "eager/trace_error.h"

namespace graphnet::eager {

namespace {

using Kind = Value::Kind;

constexpr int kExact = 0;
constexpr int kNear = 1;  // int where a float is wanted, one int for a list
constexpr int kBoolAsInt = 5;
constexpr int kWrap = 10;        // number becomes a tensor
constexpr int kReadTensor = 20;  // 0-d tensor becomes a number

bool is_zero_dim(const Value& value) {
  return value.is_tensor() && value.tensor.dim() == 0;
}

bool is_integral_scalar(const Value& value) {
  return value.is_tensor() && value.tensor.numel() == 1 &&
         c10::isIntegralType(value.tensor.scalar_type(), /*includeBool=*/false);
}

std::optional<int> int_cost(const Value& value) {
  if (value.kind == Kind::kInteger) return kExact;
  if (value.kind == Kind::kBool) return kBoolAsInt;
  if (is_integral_scalar(value)) return kReadTensor;
  return std::nullopt;
}

std::optional<int> float_cost(const Value& value) {
  if (value.kind == Kind::kFloat) return kExact;
  if (value.is_integer()) return kNear;
  if (is_zero_dim(value)) return kReadTensor;
  return std::nullopt;
}

template <typename ItemCost>
std::optional<int> sequence_cost(const Value& value, ItemCost item_cost) {
  if (!value.is_sequence()) return std::nullopt;
  int total = 0;
  for (const Value& item : value.items) {
    const std::optional<int> cost = item_cost(item);
    if (!cost) return std::nullopt;
    total = std::max(total, *cost);
  }
  return total;
}

std::optional<int> tensor_item_cost(const Value& item) {
  return item.is_tensor() ? std::optional<int>(kExact) : std::nullopt;
}

std::optional<int> optional_tensor_item_cost(const Value& item) {
  return item.is_tensor() || item.is_none() ? std::optional<int>(kExact) : std::nullopt;
}

std::optional<int> int_list_cost(const Value& value) {
  if (const auto cost = sequence_cost(value, int_cost)) return cost;
  const auto single = int_cost(value);
  return single ? std::optional<int>(*single + kNear) : std::nullopt;
}

std::optional<int> kind_cost(const Value& value, Kind wanted) {
  return value.kind == wanted ? std::optional<int>(kExact) : std::nullopt;
}

std::optional<int> tensor_cost(const Value& value, bool numbers_as_tensors) {
  if (value.is_tensor()) return kExact;
  if (value.is_number() && numbers_as_tensors) return kWrap;
  return std::nullopt;
}

std::optional<int> conversion_cost(const SchemaParameter& parameter, const Value& value,
                                   bool numbers_as_tensors) {
  if (value.is_none()) {
    // Python accepts None for a list with a default: max_pool2d(stride=None).
    const bool list_default = parameter.type == ParameterType::kIntList && parameter.has_default;
    return parameter.optional || list_default ? std::optional<int>(kExact) : std::nullopt;
  }
  switch (parameter.type) {
    case ParameterType::kTensor:
      return tensor_cost(value, numbers_as_tensors);
    case ParameterType::kTensorList:
      return sequence_cost(value, tensor_item_cost);
    case ParameterType::kOptionalTensorList:
      return sequence_cost(value, optional_tensor_item_cost);
    case ParameterType::kInt:
      return int_cost(value);
    case ParameterType::kIntList:
      return int_list_cost(value);
    case ParameterType::kFloat:
      return float_cost(value);
    case ParameterType::kFloatList:
      return sequence_cost(value, float_cost);
    case ParameterType::kScalar:
      if (value.is_number()) return kExact;
      return is_zero_dim(value) ? std::optional<int>(kReadTensor) : std::nullopt;
    case ParameterType::kBool:
      return kind_cost(value, Kind::kBool);
    case ParameterType::kBoolList:
      return sequence_cost(value, [](const Value& item) { return kind_cost(item, Kind::kBool); });
    case ParameterType::kString:
      return kind_cost(value, Kind::kString);
    case ParameterType::kDType:
      return kind_cost(value, Kind::kDType);
    case ParameterType::kDevice:
      // A device may be written as a string; both mean the run's device.
      if (value.kind == Kind::kString) return kExact;
      return kind_cost(value, Kind::kDevice);
    case ParameterType::kMemoryFormat:
      return kind_cost(value, Kind::kMemoryFormat);
    case ParameterType::kLayout:
      return kind_cost(value, Kind::kLayout);
    case ParameterType::kOther:
      return std::nullopt;
  }
  return std::nullopt;
}

c10::Scalar to_scalar(const Value& value) {
  switch (value.kind) {
    case Kind::kBool:
      return c10::Scalar(value.integer != 0);
    case Kind::kInteger:
      return c10::Scalar(value.integer);
    case Kind::kFloat:
      return c10::Scalar(value.number);
    default:
      return value.read();
  }
}

double to_double(const Value& value) {
  return value.is_tensor() ? value.read().toDouble() : value.as_double();
}

at::Tensor wrapped_number(const Value& value) {
  const c10::Scalar scalar = to_scalar(value);
  at::Tensor tensor = at::scalar_tensor(scalar, at::TensorOptions().dtype(scalar.type()));
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  return tensor;
}

c10::IValue int_list(const SchemaParameter& parameter, const Value& value) {
  std::vector<std::int64_t> integers = to_integers(value);
  if (!value.is_sequence() && parameter.fixed_length > 1) {
    integers.assign(static_cast<std::size_t>(parameter.fixed_length), integers[0]);
  }
  return c10::IValue(integers);
}

c10::IValue float_list(const Value& value) {
  std::vector<double> numbers;
  for (const Value& item : value.items) numbers.push_back(to_double(item));
  return c10::IValue(numbers);
}

c10::IValue bool_list(const Value& value) {
  c10::List<bool> flags;
  for (const Value& item : value.items) flags.push_back(item.integer != 0);
  return c10::IValue(flags);
}

c10::IValue constant(const SchemaParameter& parameter, const Value& value) {
  switch (parameter.type) {
    case ParameterType::kInt:
      return to_integer(value);
    case ParameterType::kIntList:
      return int_list(parameter, value);
    case ParameterType::kFloat:
      return to_double(value);
    case ParameterType::kFloatList:
      return float_list(value);
    case ParameterType::kScalar:
      return to_scalar(value);
    case ParameterType::kBool:
      return value.integer != 0;
    case ParameterType::kBoolList:
      return bool_list(value);
    case ParameterType::kString:
      return value.text;
    case ParameterType::kDType:
    case ParameterType::kMemoryFormat:
    case ParameterType::kLayout:
      return value.integer;
    case ParameterType::kDevice:
      return c10::Device(c10::kCPU);
    default:
      return wrapped_number(value);  // kTensor given a number
  }
}

Operand make_operand(const SchemaParameter& parameter, const Value* value, BoundCall& call) {
  Operand operand;
  if (value == nullptr) {
    operand.constant = parameter.default_value;
    return operand;
  }
  if (value->is_none()) {
    if (!parameter.optional) operand.constant = parameter.default_value;
    return operand;
  }
  if (value->is_tensor() && parameter.type == ParameterType::kTensor) {
    operand.kind = Operand::Kind::kTensor;
    operand.slots = {value->slot};
    call.tensors.push_back(value->tensor);
    return operand;
  }
  const bool list = parameter.type == ParameterType::kTensorList;
  if (list || parameter.type == ParameterType::kOptionalTensorList) {
    operand.kind = list ? Operand::Kind::kTensorList : Operand::Kind::kOptionalTensorList;
    for (const Value& item : value->items) {
      operand.slots.push_back(item.slot);
      call.tensors.push_back(item.tensor);
    }
    return operand;
  }
  operand.constant = constant(parameter, *value);
  return operand;
}

// Spellings that Python's parser accepts besides the schema's own names.
bool names_parameter(const std::string& keyword, const std::string& parameter) {
  if (keyword == parameter) return true;
  return (keyword == "input" && parameter == "self") || (keyword == "x" && parameter == "self") ||
         (keyword == "axis" && parameter == "dim") ||
         (keyword == "keepdims" && parameter == "keepdim");
}

struct Candidate {
  const Overload* overload = nullptr;
  std::vector<const Value*> values;  // by parameter; null: default
  std::vector<Value> gathered;       // varargs made into one list
  int cost = 0;
};

std::size_t num_positional(const Overload& overload) {
  std::size_t count = 0;
  while (count < overload.parameters.size() && !overload.parameters[count].keyword_only) ++count;
  return count;
}

// x.view(2, 3): the last positional parameter is an int list and takes all remaining ints.
bool gathers_varargs(const Overload& overload, const CallArguments& arguments, std::size_t at) {
  const auto& parameter = overload.parameters[at];
  if (parameter.type != ParameterType::kIntList || parameter.fixed_length != 0) return false;
  for (std::size_t i = at; i < arguments.positional.size(); ++i) {
    if (!int_cost(arguments.positional[i])) return false;
  }
  return true;
}

bool place_positional(const CallArguments& arguments, Candidate& candidate) {
  const Overload& overload = *candidate.overload;
  const std::size_t limit = num_positional(overload);
  for (std::size_t i = 0; i < arguments.positional.size(); ++i) {
    if (i >= limit) return false;
    const bool last = i + 1 == limit && arguments.positional.size() > limit;
    if (last && gathers_varargs(overload, arguments, i)) {
      std::vector<Value> items(arguments.positional.begin() + static_cast<std::ptrdiff_t>(i),
                               arguments.positional.end());
      candidate.gathered.push_back(Value::tuple(std::move(items)));
      candidate.values[i] = &candidate.gathered.back();
      return true;
    }
    candidate.values[i] = &arguments.positional[i];
  }
  return true;
}

bool place_keywords(const CallArguments& arguments, Candidate& candidate) {
  const auto& parameters = candidate.overload->parameters;
  for (const auto& [keyword, value] : arguments.keywords) {
    // Belongs to Python's binding of creation calls, not to the operator; never True in a sample.
    bool placed = keyword == "requires_grad" && !value.truth();
    for (std::size_t i = 0; i < parameters.size() && !placed; ++i) {
      if (!names_parameter(keyword, parameters[i].name)) continue;
      if (candidate.values[i] != nullptr) return false;
      candidate.values[i] = &value;
      placed = true;
    }
    if (!placed) return false;
  }
  return true;
}

bool evaluate(bool numbers_as_tensors, Candidate& candidate) {
  const auto& parameters = candidate.overload->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (candidate.values[i] == nullptr) {
      if (!parameters[i].has_default) return false;
      continue;
    }
    const auto cost = conversion_cost(parameters[i], *candidate.values[i], numbers_as_tensors);
    if (!cost) return false;
    candidate.cost += *cost;
  }
  return true;
}

// For the operators that take numbers as tensors Python never sees the Scalar overloads.
bool hidden_from_python(const Overload& overload, bool numbers_as_tensors) {
  if (!numbers_as_tensors) return false;
  return overload.parameters.size() > 1 && overload.parameters[1].type == ParameterType::kScalar;
}

std::string describe_arguments(const CallArguments& arguments) {
  std::string text;
  for (const Value& value : arguments.positional) {
    if (!text.empty()) text += ", ";
    text += value.describe();
  }
  for (const auto& [keyword, value] : arguments.keywords) {
    if (!text.empty()) text += ", ";
    text += keyword + "=" + value.describe();
  }
  return text;
}

}  // namespace

std::int64_t to_integer(const Value& value) {
  if (value.is_integer()) return value.integer;
  if (is_integral_scalar(value)) return value.read().toLong();
  fail_input("an integer is wanted, got " + value.describe());
}

std::vector<std::int64_t> to_integers(const Value& value) {
  if (!value.is_sequence()) return {to_integer(value)};
  std::vector<std::int64_t> integers;
  integers.reserve(value.items.size());
  for (const Value& item : value.items) integers.push_back(to_integer(item));
  return integers;
}

BoundCall bind_call(const std::string& aten_name, const CallArguments& arguments,
                    const std::string& named) {
  const bool numbers_as_tensors = allows_numbers_as_tensors(aten_name);
  std::optional<Candidate> best;
  for (const Overload& overload : overloads_of(aten_name)) {
    if (hidden_from_python(overload, numbers_as_tensors)) continue;
    Candidate candidate;
    candidate.overload = &overload;
    candidate.values.assign(overload.parameters.size(), nullptr);
    candidate.gathered.reserve(1);  // values point into it
    if (!place_positional(arguments, candidate) || !place_keywords(arguments, candidate)) continue;
    if (!evaluate(numbers_as_tensors, candidate)) continue;
    const bool is_named = overload.name == named;
    if (is_named || !best || candidate.cost < best->cost) best = std::move(candidate);
    if (is_named) break;
  }
  if (!best) {
    fail_unsupported("no overload of " + aten_name + " takes (" + describe_arguments(arguments) +
                     ")");
  }
  BoundCall call;
  call.overload = best->overload;
  for (std::size_t i = 0; i < best->values.size(); ++i) {
    call.operands.push_back(make_operand(best->overload->parameters[i], best->values[i], call));
  }
  return call;
}

}  // namespace graphnet::eager
