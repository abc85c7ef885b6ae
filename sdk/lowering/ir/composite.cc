// SPDX-License-Identifier: MIT
#include "lowering/ir/composite.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace graphnet::lowering::ir {

namespace {

/// Text of one value; each kind is spelled so that it reads as that kind.
class Spelling {
 public:
  explicit Spelling(const std::function<std::string(std::int32_t)>& operand_name)
      : operand_name_(operand_name) {}

  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(const Operand& value) const {
    return value.position < 0 ? "none" : operand_name_(value.position);
  }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    std::array<char, 32> buffer;
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    std::string text(buffer.data(), end.ptr);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
  }
  std::string operator()(const std::string& value) const { return in_quotes(value); }
  std::string operator()(Type value) const { return type_name(value); }
  template <typename Element>
  std::string operator()(const std::vector<Element>& values) const {
    std::string text = "[";
    for (const Element& each : values) text += (text.size() > 1 ? "," : "") + (*this)(each);
    return text + "]";
  }

 private:
  const std::function<std::string(std::int32_t)>& operand_name_;
};

}  // namespace

bool is_native(View<Native> table, const Composite& composite,
               const std::vector<Tensor>& operands) {
  return std::any_of(table.begin(), table.end(), [&](const Native& row) {
    return row.op == composite.op && row.takes(composite, operands);
  });
}

bool is_given(const Composite& composite, std::string_view name) {
  return !std::holds_alternative<std::monostate>(argument_of(composite, name).value);
}

const Tensor& operand_of(const Composite& composite, const std::vector<Tensor>& operands,
                         std::string_view name) {
  return operands.at(static_cast<std::size_t>(value_of<Operand>(composite, name).position));
}

const Argument& argument_of(const Composite& composite, std::string_view name) {
  for (const Argument& each : composite.arguments) {
    if (each.name == name) return each;
  }
  throw LoweringError(composite.op + " has no argument '" + std::string(name) + "'");
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char each : text) {
    if (each == '"' || each == '\\') result += '\\';
    result += each == '\n' ? ' ' : each;
  }
  return result + "\"";
}

std::size_t num_operands(const Composite& composite) {
  std::size_t count = 0;
  const auto include = [&](const Operand& operand) {
    count = std::max(count, static_cast<std::size_t>(operand.position) + 1);
  };
  for (const Argument& each : composite.arguments) {
    if (const auto* one = std::get_if<Operand>(&each.value)) include(*one);
    if (const auto* list = std::get_if<std::vector<Operand>>(&each.value)) {
      for (const Operand& operand : *list) include(operand);
    }
  }
  return count;
}

std::string arguments_text(const Composite& composite,
                           const std::function<std::string(std::int32_t)>& operand_name) {
  std::string text;
  for (const Argument& each : composite.arguments) {
    text += (text.empty() ? "" : ", ") + each.name + "=";
    text += std::visit(Spelling(operand_name), each.value);
  }
  return text;
}

}  // namespace graphnet::lowering::ir
