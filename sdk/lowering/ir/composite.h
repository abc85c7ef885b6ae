// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "graphnet/graph_view.h"
#include "lowering/ir/graph.h"

namespace graphnet::lowering::ir {

/// An operator that a target takes whole, and with which operands and arguments.
struct Native {
  std::string_view op;  ///< "aten::softmax.int"
  bool (*takes)(const Composite& composite, const std::vector<Tensor>& operands) = nullptr;
};

/// Whether the table has a row for the operator that takes it.
bool is_native(View<Native> table, const Composite& composite, const std::vector<Tensor>& operands);

/// errors   LoweringError: the operator has no such argument
const Argument& argument_of(const Composite& composite, std::string_view name);

/// The value of an argument.
///
/// errors   LoweringError: it is None, or of another type
template <typename Value>
const Value& value_of(const Composite& composite, std::string_view name) {
  const auto* const value = std::get_if<Value>(&argument_of(composite, name).value);
  if (value == nullptr) {
    throw LoweringError("argument '" + std::string(name) + "' of " + composite.op +
                        " has another type");
  }
  return *value;
}

/// Whether an argument is not None.
bool is_given(const Composite& composite, std::string_view name);

/// The operand that an argument is.
///
/// shapes   operands: the composite's
/// errors   LoweringError: it is None, or no tensor
const Tensor& operand_of(const Composite& composite, const std::vector<Tensor>& operands,
                         std::string_view name);

/// The text between quotes, backslashes before quotes.
std::string in_quotes(std::string_view text);

/// Number of tensors among the arguments.
std::size_t num_operands(const Composite& composite);

/// "input=%3, dim=1, dtype=none", operands as `operand_name` calls them by position.
std::string arguments_text(const Composite& composite,
                           const std::function<std::string(std::int32_t)>& operand_name);

}  // namespace graphnet::lowering::ir
