// SPDX-License-Identifier: MIT
#include "vary/dtype_variant.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "graph/reads.h"

namespace graphnet::vary {

using base::Code;
using base::DType;
using base::Json;
using base::Result;
using base::Status;
using graph::Expression;
using graph::ExpressionKind;
using graph::Program;
using graph::Statement;
using graph::StatementKind;
using graph::VariableId;

namespace {

/// Operators that take the narrow type.
///
/// source   torch autocast, lower_precision_fp; GraphNet dtype_generalization_pass
constexpr std::string_view kNarrow[] = {"aten::linear",
                                        "aten::matmul",
                                        "aten::mm",
                                        "aten::bmm",
                                        "aten::addmm",
                                        "aten::addbmm",
                                        "aten::baddbmm",
                                        "aten::addmv",
                                        "aten::mv",
                                        "aten::conv1d",
                                        "aten::conv2d",
                                        "aten::conv3d",
                                        "aten::conv_transpose1d",
                                        "aten::conv_transpose2d",
                                        "aten::conv_transpose3d",
                                        "aten::convolution",
                                        "aten::einsum",
                                        "aten::scaled_dot_product_attention",
                                        "aten::chain_matmul",
                                        "aten::linalg_multi_dot",
                                        "aten::__matmul__"};

/// Of these, the products of two values.
constexpr std::string_view kProducts[] = {"aten::matmul", "aten::mm", "aten::bmm",
                                          "aten::__matmul__"};

/// Operators that take float32. Of batch_norm, whose statistics stay float32, not every kernel
/// takes a mix.
///
/// source   torch autocast, fp32, of CUDA and CPU
constexpr std::string_view kWide[] = {"aten::acos",
                                      "aten::asin",
                                      "aten::cosh",
                                      "aten::erfinv",
                                      "aten::exp",
                                      "aten::expm1",
                                      "aten::log",
                                      "aten::log10",
                                      "aten::log2",
                                      "aten::log1p",
                                      "aten::reciprocal",
                                      "aten::rsqrt",
                                      "aten::sinh",
                                      "aten::tan",
                                      "aten::pow",
                                      "aten::softplus",
                                      "aten::layer_norm",
                                      "aten::group_norm",
                                      "aten::norm",
                                      "aten::linalg_vector_norm",
                                      "aten::linalg_norm",
                                      "aten::instance_norm",
                                      "aten::batch_norm",
                                      "aten::rms_norm",
                                      "aten::softmax",
                                      "aten::log_softmax",
                                      "aten::cumprod",
                                      "aten::cumsum",
                                      "aten::prod",
                                      "aten::sum",
                                      "aten::cdist",
                                      "aten::fft_fftn",
                                      "aten::fft_rfft",
                                      "aten::fft_irfft",
                                      "aten::upsample_bilinear2d",
                                      "aten::upsample_bicubic2d",
                                      "aten::upsample_nearest2d",
                                      "aten::grid_sampler",
                                      "aten::_native_multi_head_attention",
                                      "aten::_weight_norm",
                                      "aten::cosine_similarity"};

/// Operators that give their operands a common type by themselves.
constexpr std::string_view kPromoting[] = {
    "aten::add",  "aten::sub",          "aten::mul",       "aten::div",       "aten::where",
    "aten::cat",  "aten::stack",        "aten::maximum",   "aten::minimum",   "aten::gt",
    "aten::lt",   "aten::ge",           "aten::le",        "aten::eq",        "aten::ne",
    "aten::rsub", "aten::floor_divide", "aten::remainder", "aten::copy_",     "aten::type_as",
    "aten::to",   "aten::expand_as",    "aten::view_as",   "aten::reshape_as"};

template <std::size_t N>
bool has_any(const StatementFacts& facts, const std::string_view (&names)[N]) {
  return std::any_of(facts.ops.begin(), facts.ops.end(), [&](const std::string& op) {
    return std::find(std::begin(names), std::end(names), op) != std::end(names);
  });
}

void replace(Expression& expression, const std::map<VariableId, VariableId>& by) {
  if (expression.kind == ExpressionKind::kVariable) {
    const auto found = by.find(expression.variable);
    if (found != by.end()) expression.variable = found->second;
  }
  for (Expression& child : expression.children) replace(child, by);
}

bool names_float32(const Expression& expression) {
  if (expression.kind == ExpressionKind::kDType) return expression.text == "float32";
  if (expression.kind == ExpressionKind::kMethod && expression.text == "float") return true;
  return std::any_of(expression.children.begin(), expression.children.end(), names_float32);
}

/// Whether the statement changes its first operand.
bool is_in_place(const Statement& statement) {
  if (statement.kind != StatementKind::kAssign) return true;
  const Expression& value = statement.value;
  for (std::size_t i = 0; i < value.keywords.size(); ++i) {
    if (value.keywords[i] == "inplace" && value.children[i].integer != 0) return true;
  }
  return value.kind == ExpressionKind::kMethod && value.text.size() > 1 &&
         value.text.back() == '_' && value.text[value.text.size() - 2] != '_';
}

/// What it changes; -1: nothing that has a name.
VariableId changed_by(const Statement& statement) {
  if (statement.kind != StatementKind::kAssign) return statement.target;
  const auto& children = statement.value.children;
  const bool is_variable = !children.empty() && children[0].kind == ExpressionKind::kVariable;
  return is_variable ? children[0].variable : -1;
}

/// By statement, whether it is an outer product, whose sums have one term: positions times
/// frequencies, as a rule, for which models switch autocast off. Traces do not hold such switches.
std::vector<bool> outer_products(const sample::Sample& sample,
                                 const std::vector<StatementFacts>& facts) {
  std::vector<std::int64_t> last_extents(sample.program.variables.size(), 0);
  for (std::size_t i = 0; i < sample.program.parameters.size(); ++i) {
    for (const sample::TensorMeta& meta : sample.metas) {
      const bool is_it = meta.name == sample.program.parameters[i].name && !meta.shape.empty();
      if (is_it) last_extents[i] = meta.shape.back();
    }
  }
  const std::vector<Statement>& statements = sample.program.statements;
  std::vector<bool> are_outer(statements.size(), false);
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (statements[i].kind != StatementKind::kAssign) continue;
    const Expression& value = statements[i].value;
    const auto extent_of = [&](const Expression& one) {
      const bool is_variable = one.kind == ExpressionKind::kVariable;
      return is_variable ? last_extents[static_cast<std::size_t>(one.variable)] : 0;
    };
    const bool is_product = has_any(facts[i], kProducts) && !value.children.empty();
    are_outer[i] = is_product && extent_of(value.children[0]) == 1;
    std::int64_t& extent = last_extents[static_cast<std::size_t>(statements[i].target)];
    extent = facts[i].shape.empty() ? extent_of(value) : facts[i].shape.back();
  }
  return are_outer;
}

/// What is known of a variable while the program is rewritten.
struct Held {
  bool is_float32 = false;  ///< in the sample
  bool is_narrow = false;   ///< in the variant
  bool is_scalar = false;   ///< without extents: decides no type beside tensors that have some
};

class Rewriting {
 public:
  Rewriting(const sample::Sample& sample, const std::vector<StatementFacts>& facts, DType target,
            const std::set<std::size_t>& wide)
      : facts_(facts),
        target_(target),
        wide_(wide),
        are_outer_(outer_products(sample, facts)),
        held_(sample.program.variables.size()) {
    variant_.sample = sample;
    names_.insert(sample.program.variables.begin(), sample.program.variables.end());
    program().statements.clear();
    for (std::size_t i = 0; i < sample.program.parameters.size(); ++i) {
      const auto meta = meta_of(sample.program.parameters[i].name);
      if (meta == nullptr) continue;
      held_[i].is_float32 = meta->dtype == DType::kFloat32;
      held_[i].is_scalar = meta->shape.empty();
    }
    statements_ = &sample.program.statements;
  }

  DTypeVariant take() {
    narrow_arguments();
    for (std::size_t i = 0; i < statements_->size(); ++i) rewrite(i);
    return std::move(variant_);
  }

 private:
  Program& program() { return variant_.sample.program; }
  Held& held(VariableId variable) { return held_[static_cast<std::size_t>(variable)]; }
  sample::TensorMeta* meta_of(const std::string& name) {
    for (sample::TensorMeta& meta : variant_.sample.metas) {
      if (meta.name == name) return &meta;
    }
    return nullptr;
  }

  bool takes_narrow(std::size_t statement) const {
    return wide_.count(statement) == 0 && !are_outer_[statement] &&
           has_any(facts_[statement], kNarrow);
  }

  /// Arguments that only products read are stored in the narrow type.
  void narrow_arguments() {
    std::vector<VariableId> parameter_of(held_.size(), -1);
    std::vector<bool> is_product_operand(program().parameters.size(), false);
    std::vector<bool> has_other_use(program().parameters.size(), false);
    for (std::size_t i = 0; i < program().parameters.size(); ++i) {
      parameter_of[i] = static_cast<VariableId>(i);
    }
    for (std::size_t i = 0; i < statements_->size(); ++i) {
      const Statement& statement = (*statements_)[i];
      const bool is_name = statement.kind == StatementKind::kAssign &&
                           statement.value.kind == ExpressionKind::kVariable;
      for (const VariableId read : graph::reads_of(statement)) {
        const VariableId parameter = parameter_of[static_cast<std::size_t>(read)];
        if (parameter < 0) continue;
        if (is_name) {
          parameter_of[static_cast<std::size_t>(statement.target)] = parameter;
        } else {
          auto& uses = takes_narrow(i) ? is_product_operand : has_other_use;
          uses[static_cast<std::size_t>(parameter)] = true;
        }
      }
    }
    for (const VariableId result : program().results) {
      const VariableId parameter = parameter_of[static_cast<std::size_t>(result)];
      if (parameter >= 0) has_other_use[static_cast<std::size_t>(parameter)] = true;
    }
    for (std::size_t i = 0; i < program().parameters.size(); ++i) {
      if (!held_[i].is_float32 || !is_product_operand[i] || has_other_use[i]) continue;
      held_[i].is_narrow = true;
      meta_of(program().parameters[i].name)->dtype = target_;
      ++variant_.num_arguments;
    }
  }

  void rewrite(std::size_t index) {
    Statement statement = (*statements_)[index];
    const StatementFacts& facts = facts_[index];
    if (statement.kind == StatementKind::kRelease) return add(std::move(statement), index);
    if (statement.kind == StatementKind::kAssign &&
        statement.value.kind == ExpressionKind::kVariable) {
      held(statement.target) = held(statement.value.variable);
      return add(std::move(statement), index);
    }
    const bool is_narrow = cast_operands(statement, index);
    if (statement.kind == StatementKind::kAssign) {
      Held& target = held(statement.target);
      target.is_float32 = facts.dtype == "float32";
      target.is_narrow = target.is_float32 && is_narrow;
      target.is_scalar = facts.shape.empty();
    }
    add(std::move(statement), index);
  }

  /// Converts what the statement reads as the tables say; whether its result is narrow.
  bool cast_operands(Statement& statement, std::size_t index) {
    std::vector<VariableId> narrow;
    std::vector<VariableId> wide;
    bool decides_wide = false;  // a float32 operand that is no scalar
    for (const VariableId read : graph::reads_of(statement)) {
      if (!held(read).is_float32) continue;
      (held(read).is_narrow ? narrow : wide).push_back(read);
      if (!held(read).is_narrow && !held(read).is_scalar) decides_wide = true;
    }
    const StatementFacts& facts = facts_[index];
    if (is_in_place(statement)) {
      const VariableId changed = changed_by(statement);
      const bool is_narrow = changed >= 0 && held(changed).is_narrow;
      const auto& others = is_narrow ? wide : narrow;
      if (!others.empty() && changed >= 0)
        cast(statement, index, without(others, changed), is_narrow);
      return is_narrow;
    }
    if (takes_narrow(index)) {
      cast(statement, index, wide, true);
      return true;
    }
    if (wide_.count(index) > 0) {
      // It refused: a type may be another than is known here, and a cast to the same type is none.
      narrow.insert(narrow.end(), wide.begin(), wide.end());
      cast(statement, index, narrow, false);
      return false;
    }
    if (narrow.empty()) return false;
    if (has_any(facts, kWide)) {
      cast(statement, index, narrow, false);
      return false;
    }
    if (names_float32(statement.value)) return false;
    if (has_any(facts, kPromoting)) return !decides_wide || keeps_first(statement);
    if (wide.empty()) return true;
    cast(statement, index, narrow, false);
    return false;
  }

  /// The type of the first operand decides that of the result.
  bool keeps_first(const Statement& statement) {
    const Expression& value = statement.value;
    const bool is_by_first = value.kind == ExpressionKind::kMethod &&
                             (value.text == "to" || value.text == "expand_as" ||
                              value.text == "view_as" || value.text == "reshape_as");
    return is_by_first && value.children[0].kind == ExpressionKind::kVariable &&
           held(value.children[0].variable).is_narrow;
  }

  static std::vector<VariableId> without(std::vector<VariableId> list, VariableId one) {
    list.erase(std::remove(list.begin(), list.end(), one), list.end());
    return list;
  }

  void cast(Statement& statement, std::size_t index, const std::vector<VariableId>& variables,
            bool to_narrow) {
    std::map<VariableId, VariableId> by;
    for (const VariableId variable : variables) {
      by[variable] = add_cast(variable, to_narrow, index);
    }
    replace(statement.value, by);
    replace(statement.index, by);
  }

  VariableId add_cast(VariableId variable, bool to_narrow, std::size_t index) {
    Expression dtype;
    dtype.kind = ExpressionKind::kDType;
    dtype.text = base::dtype_name(to_narrow ? target_ : DType::kFloat32);
    Statement cast;
    cast.target = static_cast<VariableId>(program().variables.size());
    cast.value.kind = ExpressionKind::kMethod;
    cast.value.text = "to";
    cast.value.children = {graph::variable_expression(variable), std::move(dtype)};
    cast.value.keywords.resize(2);
    program().variables.push_back(free_name());
    held_.push_back({true, to_narrow, held(variable).is_scalar});
    const VariableId made = cast.target;
    ++variant_.num_casts;
    add(std::move(cast), index);
    return made;
  }

  std::string free_name() {
    std::string name;
    do {
      name = next_name_ == 0 ? "to" : "to_" + std::to_string(next_name_);
      ++next_name_;
    } while (!names_.insert(name).second);
    return name;
  }

  void add(Statement statement, std::size_t index) {
    program().statements.push_back(std::move(statement));
    variant_.origins.push_back(index);
  }

  const std::vector<StatementFacts>& facts_;
  DType target_;
  const std::set<std::size_t>& wide_;
  const std::vector<bool> are_outer_;  // by statement
  const std::vector<Statement>* statements_ = nullptr;
  std::vector<Held> held_;  // by variable
  std::set<std::string> names_;
  std::size_t next_name_ = 0;
  DTypeVariant variant_;
};

}  // namespace

Result<std::vector<StatementFacts>> read_facts(const Json& answer) {
  if (!answer.contains("statements")) {
    return Status(Code::kInternal, "the worker's answer to plan_statements is malformed");
  }
  std::vector<StatementFacts> facts;
  for (const Json& row : answer["statements"]) {
    facts.push_back({row["ops"].get<std::vector<std::string>>(), row["dtype"].get<std::string>(),
                     row["shape"].get<std::vector<std::int64_t>>()});
  }
  return facts;
}

DTypeVariant with_dtype(const sample::Sample& sample, const std::vector<StatementFacts>& facts,
                        DType target, const std::set<std::size_t>& wide) {
  return Rewriting(sample, facts, target, wide).take();
}

bool widen(const Program& program, std::size_t statement, std::set<std::size_t>& wide) {
  while (is_in_place(program.statements[statement])) {
    const VariableId changed = changed_by(program.statements[statement]);
    std::size_t maker = statement;
    do {
      if (maker == 0) return false;
      --maker;
    } while (program.statements[maker].kind == StatementKind::kRelease ||
             program.statements[maker].target != changed);
    statement = maker;
  }
  return wide.insert(statement).second;
}

}  // namespace graphnet::vary
