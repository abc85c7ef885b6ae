// SPDX-License-Identifier: MIT
#include "eager/call_expression.h"

#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "eager/scalar_type.h"
#include "eager/trace_error.h"

namespace graphnet::eager {

using graph::Expression;
using graph::ExpressionKind;

namespace {

constexpr std::int64_t kMostLiteralElements = 4096;

Expression of_kind(ExpressionKind kind) {
  Expression expression;
  expression.kind = kind;
  return expression;
}

Expression boolean(bool value) {
  Expression expression = of_kind(ExpressionKind::kBool);
  expression.integer = value ? 1 : 0;
  return expression;
}

Expression floating(double value) {
  Expression expression = of_kind(ExpressionKind::kFloat);
  expression.number = value;
  return expression;
}

Expression named(ExpressionKind kind, std::string text) {
  Expression expression = of_kind(kind);
  expression.text = std::move(text);
  return expression;
}

Expression dtype_expression(at::ScalarType type) {
  const auto dtype = from_scalar_type(type);
  if (!dtype) fail_unsupported(std::string("element type ") + c10::toString(type));
  return named(ExpressionKind::kDType, base::dtype_name(*dtype));
}

Expression device_expression() {
  Expression expression = named(ExpressionKind::kDevice, "cpu");
  expression.integer = -1;
  return expression;
}

Expression number_expression(const c10::Scalar& scalar) {
  if (scalar.isComplex()) fail_unsupported("a complex number as an argument");
  if (scalar.isBoolean()) return boolean(scalar.toBool());
  if (scalar.isIntegral(/*includeBool=*/false)) return graph::integer_expression(scalar.toLong());
  return floating(scalar.toDouble());
}

Expression memory_format_expression(std::int64_t format) {
  switch (static_cast<at::MemoryFormat>(format)) {
    case at::MemoryFormat::Preserve:
      return named(ExpressionKind::kMemoryFormat, "preserve_format");
    case at::MemoryFormat::ChannelsLast:
      return named(ExpressionKind::kMemoryFormat, "channels_last");
    case at::MemoryFormat::ChannelsLast3d:
      return named(ExpressionKind::kMemoryFormat, "channels_last_3d");
    default:
      return named(ExpressionKind::kMemoryFormat, "contiguous_format");
  }
}

template <typename Items, typename Make>
Expression list_of(const Items& items, Make make) {
  Expression list = of_kind(ExpressionKind::kList);
  for (const auto& item : items) list.children.push_back(make(item));
  return list;
}

Expression tensor_expression(const Overload& overload, const at::Tensor& tensor,
                             const NameTensor& name) {
  if (!tensor.defined()) return Expression();
  if (is_written_as_number(overload.name, tensor)) return number_expression(tensor.item());
  return graph::variable_expression(name(tensor));
}

Expression tensor_list(const Overload& overload, const c10::IValue& value, const NameTensor& name) {
  Expression list = of_kind(ExpressionKind::kList);
  // An IValue's list has its items as IValues, None among them.
  for (const c10::IValue& item : value.toListRef()) {
    list.children.push_back(item.isNone() ? Expression()
                                          : tensor_expression(overload, item.toTensor(), name));
  }
  return list;
}

Expression argument_expression(const Overload& overload, const SchemaParameter& parameter,
                               const c10::IValue& value, const NameTensor& name) {
  if (value.isNone()) return Expression();
  switch (parameter.type) {
    case ParameterType::kTensor:
      return tensor_expression(overload, value.toTensor(), name);
    case ParameterType::kTensorList:
    case ParameterType::kOptionalTensorList:
      return value.isTensorList() ? list_of(value.toTensorVector(),
                                            [&](const at::Tensor& item) {
                                              return tensor_expression(overload, item, name);
                                            })
                                  : tensor_list(overload, value, name);
    case ParameterType::kInt:
      return graph::integer_expression(value.toInt());
    case ParameterType::kIntList:
      return list_of(value.toIntVector(), graph::integer_expression);
    case ParameterType::kFloat:
      return floating(value.toDouble());
    case ParameterType::kFloatList:
      return list_of(value.toDoubleVector(), floating);
    case ParameterType::kScalar:
      return number_expression(value.toScalar());
    case ParameterType::kBool:
      return boolean(value.toBool());
    case ParameterType::kBoolList: {
      Expression list = of_kind(ExpressionKind::kList);
      for (const bool item : value.toBoolList()) list.children.push_back(boolean(item));
      return list;
    }
    case ParameterType::kString:
      return named(ExpressionKind::kString, value.toStringRef());
    case ParameterType::kDType:
      return dtype_expression(static_cast<at::ScalarType>(value.toInt()));
    case ParameterType::kDevice:
      return device_expression();
    case ParameterType::kMemoryFormat:
      return memory_format_expression(value.toInt());
    case ParameterType::kLayout:
      return named(ExpressionKind::kLayout, "strided");
    case ParameterType::kOther:
      break;
  }
  fail_unsupported("argument '" + parameter.name + "' of " + overload.name);
}

bool has_default(const SchemaParameter& parameter, const c10::IValue& value) {
  if (!parameter.has_default) return parameter.optional && value.isNone();
  const c10::IValue& usual = parameter.default_value;
  if (value.isNone() || usual.isNone()) return value.isNone() && usual.isNone();
  if (value.isBool() && usual.isBool()) return value.toBool() == usual.toBool();
  if (value.isInt() && usual.isInt()) return value.toInt() == usual.toInt();
  if (value.isDouble() && usual.isDouble()) return value.toDouble() == usual.toDouble();
  if (value.isIntList() && usual.isIntList()) return value.toIntVector() == usual.toIntVector();
  if (value.isString() && usual.isString()) return value.toStringRef() == usual.toStringRef();
  return false;
}

/// How many positional arguments must be written.
std::size_t num_written(const Overload& overload, const c10::Stack& arguments) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < arguments.size() && !overload.parameters[i].keyword_only; ++i) {
    const SchemaParameter& parameter = overload.parameters[i];
    const bool may_go = parameter.has_default && has_default(parameter, arguments[i]);
    if (!may_go) count = i + 1;
  }
  return count;
}

Expression element_expression(const at::Tensor& element) {
  return number_expression(element.item());
}

Expression elements_expression(const at::Tensor& tensor) {
  if (tensor.dim() == 0) return element_expression(tensor);
  Expression list = of_kind(ExpressionKind::kList);
  for (std::int64_t i = 0; i < tensor.size(0); ++i) {
    list.children.push_back(elements_expression(tensor.select(0, i)));
  }
  return list;
}

}  // namespace

std::string spelling_of(const Overload& overload) {
  const std::string name = overload.local_name();
  return "torch.ops.aten." + (name.find('.') == std::string::npos ? name + ".default" : name);
}

bool is_written_as_number(const std::string& aten_name, const at::Tensor& tensor) {
  return tensor.unsafeGetTensorImpl()->is_wrapped_number() &&
         allows_numbers_as_tensors(aten_name.substr(0, aten_name.find('.')));
}

Expression call_expression(const Overload& overload, const c10::Stack& arguments,
                           const NameTensor& name) {
  Expression call = named(ExpressionKind::kCall, spelling_of(overload));
  const std::size_t num_positional = num_written(overload, arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const SchemaParameter& parameter = overload.parameters[i];
    const bool is_written =
        parameter.keyword_only ? !has_default(parameter, arguments[i]) : i < num_positional;
    if (!is_written) continue;
    call.children.push_back(argument_expression(overload, parameter, arguments[i], name));
    call.keywords.push_back(parameter.keyword_only ? parameter.name : "");
  }
  return call;
}

Expression literal_expression(const at::Tensor& tensor) {
  if (tensor.numel() > kMostLiteralElements) {
    fail_unsupported("a tensor of " + std::to_string(tensor.numel()) +
                     " elements that no operator made");
  }
  Expression call = named(ExpressionKind::kCall, "torch.tensor");
  if (tensor.numel() == 0) {
    call.text = "torch.empty";
    call.children.push_back(list_of(tensor.sizes(), graph::integer_expression));
  } else {
    call.children.push_back(elements_expression(tensor));
  }
  call.keywords.emplace_back();
  // A number of Python's takes the type of what is beside it.
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) return call;
  call.children.push_back(dtype_expression(tensor.scalar_type()));
  call.keywords.emplace_back("dtype");
  return call;
}

}  // namespace graphnet::eager
