// SPDX-License-Identifier: MIT
#include "eager/resize_program.h"

#include <ATen/core/Tensor.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "eager/argument_tensor.h"
#include "eager/meta_executor.h"
#include "eager/scalar_type.h"
#include "eager/tracer.h"
#include "eager/wall.h"

namespace graphnet::eager {

namespace {

using graph::Expression;
using graph::ExpressionKind;
using graph::Statement;
using graph::StatementKind;
using graph::VariableId;
using Shape = std::vector<std::int64_t>;

/// What the extents of the first trace became in the second.
class KnownSizes {
 public:
  void learn(std::int64_t before, std::int64_t now) {
    if (before <= 1) return;
    known_[before].insert(now);
  }
  void learn(const Shape& before, const Shape& now) {
    if (before.size() != now.size()) return;
    for (std::size_t i = 0; i < before.size(); ++i) learn(before[i], now[i]);
  }
  /// Nothing: shapes disagree, or none had it.
  std::optional<std::int64_t> find(std::int64_t before) const {
    const auto found = known_.find(before);
    const bool is_sure = found != known_.end() && found->second.size() == 1;
    return is_sure ? std::optional<std::int64_t>(*found->second.begin()) : std::nullopt;
  }
  bool may_be(std::int64_t before, std::int64_t now) const {
    const auto found = known_.find(before);
    return found != known_.end() && found->second.count(now) > 0;
  }

 private:
  std::map<std::int64_t, std::set<std::int64_t>> known_;
};

std::int64_t product(const Shape& shape, std::size_t first, std::size_t end) {
  return std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(first),
                         shape.begin() + static_cast<std::ptrdiff_t>(end), std::int64_t{1},
                         std::multiplies<>());
}

/// Extents [first, end) of a reshape's result that have the elements of [from, to) of its operand.
struct Group {
  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t first = 0;
  std::size_t end = 0;
};

/// The smallest groups from the left.
std::vector<Group> groups_of(const Shape& operand, const Shape& result) {
  std::vector<Group> groups;
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < operand.size() || k < result.size()) {
    Group group{i, i, k, k};
    std::int64_t left = i < operand.size() ? operand[i++] : 1;
    std::int64_t right = k < result.size() ? result[k++] : 1;
    while (left != right) {
      if (left < right && i < operand.size()) {
        left *= operand[i++];
      } else if (k < result.size()) {
        right *= result[k++];
      } else {
        return {};
      }
    }
    group.to = i;
    group.end = k;
    groups.push_back(group);
  }
  return groups;
}

/// All extents of a group as other shapes have shown them; nothing if these do not fit.
std::optional<Shape> all_shown(const Shape& result, const Group& group, std::int64_t elements,
                               const KnownSizes& sizes) {
  Shape shown;
  for (std::size_t k = group.first; k < group.end; ++k) {
    shown.push_back(sizes.find(result[k]).value_or(result[k]));
  }
  return product(shown, 0, shown.size()) == elements ? std::optional<Shape>(shown) : std::nullopt;
}

/// Changes the extents of one group to that many elements; false: nobody can say how.
bool resize_group(const Shape& result, const Group& group, std::int64_t elements,
                  const KnownSizes& sizes, Shape& wanted) {
  const std::int64_t before = product(result, group.first, group.end);
  std::vector<std::size_t> fitting;
  for (std::size_t k = group.first; k < group.end; ++k) {
    const std::int64_t others = result[k] == 0 ? 0 : before / result[k];
    if (others > 0 && elements % others == 0) fitting.push_back(k);
  }
  const auto alone = [&](std::size_t k) { return elements / (before / result[k]); };
  const auto shown = std::find_if(fitting.begin(), fitting.end(),
                                  [&](std::size_t k) { return sizes.may_be(result[k], alone(k)); });
  if (shown != fitting.end()) {
    wanted[*shown] = alone(*shown);
  } else if (const std::optional<Shape> all = all_shown(result, group, elements, sizes)) {
    std::copy(all->begin(), all->end(), wanted.begin() + static_cast<std::ptrdiff_t>(group.first));
  } else if (!fitting.empty()) {
    wanted[fitting.front()] = alone(fitting.front());
  } else {
    return false;
  }
  return true;
}

/// The result of a reshape of another operand; nothing: nobody can say.
std::optional<Shape> resized_result(const Shape& operand, const Shape& result, const Shape& now,
                                    const KnownSizes& sizes) {
  if (operand.size() != now.size()) return std::nullopt;
  Shape wanted = result;
  for (const Group& group : groups_of(operand, result)) {
    const std::int64_t elements = product(now, group.from, group.to);
    if (elements == product(operand, group.from, group.to)) continue;
    if (!resize_group(result, group, elements, sizes, wanted)) return std::nullopt;
  }
  return wanted;
}

/// Shapes that a statement meets.
struct StatementShapes {
  std::optional<Shape> operand;  ///< the tensor that it is about, its first one
  std::optional<Shape> result;
};

const Value* operand_of(const Statement& statement, const std::vector<Value>& variables) {
  const auto& children = statement.value.children;
  const bool has_variable = !children.empty() && children[0].kind == ExpressionKind::kVariable;
  if (!has_variable) return nullptr;
  const Value& value = variables[static_cast<std::size_t>(children[0].variable)];
  return value.is_tensor() ? &value : nullptr;
}

/// Traces a program and notes shapes; `mend` is called before each statement.
std::vector<StatementShapes> trace_shapes(
    const graph::Program& program, const std::vector<PlanArgument>& arguments,
    const std::function<void(std::size_t, const std::vector<Value>&)>& mend) {
  std::vector<StatementShapes> shapes(program.statements.size());
  std::vector<at::Tensor> tensors;
  for (const PlanArgument& argument : arguments) tensors.push_back(meta_tensor(argument));
  MetaExecutor executor;
  Tracer tracer(program, tensors, &executor);
  tracer.watch_statements([&](std::size_t statement, const std::vector<Value>& variables) {
    if (statement > 0) {
      const VariableId target = program.statements[statement - 1].target;
      const Value* made = target < 0 ? nullptr : &variables[static_cast<std::size_t>(target)];
      if (made != nullptr && made->is_tensor()) {
        shapes[statement - 1].result = made->tensor.sizes().vec();
      }
    }
    if (statement == shapes.size()) return;
    if (const Value* operand = operand_of(program.statements[statement], variables)) {
      shapes[statement].operand = operand->tensor.sizes().vec();
    }
    if (mend) mend(statement, variables);
  });
  tracer.run();
  return shapes;
}

/// How the numbers of a call are mended. Sizes are no batch of one: vmap has those for heads, too.
enum class Numbers : std::uint8_t { kReshape, kExpand, kCreation, kFirst, kSizes, kVmap };
struct NumbersRow {
  std::string_view name;  ///< of the method or the function without its module
  Numbers numbers;
};
constexpr NumbersRow kNumbers[] = {{"view", Numbers::kReshape},
                                   {"reshape", Numbers::kReshape},
                                   {"expand", Numbers::kExpand},
                                   {"broadcast_to", Numbers::kExpand},
                                   {"arange", Numbers::kCreation},
                                   {"zeros", Numbers::kFirst},
                                   {"ones", Numbers::kFirst},
                                   {"full", Numbers::kFirst},
                                   {"empty", Numbers::kFirst},
                                   {"rand", Numbers::kFirst},
                                   {"new_zeros", Numbers::kCreation},
                                   {"new_ones", Numbers::kCreation},
                                   {"interpolate", Numbers::kCreation},
                                   {"sym_sum", Numbers::kSizes},
                                   {"_vmap_increment_nesting", Numbers::kSizes},
                                   {"_remove_batch_dim", Numbers::kVmap}};

void add_numbers(Expression& expression, std::vector<Expression*>& numbers) {
  const bool is_list =
      expression.kind == ExpressionKind::kTuple || expression.kind == ExpressionKind::kList;
  if (!is_list) return numbers.push_back(&expression);
  for (Expression& child : expression.children) add_numbers(child, numbers);
}

class Resizing {
 public:
  Resizing(graph::Program program, const std::vector<PlanArgument>& arguments,
           const std::vector<PlanArgument>& resized)
      : resized_{std::move(program), 0}, arguments_(arguments), now_(resized) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].is_weight) continue;
      sizes_.learn(arguments[i].shape, resized[i].shape);
      const bool has_batch = !arguments[i].shape.empty();
      if (has_batch && arguments[i].shape[0] != resized[i].shape[0] && batch_now_ == 0) {
        batch_before_ = arguments[i].shape[0];
        batch_now_ = resized[i].shape[0];
      }
    }
  }

  ResizedProgram run() {
    before_ = trace_shapes(resized_.program, arguments_, {});
    trace_shapes(resized_.program, now_,
                 [&](std::size_t statement, const std::vector<Value>& variables) {
                   learn_from_last(statement, variables);
                   mend(statement, variables);
                 });
    return std::move(resized_);
  }

 private:
  void learn_from_last(std::size_t statement, const std::vector<Value>& variables) {
    if (statement == 0 || !before_[statement - 1].result) return;
    const VariableId target = resized_.program.statements[statement - 1].target;
    const Value& made = variables[static_cast<std::size_t>(target)];
    if (made.is_tensor()) sizes_.learn(*before_[statement - 1].result, made.tensor.sizes().vec());
  }

  void mend(std::size_t index, const std::vector<Value>& variables) {
    Statement& statement = resized_.program.statements[index];
    mend_slices(statement.index);
    Expression& value = statement.value;
    if (value.kind == ExpressionKind::kSubscript) mend_slices(value.children[1]);
    const bool is_call =
        value.kind == ExpressionKind::kCall || value.kind == ExpressionKind::kMethod;
    if (!is_call) return;
    const std::string_view name = std::string_view(value.text).substr(value.text.rfind('.') + 1);
    const auto row = std::find_if(std::begin(kNumbers), std::end(kNumbers),
                                  [&](const NumbersRow& one) { return one.name == name; });
    if (row == std::end(kNumbers)) return;
    const Value* operand = operand_of(statement, variables);
    const std::vector<Expression*> numbers = numbers_of(value, row->numbers);
    if (row->numbers == Numbers::kReshape && operand != nullptr) {
      mend_reshape(index, operand->tensor.sizes().vec(), numbers);
    } else if (row->numbers == Numbers::kExpand && operand != nullptr) {
      mend_expand(index, operand->tensor.sizes().vec(), numbers);
    } else if (row->numbers == Numbers::kVmap && operand != nullptr) {
      mend_batch_size(operand->tensor.sizes().vec(), numbers);
    } else {
      const bool has_batch = row->numbers != Numbers::kSizes;
      for (std::size_t k = 0; k < numbers.size(); ++k) set_known(*numbers[k], has_batch && k == 0);
    }
  }

  static std::vector<Expression*> numbers_of(Expression& value, Numbers kind) {
    std::vector<Expression*> numbers;
    const bool has_operand =
        !value.children.empty() && value.children[0].kind == ExpressionKind::kVariable;
    for (std::size_t i = has_operand ? 1 : 0; i < value.children.size(); ++i) {
      add_numbers(value.children[i], numbers);
      if (kind == Numbers::kFirst) break;
    }
    return numbers;
  }

  void mend_reshape(std::size_t index, const Shape& now, const std::vector<Expression*>& numbers) {
    const StatementShapes& before = before_[index];
    if (!before.operand || !before.result || numbers.size() != before.result->size()) return;
    const auto wanted = resized_result(*before.operand, *before.result, now, sizes_);
    if (!wanted) return;
    for (std::size_t k = 0; k < numbers.size(); ++k) set(*numbers[k], (*wanted)[k]);
  }

  void mend_expand(std::size_t index, const Shape& now, const std::vector<Expression*>& numbers) {
    const StatementShapes& before = before_[index];
    if (!before.operand || numbers.size() < now.size()) return;
    const std::size_t added = numbers.size() - now.size();
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const bool is_given = k >= added && (*before.operand)[k - added] != 1;
      if (is_given) {
        set(*numbers[k], now[k - added]);
      } else {
        set_known(*numbers[k], k == 0);
      }
    }
  }

  /// `numbers`: level, size of its batch, and where it goes. Level n is dimension n - 1 of `now`,
  /// or 1 there if nothing was batched; see vmap_calls.cc.
  void mend_batch_size(const Shape& now, const std::vector<Expression*>& numbers) {
    if (numbers.size() < 2) return;
    const auto dim = static_cast<std::size_t>(numbers[0]->integer - 1);
    if (dim < now.size() && now[dim] != 1) {
      set(*numbers[1], now[dim]);
    } else {
      set_known(*numbers[1], false);
    }
  }

  void mend_slices(Expression& index) {
    if (index.kind == ExpressionKind::kSlice) {
      for (Expression& bound : index.children) set_known(bound, false);
    }
    if (index.kind != ExpressionKind::kTuple) return;
    for (Expression& child : index.children) mend_slices(child);
  }

  /// `may_be_batch`: stands where batches do, so that a 1 can be meant.
  void set_known(Expression& number, bool may_be_batch) {
    if (number.kind != ExpressionKind::kInteger) return;
    const auto known = sizes_.find(number.integer);
    const auto one_less = sizes_.find(number.integer - 1);
    if (known) {
      set(number, *known);
    } else if (may_be_batch && batch_now_ != 0 && number.integer == batch_before_) {
      set(number, batch_now_);
    } else if (one_less && *one_less != number.integer - 1) {
      set(number, *one_less + 1);
    }
  }

  void set(Expression& number, std::int64_t wanted) {
    const bool is_literal = number.kind == ExpressionKind::kInteger && number.integer >= 0;
    if (!is_literal || number.integer == wanted) return;
    number.integer = wanted;
    ++resized_.num_literals;
  }

  ResizedProgram resized_;
  const std::vector<PlanArgument>& arguments_;
  const std::vector<PlanArgument>& now_;
  std::vector<StatementShapes> before_;
  KnownSizes sizes_;
  std::int64_t batch_before_ = 0;
  std::int64_t batch_now_ = 0;
};

}  // namespace

base::Result<ResizedProgram> resize_program(const graph::Program& program,
                                            const std::vector<PlanArgument>& arguments,
                                            const std::vector<PlanArgument>& resized) {
  ResizedProgram result;
  GN_RETURN_IF_ERROR(guarded([&] {
    const c10::InferenceMode inference(true);
    const DefaultTypeGuard default_type(program.default_dtype);
    result = Resizing(program, arguments, resized).run();
  }));
  return result;
}

}  // namespace graphnet::eager
