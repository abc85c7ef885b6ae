// SPDX-License-Identifier: MIT
// Calls that Python answers itself or whose binding has logic of its own: literals, conversions,
// sizes, markers.
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include <utility>

#include "eager/call_table.h"
#include "eager/scalar_type.h"
#include "eager/trace_error.h"

namespace graphnet::eager {

namespace {

using Kind = Value::Kind;

Value no_effect(Tracer&, CallArguments) {
  return Value::marker();
}

Value pass_through(Tracer&, CallArguments arguments) {
  if (arguments.positional.empty()) fail_input("a value is needed");
  return arguments.positional[0];
}

// Extents of a nested list, from its first items; a ragged list is refused.
std::vector<std::int64_t> list_shape(const Value& list) {
  std::vector<std::int64_t> shape = {static_cast<std::int64_t>(list.items.size())};
  if (list.items.empty() || !list.items[0].is_sequence()) return shape;
  const std::vector<std::int64_t> inner = list_shape(list.items[0]);
  for (const Value& item : list.items) {
    if (!item.is_sequence() || list_shape(item) != inner)
      fail_input("torch.tensor of a ragged list");
  }
  shape.insert(shape.end(), inner.begin(), inner.end());
  return shape;
}

void flatten_numbers(const Value& list, std::vector<Value>& numbers) {
  for (const Value& item : list.items) {
    if (item.is_sequence()) {
      flatten_numbers(item, numbers);
    } else if (item.is_number()) {
      numbers.push_back(item);
    } else {
      fail_unsupported("torch.tensor with an element that is " + item.describe());
    }
  }
}

// Without a dtype, integers give int64 and anything else float32, as torch infers them.
at::Tensor tensor_of_list(const Value& literal, const Value& dtype) {
  std::vector<Value> numbers;
  flatten_numbers(literal, numbers);
  bool all_integers = !numbers.empty();
  std::vector<double> doubles;
  std::vector<std::int64_t> integers;
  for (const Value& number : numbers) {
    all_integers = all_integers && number.kind == Kind::kInteger;
    doubles.push_back(number.as_double());
    integers.push_back(number.integer);
  }
  const at::Tensor flat = all_integers ? at::tensor(at::ArrayRef<std::int64_t>(integers))
                                       : at::tensor(at::ArrayRef<double>(doubles));
  const at::ScalarType inferred = all_integers ? at::ScalarType::Long : default_scalar_type();
  return flat.to(dtype.is_none() ? inferred : static_cast<at::ScalarType>(dtype.integer))
      .reshape(list_shape(literal));
}

// torch.tensor: always a new tensor; dtype from the literal unless given.
Value tensor_literal(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given("torch.tensor", {"data", "dtype", "device", "requires_grad"},
                              std::move(arguments));
  const Value& literal = given["data"];
  const Value dtype = given.get("dtype", Value::none());
  if (literal.is_number()) {
    const at::ScalarType type = literal.kind == Kind::kFloat  ? default_scalar_type()
                                : literal.kind == Kind::kBool ? at::ScalarType::Bool
                                                              : at::ScalarType::Long;
    CallArguments scalar;
    scalar.positional.push_back(literal);
    scalar.keywords.emplace_back("dtype", dtype.is_none() ? Value::dtype(type) : dtype);
    return tracer.call("aten::scalar_tensor", std::move(scalar));
  }
  if (!literal.is_sequence()) fail_unsupported("torch.tensor of " + literal.describe());
  return tracer.constant_tensor(tensor_of_list(literal, dtype));
}

Value as_tensor(Tracer& tracer, CallArguments arguments) {
  if (!arguments.positional.empty() && arguments.positional[0].is_tensor()) {
    return arguments.positional[0];
  }
  return tensor_literal(tracer, std::move(arguments));
}

Value item(Tracer& tracer, CallArguments arguments) {
  return tracer.call("aten::item", std::move(arguments));
}

Value size(Tracer&, CallArguments arguments) {
  const PythonArguments given("size", {"self", "dim"}, std::move(arguments));
  const at::Tensor& tensor = given["self"].tensor;
  if (!given["self"].is_tensor()) fail_input("size of " + given["self"].describe());
  const Value dim = given.get("dim", Value::none());
  if (dim.is_none()) return Value::integers(tensor.sizes());
  return Value::from_integer(tensor.size(to_integer(dim)));
}

Value dim_count(Tracer&, CallArguments arguments) {
  return Value::from_integer(arguments.positional.at(0).tensor.dim());
}

Value element_count(Tracer&, CallArguments arguments) {
  return Value::from_integer(arguments.positional.at(0).tensor.numel());
}

// torch.Size([...]): ints and 0-d tensors become ints.
Value size_literal(Tracer&, CallArguments arguments) {
  std::vector<Value> extents;
  for (const std::int64_t extent : to_integers(arguments.positional.at(0))) {
    extents.push_back(Value::from_integer(extent));
  }
  return Value::tuple(std::move(extents));
}

// torch.sym_sum: Python's sum(); a tensor among the terms makes the result a tensor.
Value symbolic_sum(Tracer& tracer, CallArguments arguments) {
  Value total = Value::from_integer(0);
  for (const Value& term : arguments.positional.at(0).items)
    total = tracer.binary("+", total, term);
  return total;
}

Value symbolic_int(Tracer&, CallArguments arguments) {
  const Value& value = arguments.positional.at(0);
  if (value.kind == Kind::kFloat)
    return Value::from_integer(static_cast<std::int64_t>(value.number));
  return Value::from_integer(to_integer(value));
}

Value assert_scalar(Tracer&, CallArguments arguments) {
  const Value& condition = arguments.positional.at(0);
  const bool holds = condition.is_tensor() ? condition.read().toBool() : condition.truth();
  if (!holds) {
    fail_input("assertion failed: " +
               (arguments.positional.size() > 1 ? arguments.positional[1].text : std::string("?")));
  }
  return Value::marker();
}

Value convert(Tracer& tracer, const Value& tensor, at::ScalarType type) {
  return tracer.call_with("aten::to", tensor, Value::dtype(type));
}

template <at::ScalarType kType>
Value convert_to(Tracer& tracer, CallArguments arguments) {
  return convert(tracer, arguments.positional.at(0), kType);
}

Value convert_type(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given("type", {"self", "dtype"}, std::move(arguments));
  if (given["dtype"].kind != Kind::kDType) fail_unsupported("Tensor.type with a string");
  return convert(tracer, given["self"], static_cast<at::ScalarType>(given["dtype"].integer));
}

// Tensor.to in all spellings; on one device the device argument says nothing.
Value convert_any(Tracer& tracer, CallArguments arguments) {
  const Value self = arguments.positional.at(0);
  Value dtype;
  Value copy = Value::boolean(false);
  Value format;
  const auto take = [&](const Value& value) {
    if (value.kind == Kind::kDType) dtype = value;
    if (value.is_tensor()) dtype = Value::dtype(value.tensor.scalar_type());
  };
  for (std::size_t i = 1; i < arguments.positional.size(); ++i) take(arguments.positional[i]);
  for (const auto& [keyword, value] : arguments.keywords) {
    if (keyword == "copy") {
      copy = value;
    } else if (keyword == "dtype" || keyword == "other") {
      take(value);
    } else if (keyword == "memory_format") {
      format = value;
    } else if (keyword != "device" && keyword != "non_blocking") {
      fail_unsupported("Tensor.to with " + keyword);
    }
  }
  if (dtype.is_none()) dtype = Value::dtype(self.tensor.scalar_type());
  return tracer.call_with("aten::to", self, dtype, Value::boolean(false), copy, format);
}

Value split(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given("split", {"tensor", "split_size_or_sections", "dim"},
                              std::move(arguments));
  Value sections = given.has("split_size_or_sections") ? given["split_size_or_sections"] : Value();
  const Value dim = given.get("dim", Value::from_integer(0));
  if (sections.is_sequence()) {
    return tracer.call_with("aten::split_with_sizes", given["tensor"], sections, dim);
  }
  return tracer.call_with("aten::split", given["tensor"], sections, dim);
}

// Tensor.where: the receiver is the value, the condition comes second.
Value tensor_where(Tracer& tracer, CallArguments arguments) {
  const PythonArguments given("where", {"self", "condition", "other"}, std::move(arguments));
  return tracer.call_with("aten::where", given["condition"], given["self"], given["other"]);
}

}  // namespace

const std::vector<CallRow> kHostCalls = {
    {"torch._C._log_api_usage_once", no_effect},
    {"torch._C._set_grad_enabled", no_effect},
    {"torch._C.set_grad_enabled", no_effect},
    {"torch.set_grad_enabled", no_effect},
    {"torch._check_is_size", no_effect},
    {"torch.amp.autocast_mode._enter_autocast", no_effect},
    {"torch.amp.autocast_mode._exit_autocast", no_effect},
    {"torch.autograd.function.FunctionCtx", no_effect},
    {"torch.tensor", tensor_literal},
    {"torch.as_tensor", as_tensor},
    {"torch.Size", size_literal},
    {"torch.sym_sum", symbolic_sum},
    {"torch.sym_int", symbolic_int},
    {"torch.ops.aten.sym_size.int", size},
    {"torch.ops.aten._assert_scalar.default", assert_scalar},
    {"Tensor.item", item},
    {"Tensor.size", size},
    {"Tensor.dim", dim_count},
    {"Tensor.numel", element_count},
    {"Tensor.cpu", pass_through},
    {"Tensor.cuda", pass_through},
    {"Tensor.to", convert_any},
    {"Tensor.type", convert_type},
    {"Tensor.float", convert_to<at::ScalarType::Float>},
    {"Tensor.double", convert_to<at::ScalarType::Double>},
    {"Tensor.half", convert_to<at::ScalarType::Half>},
    {"Tensor.bfloat16", convert_to<at::ScalarType::BFloat16>},
    {"Tensor.long", convert_to<at::ScalarType::Long>},
    {"Tensor.int", convert_to<at::ScalarType::Int>},
    {"Tensor.bool", convert_to<at::ScalarType::Bool>},
    {"Tensor.split", split},
    {"torch.functional.split", split},
    {"torch.split", split},
    {"Tensor.where", tensor_where},
};

}  // namespace graphnet::eager
