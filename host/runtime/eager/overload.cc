// SPDX-License-Identifier: MIT
#include "eager/overload.h"

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "graph/running_statistics.h"

namespace graphnet::eager {

namespace {

bool is_int(const c10::TypeKind kind) {
  return kind == c10::TypeKind::IntType || kind == c10::TypeKind::SymIntType;
}

ParameterType list_type(const c10::TypePtr& element) {
  if (element->kind() == c10::TypeKind::TensorType) return ParameterType::kTensorList;
  if (element->kind() == c10::TypeKind::OptionalType) return ParameterType::kOptionalTensorList;
  if (is_int(element->kind())) return ParameterType::kIntList;
  if (element->kind() == c10::TypeKind::FloatType) return ParameterType::kFloatList;
  if (element->kind() == c10::TypeKind::BoolType) return ParameterType::kBoolList;
  return ParameterType::kOther;
}

ParameterType type_of(const c10::TypePtr& type) {
  switch (type->kind()) {
    case c10::TypeKind::TensorType:
      return ParameterType::kTensor;
    case c10::TypeKind::ListType:
      return list_type(type->castRaw<c10::ListType>()->getElementType());
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
      return ParameterType::kInt;
    case c10::TypeKind::FloatType:
      return ParameterType::kFloat;
    case c10::TypeKind::NumberType:
      return ParameterType::kScalar;
    case c10::TypeKind::BoolType:
      return ParameterType::kBool;
    case c10::TypeKind::StringType:
      return ParameterType::kString;
    case c10::TypeKind::ScalarTypeType:
      return ParameterType::kDType;
    case c10::TypeKind::DeviceObjType:
      return ParameterType::kDevice;
    case c10::TypeKind::MemoryFormatType:
      return ParameterType::kMemoryFormat;
    case c10::TypeKind::LayoutType:
      return ParameterType::kLayout;
    default:
      return ParameterType::kOther;
  }
}

SchemaParameter describe(const c10::Argument& argument) {
  SchemaParameter parameter;
  parameter.name = argument.name();
  c10::TypePtr type = argument.real_type();
  if (type->kind() == c10::TypeKind::OptionalType) {
    parameter.optional = true;
    type = type->castRaw<c10::OptionalType>()->getElementType();
  }
  parameter.type = type_of(type);
  parameter.keyword_only = argument.kwarg_only();
  parameter.written = argument.alias_info() != nullptr && argument.alias_info()->isWrite();
  parameter.fixed_length = argument.N().value_or(0);
  parameter.has_default = argument.default_value().has_value();
  if (parameter.has_default) parameter.default_value = *argument.default_value();
  return parameter;
}

std::optional<Overload> reachable(const c10::OperatorHandle& handle) {
  if (!handle.hasSchema()) return std::nullopt;
  Overload overload{handle, toString(handle.operator_name()), {}};
  for (const auto& argument : handle.schema().arguments()) {
    SchemaParameter parameter = describe(argument);
    if (parameter.keyword_only && parameter.written) return std::nullopt;  // out=
    // Named dimensions, generators and other things that no sample passes: only if defaulted.
    if (parameter.type == ParameterType::kOther && !parameter.has_default && !parameter.optional) {
      return std::nullopt;
    }
    overload.parameters.push_back(std::move(parameter));
  }
  for (SchemaParameter& parameter : overload.parameters) {
    const std::string_view flag = graph::statistics_flag(overload.name, parameter.name);
    if (flag.empty()) continue;
    const auto index = handle.schema().argumentIndexWithName(flag);
    if (index) parameter.written_if = static_cast<std::size_t>(*index);
  }
  return overload;
}

using OverloadsByName = std::unordered_map<std::string, std::vector<c10::OperatorName>>;

const OverloadsByName& registry() {
  static const OverloadsByName names = [] {
    OverloadsByName collected;
    for (auto& name : c10::Dispatcher::singleton().getAllOpNames()) {
      if (name.name.rfind("aten::", 0) == 0) collected[name.name].push_back(name);
    }
    return collected;
  }();
  return names;
}

}  // namespace

bool writes(const Overload& overload, const c10::Stack& arguments, std::size_t index) {
  const SchemaParameter& parameter = overload.parameters[index];
  return parameter.written || (parameter.written_if && arguments[*parameter.written_if].toBool());
}

const std::vector<Overload>& overloads_of(const std::string& aten_name) {
  // Schemas are taken apart on first use: a graph needs some dozens of the 3,200 overloads.
  static std::unordered_map<std::string, std::vector<Overload>> known;
  const auto found = known.find(aten_name);
  if (found != known.end()) return found->second;
  std::vector<Overload> overloads;
  const auto names = registry().find(aten_name);
  if (names != registry().end()) {
    for (const auto& name : names->second) {
      const auto handle = c10::Dispatcher::singleton().findSchema(name);
      auto overload = handle ? reachable(*handle) : std::nullopt;
      if (overload) overloads.push_back(std::move(*overload));
    }
  }
  return known.emplace(aten_name, std::move(overloads)).first->second;
}

const Overload* find_overload(const std::string& name) {
  for (const Overload& overload : overloads_of(name.substr(0, name.find('.')))) {
    if (overload.name == name) return &overload;
  }
  return nullptr;
}

bool allows_numbers_as_tensors(const std::string& aten_name) {
  static const std::unordered_set<std::string> kNames = {
      "aten::add",          "aten::add_",         "aten::sub",         "aten::sub_",
      "aten::subtract",     "aten::subtract_",    "aten::mul",         "aten::mul_",
      "aten::multiply",     "aten::multiply_",    "aten::div",         "aten::div_",
      "aten::divide",       "aten::divide_",      "aten::true_divide", "aten::true_divide_",
      "aten::floor_divide", "aten::floor_divide_"};
  return kNames.count(aten_name) != 0;
}

}  // namespace graphnet::eager
