// SPDX-License-Identifier: MIT
#include "graph/float64.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "graph/visit.h"

namespace graphnet::graph {

namespace {

using base::Code;
using base::Result;
using base::Status;

struct Renaming {
  std::string_view from;
  std::string_view to;
};

constexpr Renaming kWiderTypes[] = {{"float32", "float64"},
                                    {"float16", "float64"},
                                    {"bfloat16", "float64"},
                                    {"complex64", "complex128"}};
constexpr Renaming kMethods[] = {{"float", "double"}, {"half", "double"}, {"bfloat16", "double"}};

constexpr std::string_view kAutocastMarkers[] = {"torch.amp.autocast_mode._enter_autocast",
                                                 "torch.amp.autocast_mode._exit_autocast"};

template <std::size_t kCount>
void rename(const Renaming (&table)[kCount], std::string& name) {
  for (const Renaming& row : table) {
    if (name == row.from) {
      name = row.to;
      return;
    }
  }
}

void convert(Expression& expression) {
  if (expression.kind == ExpressionKind::kDType) rename(kWiderTypes, expression.text);
  if (expression.kind == ExpressionKind::kMethod) rename(kMethods, expression.text);
  for (Expression& child : expression.children) convert(child);
}

bool is_autocast_marker(const Statement& statement) {
  if (statement.kind != StatementKind::kAssign) return false;
  if (statement.value.kind != ExpressionKind::kCall) return false;
  return std::find(std::begin(kAutocastMarkers), std::end(kAutocastMarkers),
                   statement.value.text) != std::end(kAutocastMarkers);
}

/// Why a call means something else in float64; null: it does not.
const char* obstacle(const Expression& call) {
  const bool names_type =
      std::any_of(call.children.begin(), call.children.end(),
                  [](const Expression& child) { return child.kind == ExpressionKind::kDType; });
  const std::string_view name = std::string_view(call.text).substr(call.text.rfind('.') + 1);
  if (name == "view" && names_type) return "reads bits as another type";
  // quantize_per_tensor, fake_quantize_per_channel_affine, dequantize, int_repr
  if (name.find("quantize") != std::string_view::npos || name == "int_repr") {
    return "works on quantised values";
  }
  return nullptr;
}

Status check(const Program& program) {
  Status status;
  auto visit = [&](const Expression& call) {
    const char* reason = obstacle(call);
    if (reason == nullptr || !status.is_ok()) return;
    status = Status(Code::kUnsupported, "no float64 form: " + call.text + " " + reason + " (" +
                                            format_position(program, call.position) + ")");
  };
  for (const Statement& statement : program.statements) {
    visit_calls(statement.value, visit);
    visit_calls(statement.index, visit);
  }
  return status;
}

}  // namespace

Result<Program> as_float64(const Program& program) {
  GN_RETURN_IF_ERROR(check(program));
  Program converted = program;
  converted.default_dtype = base::DType::kFloat64;
  auto& statements = converted.statements;
  statements.erase(std::remove_if(statements.begin(), statements.end(), is_autocast_marker),
                   statements.end());
  for (Statement& statement : statements) {
    convert(statement.value);
    convert(statement.index);
  }
  return converted;
}

}  // namespace graphnet::graph
