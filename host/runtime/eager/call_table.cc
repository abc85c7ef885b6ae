// SPDX-License-Identifier: MIT
#include "eager/call_table.h"

#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "eager/trace_error.h"

namespace graphnet::eager {

namespace {

const std::unordered_map<std::string, Lowering>& rows() {
  static const std::unordered_map<std::string, Lowering> by_spelling = [] {
    std::unordered_map<std::string, Lowering> collected;
    for (const auto* part :
         {&kHostCalls, &kFunctionalCalls, &kAttentionCalls, &kResizeCalls, &kVmapCalls}) {
      for (const CallRow& row : *part) collected.emplace(row.spelling, row.lowering);
    }
    return collected;
  }();
  return by_spelling;
}

// Spellings whose operator has another name or lives in a module of Python functions.
struct AliasRow {
  const char* spelling;
  const char* aten_name;
};

constexpr std::array<AliasRow, 25> kAliases = {{
    {"Tensor.__add__", "aten::add"},
    {"Tensor.__sub__", "aten::sub"},
    {"Tensor.__mul__", "aten::mul"},
    {"Tensor.__truediv__", "aten::div"},
    {"Tensor.__eq__", "aten::eq"},
    {"Tensor.__ne__", "aten::ne"},
    {"Tensor.__lt__", "aten::lt"},
    {"Tensor.__le__", "aten::le"},
    {"Tensor.__gt__", "aten::gt"},
    {"Tensor.__ge__", "aten::ge"},
    {"Tensor.__neg__", "aten::neg"},
    {"Tensor.__invert__", "aten::bitwise_not"},
    {"torch.nn.functional.avg_pool1d", "aten::avg_pool1d"},
    {"torch.nn.functional.avg_pool2d", "aten::avg_pool2d"},
    {"torch.nn.functional.avg_pool3d", "aten::avg_pool3d"},
    {"torch.nn.functional.gelu", "aten::gelu"},
    {"torch.nn.functional.linear", "aten::linear"},
    {"torch.nn.functional.logsigmoid", "aten::log_sigmoid"},
    {"torch.nn.functional.one_hot", "aten::one_hot"},
    {"torch.nn.functional.pad", "aten::pad"},
    {"torch.nn.functional.rms_norm", "aten::rms_norm"},
    {"torch.nn.functional.scaled_dot_product_attention", "aten::scaled_dot_product_attention"},
    {"torch.nn.functional.sigmoid", "aten::sigmoid"},
    {"torch.nn.functional.softplus", "aten::softplus"},
    {"torch.nn.functional.tanh", "aten::tanh"},
}};

// Modules whose functions are bindings of ATen operators: what comes before the function's name in
// a spelling, and before the operator's name in ATen. `torch.` last, as the others start with it.
struct ModuleRow {
  std::string_view spelling;
  const char* aten_prefix;
};
constexpr std::array<ModuleRow, 9> kModules = {{{"torch._C._nn.", "aten::"},
                                                {"torch._C._fft.", "aten::"},
                                                {"torch._C._linalg.", "aten::"},
                                                {"torch._C._special.", "aten::"},
                                                {"torch.fft.", "aten::fft_"},
                                                {"torch.linalg.", "aten::linalg_"},
                                                {"torch.special.", "aten::special_"},
                                                {"torch.ops.aten.", "aten::"},
                                                {"torch.", "aten::"}}};

std::string aten_name_of(const std::string& spelling) {
  for (const AliasRow& row : kAliases) {
    if (spelling == row.spelling) return row.aten_name;
  }
  constexpr std::string_view kMethod = "Tensor.";
  if (spelling.compare(0, kMethod.size(), kMethod) == 0) {
    return "aten::" + spelling.substr(kMethod.size());
  }
  for (const ModuleRow& module : kModules) {
    if (spelling.compare(0, module.spelling.size(), module.spelling) != 0) continue;
    std::string name = spelling.substr(module.spelling.size());
    // torch.ops.aten.index.Tensor: named_overload() says the rest.
    const std::size_t dot = name.find('.');
    if (dot != std::string::npos) {
      if (module.spelling != "torch.ops.aten.") return "";
      name.resize(dot);
    }
    return module.aten_prefix + name;
  }
  return "";
}

/// torch.ops.aten.add.Tensor names "aten::add.Tensor", torch.ops.aten.relu.default "aten::relu".
std::string named_overload(const std::string& spelling) {
  constexpr std::string_view kOperators = "torch.ops.aten.";
  if (spelling.compare(0, kOperators.size(), kOperators) != 0) return "";
  const std::string name = spelling.substr(kOperators.size());
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return "";
  return "aten::" + (name.substr(dot) == ".default" ? name.substr(0, dot) : name);
}

}  // namespace

std::string spelling_of(const graph::Expression& call) {
  return call.kind == graph::ExpressionKind::kMethod ? "Tensor." + call.text : call.text;
}

CallTarget resolve_call(const graph::Expression& call) {
  const std::string spelling = spelling_of(call);
  const auto row = rows().find(spelling);
  if (row != rows().end()) return {row->second, "", ""};
  const std::string name = aten_name_of(spelling);
  if (name.empty() || overloads_of(name).empty()) return {};
  return {nullptr, name, named_overload(spelling)};
}

PythonArguments::PythonArguments(const char* function, std::vector<std::string> signature,
                                 CallArguments arguments)
    : function_(function),
      signature_(std::move(signature)),
      values_(signature_.size()),
      given_(signature_.size(), false) {
  if (arguments.positional.size() > signature_.size()) {
    fail_input(function_ + " takes at most " + std::to_string(signature_.size()) + " arguments");
  }
  for (std::size_t i = 0; i < arguments.positional.size(); ++i) {
    values_[i] = std::move(arguments.positional[i]);
    given_[i] = true;
  }
  for (auto& [keyword, value] : arguments.keywords) {
    std::size_t at = 0;
    while (at < signature_.size() && signature_[at] != keyword) ++at;
    if (at == signature_.size()) fail_input(function_ + " has no argument '" + keyword + "'");
    if (given_[at]) fail_input(function_ + " got '" + keyword + "' twice");
    values_[at] = std::move(value);
    given_[at] = true;
  }
}

const Value* PythonArguments::find(const std::string& name) const {
  for (std::size_t i = 0; i < signature_.size(); ++i) {
    if (signature_[i] == name) return given_[i] ? &values_[i] : nullptr;
  }
  return nullptr;
}

const Value& PythonArguments::operator[](const std::string& name) const {
  const Value* value = find(name);
  if (value == nullptr) fail_input(function_ + " needs the argument '" + name + "'");
  return *value;
}

Value PythonArguments::get(const std::string& name, Value fallback) const {
  const Value* value = find(name);
  if (value != nullptr) return *value;
  return fallback;
}

bool PythonArguments::get_bool(const std::string& name, bool fallback) const {
  const Value* value = find(name);
  return value ? value->truth() : fallback;
}

}  // namespace graphnet::eager
