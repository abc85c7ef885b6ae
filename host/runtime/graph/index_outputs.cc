// SPDX-License-Identifier: MIT
#include "graph/index_outputs.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "graph/visit.h"

namespace graphnet::graph {

namespace {

/// A call that gives positions. `parameters` as torch orders them, "input" (the receiver) first.
struct SelectingCall {
  std::string_view name;
  Selection selection;
  bool gives_pair;     ///< positions are part 1 of the result
  bool default_dim;    ///< without dim it works on the last dimension
  bool needs_literal;  ///< without a dim there are no positions at all
  std::array<std::string_view, 5> parameters;
};

constexpr SelectingCall kSelectingCalls[] = {
    {"argmax", Selection::kArgmax, false, false, false, {"input", "dim", "keepdim"}},
    {"argmin", Selection::kArgmin, false, false, false, {"input", "dim", "keepdim"}},
    {"max", Selection::kArgmax, true, false, true, {"input", "dim", "keepdim"}},
    {"min", Selection::kArgmin, true, false, true, {"input", "dim", "keepdim"}},
    {"median", Selection::kMedian, true, false, true, {"input", "dim", "keepdim"}},
    {"nanmedian", Selection::kMedian, true, false, true, {"input", "dim", "keepdim"}},
    {"mode", Selection::kMode, true, true, false, {"input", "dim", "keepdim"}},
    {"kthvalue", Selection::kKthValue, true, true, false, {"input", "k", "dim", "keepdim"}},
    {"topk", Selection::kTopK, true, true, false, {"input", "k", "dim", "largest", "sorted"}},
    {"sort", Selection::kSort, true, true, false, {"input", "dim", "descending"}},
    {"argsort", Selection::kSort, false, true, false, {"input", "dim", "descending"}},
};

/// Calls whose result has the elements of the receiver in the same row-major order.
constexpr std::string_view kOrderKeepingCalls[] = {
    "view", "reshape", "flatten", "unflatten", "ravel",  "squeeze", "unsqueeze", "contiguous",
    "to",   "long",    "int",     "type",      "detach", "clone",   "cpu",       "cuda"};

/// "topk" of torch.topk and of a method; nothing for functions of other modules.
std::string_view short_name(const Expression& call) {
  std::string_view name = call.text;
  if (call.kind == ExpressionKind::kMethod) return name;
  if (call.kind != ExpressionKind::kCall || name.compare(0, 6, "torch.") != 0) return {};
  name.remove_prefix(6);
  return name.find('.') == std::string_view::npos ? name : std::string_view();
}

const SelectingCall* selecting_call(const Expression& expression) {
  const std::string_view name = short_name(expression);
  for (const SelectingCall& row : kSelectingCalls) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

const Expression* argument(const Expression& call, const SelectingCall& signature,
                           std::string_view name) {
  for (std::size_t i = 0; i < call.children.size(); ++i) {
    if (i < call.keywords.size() && !call.keywords[i].empty()) {
      if (call.keywords[i] == name) return &call.children[i];
    } else if (i < signature.parameters.size() && signature.parameters[i] == name) {
      return &call.children[i];
    }
  }
  return nullptr;
}

bool flag(const Expression& call, const SelectingCall& signature, std::string_view name,
          bool fallback) {
  const Expression* given = argument(call, signature, name);
  return given == nullptr ? fallback : given->integer != 0;
}

/// True if the statement writes to a variable's tensor under this name.
bool writes_to(const Statement& statement, VariableId variable) {
  if (statement.kind == StatementKind::kAugmented || statement.kind == StatementKind::kSetItem) {
    return statement.target == variable;
  }
  bool found = false;
  auto visit = [&](const Expression& call) {
    const bool in_place = call.text.size() > 1 && call.text.back() == '_' &&
                          call.text[call.text.size() - 2] != '_' && !call.children.empty();
    found = found || (in_place && call.children[0].kind == ExpressionKind::kVariable &&
                      call.children[0].variable == variable);
  };
  visit_calls(statement.value, visit);
  return found;
}

/// What a returned variable holds: where its value comes from, and which part of it.
class Origin {
 public:
  explicit Origin(const Program& program) : program_(program) {}

  /// Position of the assignment that gives `variable` its value before statement `before`; nothing
  /// for parameters and where the value was written to since.
  std::optional<std::size_t> definition(VariableId variable, std::size_t before) const {
    for (std::size_t i = before; i-- > 0;) {
      const Statement& statement = program_.statements[i];
      if (statement.kind == StatementKind::kAssign && statement.target == variable) return i;
      if (writes_to(statement, variable)) return std::nullopt;
    }
    return std::nullopt;
  }

  /// Follows a value, or a part of it, back to the selecting call that gives it, from before a
  /// statement.
  std::optional<IndexOutput> selection(VariableId variable, std::size_t before,
                                       std::optional<std::int64_t> part) const {
    while (true) {
      const auto statement = definition(variable, before);
      if (!statement) return std::nullopt;
      const Expression& value = program_.statements[*statement].value;
      if (const SelectingCall* call = selecting_call(value)) {
        if (call->gives_pair ? part != 1 : part.has_value()) return std::nullopt;
        return describe(value, *call, *statement);
      }
      const Expression* source = source_of(value, part);
      if (source == nullptr || source->kind != ExpressionKind::kVariable) return std::nullopt;
      variable = source->variable;
      before = *statement;
    }
  }

 private:
  /// The expression that holds the same elements; null if `value` computes something.
  static const Expression* source_of(const Expression& value, std::optional<std::int64_t>& part) {
    if (value.kind == ExpressionKind::kVariable) return &value;
    if (value.kind == ExpressionKind::kSubscript) {
      if (part || value.children[1].kind != ExpressionKind::kInteger) return nullptr;
      part = value.children[1].integer;
      return &value.children[0];
    }
    const std::string_view name = short_name(value);
    const bool keeps_order = std::find(std::begin(kOrderKeepingCalls), std::end(kOrderKeepingCalls),
                                       name) != std::end(kOrderKeepingCalls);
    return keeps_order && !part && !value.children.empty() ? &value.children[0] : nullptr;
  }

  static std::optional<IndexOutput> describe(const Expression& value, const SelectingCall& call,
                                             std::size_t statement) {
    const Expression* input = argument(value, call, "input");
    if (input == nullptr || input->kind != ExpressionKind::kVariable) return std::nullopt;
    IndexOutput found;
    found.selection = call.selection;
    found.values = {input->variable, statement};
    const Expression* dim = argument(value, call, "dim");
    const bool has_dim = dim != nullptr && dim->kind != ExpressionKind::kNone;
    // torch.max(a, b) compares two tensors; a computed dim is not known here.
    if (has_dim && dim->kind != ExpressionKind::kInteger) return std::nullopt;
    if (!has_dim && call.needs_literal) return std::nullopt;
    if (has_dim) found.dim = dim->integer;
    if (!has_dim && call.default_dim) found.dim = -1;
    found.keepdim = flag(value, call, "keepdim", false);
    const bool is_sort = call.selection == Selection::kSort;
    found.largest = is_sort ? flag(value, call, "descending", false)
                            : flag(value, call, "largest", call.selection != Selection::kArgmin);
    found.sorted = flag(value, call, "sorted", true);
    return found;
  }

  const Program& program_;
};

/// True if the expression is a pair of values and positions.
bool is_pair(const Expression& value) {
  const SelectingCall* call = selecting_call(value);
  if (call == nullptr || !call->gives_pair) return false;
  const Expression* dim = argument(value, *call, "dim");
  return !call->needs_literal || (dim != nullptr && dim->kind == ExpressionKind::kInteger);
}

/// Collects outputs with their indices, returned tuples flattened.
class Collector {
 public:
  explicit Collector(const Program& program) : program_(program), origin_(program) {}

  void add(VariableId variable, std::size_t before) {
    const auto statement = origin_.definition(variable, before);
    const Expression* value = statement ? &program_.statements[*statement].value : nullptr;
    if (value != nullptr && is_pair(*value)) {
      if (const auto found = origin_.selection(variable, before, 1)) put(*found, 1);
      found_.num_outputs += 2;
      return;
    }
    if (value != nullptr &&
        (value->kind == ExpressionKind::kTuple || value->kind == ExpressionKind::kList)) {
      for (const Expression& item : value->children) {
        if (item.kind == ExpressionKind::kVariable) add(item.variable, *statement);
      }
      return;
    }
    if (const auto found = origin_.selection(variable, before, std::nullopt)) put(*found, 0);
    ++found_.num_outputs;
  }

  IndexOutputs take() { return std::move(found_); }

 private:
  void put(IndexOutput found, std::size_t offset) {
    found.output = found_.num_outputs + offset;
    found_.all.push_back(found);
  }

  const Program& program_;
  Origin origin_;
  IndexOutputs found_;
};

}  // namespace

IndexOutputs index_outputs(const Program& program) {
  Collector collector(program);
  for (const VariableId result : program.results) collector.add(result, program.statements.size());
  return collector.take();
}

}  // namespace graphnet::graph
