// SPDX-License-Identifier: MIT
#include "eager/schema_view.h"

#include <string>

#include "eager/trace_error.h"

namespace graphnet::eager {

const c10::IValue* SchemaView::find(std::string_view name) const {
  for (std::size_t i = 0; i < overload_.parameters.size(); ++i) {
    if (overload_.parameters[i].name == name) return &stack_.at(i);
  }
  return nullptr;
}

const c10::IValue& SchemaView::operator[](std::string_view name) const {
  const c10::IValue* found = find(name);
  if (found == nullptr) {
    throw TraceError(base::Code::kInternal,
                     overload_.name + " has no argument '" + std::string(name) + "'");
  }
  return *found;
}

at::Tensor SchemaView::tensor(std::string_view name) const {
  const c10::IValue& value = (*this)[name];
  return value.isTensor() ? value.toTensor() : at::Tensor();
}

std::vector<at::Tensor> SchemaView::tensors(std::string_view name) const {
  const c10::IValue& value = (*this)[name];
  if (value.isTensorList()) return value.toTensorVector();
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& item : value.toListRef()) {
    tensors.push_back(item.isTensor() ? item.toTensor() : at::Tensor());
  }
  return tensors;
}

std::vector<std::int64_t> SchemaView::integers(std::string_view name) const {
  const c10::IValue& value = (*this)[name];
  if (value.isNone()) return {};
  if (value.isInt()) return {value.toInt()};
  return value.toIntVector();
}

std::vector<std::int64_t> SchemaView::integers(std::string_view name, std::size_t count) const {
  std::vector<std::int64_t> values = integers(name);
  if (values.size() == 1) values.assign(count, values[0]);
  return values;
}

}  // namespace graphnet::eager
