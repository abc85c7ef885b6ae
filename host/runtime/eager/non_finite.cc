// SPDX-License-Identifier: MIT
#include "eager/non_finite.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "eager/argument_tensor.h"
#include "eager/call_executor.h"
#include "eager/scalar_type.h"
#include "eager/tracer.h"
#include "eager/wall.h"

namespace graphnet::eager {

namespace {

ElementFacts facts_of(const at::Tensor& tensor, std::string name) {
  ElementFacts facts;
  facts.name = std::move(name);
  const auto dtype = from_scalar_type(tensor.scalar_type());
  facts.dtype = dtype ? base::dtype_name(*dtype) : c10::toString(tensor.scalar_type());
  facts.shape = tensor.sizes().vec();
  if (tensor.numel() == 0) return facts;
  facts.num_nan = tensor.isnan().sum().item().toLong();
  facts.num_inf = tensor.isinf().sum().item().toLong();
  if (tensor.is_complex()) return facts;
  const at::Tensor finite = facts.is_finite() ? tensor : tensor.masked_select(tensor.isfinite());
  if (finite.numel() == 0) return facts;
  facts.lowest = finite.min().item().toDouble();
  facts.highest = finite.max().item().toDouble();
  return facts;
}

bool is_finite(const at::Tensor& tensor) {
  if (!tensor.defined() || tensor.numel() == 0) return true;
  if (!tensor.is_floating_point() && !tensor.is_complex()) return true;
  return tensor.isfinite().all().item().toBool();
}

/// A tensor that a call takes.
struct SeenArgument {
  std::size_t operand = 0;
  std::size_t element = 0;  ///< of a list
  ElementFacts facts;
};

template <typename Visit>
void for_each_argument(const c10::Stack& stack, Visit visit) {
  for (std::size_t i = 0; i < stack.size(); ++i) {
    const c10::IValue& value = stack[i];
    if (value.isTensor()) {
      if (value.toTensor().defined()) visit(i, 0, value.toTensor());
    } else if (value.isTensorList()) {
      const std::vector<at::Tensor> items = value.toTensorVector();
      for (std::size_t k = 0; k < items.size(); ++k) visit(i, k, items[k]);
    } else if (value.isOptionalTensorList()) {
      const auto items = value.toOptionalTensorVector();
      for (std::size_t k = 0; k < items.size(); ++k) {
        if (items[k]) visit(i, k, *items[k]);
      }
    }
  }
}

std::vector<SeenArgument> arguments_of(const Overload& overload, const c10::Stack& stack) {
  std::vector<SeenArgument> arguments;
  for_each_argument(stack, [&](std::size_t operand, std::size_t element, const at::Tensor& tensor) {
    arguments.push_back({operand, element, facts_of(tensor, overload.parameters[operand].name)});
  });
  return arguments;
}

/// When a row of the table below holds.
enum class When : std::uint8_t {
  kAlways,
  kInference,   ///< of a normalization: in training it takes the statistics of its input
  kWithoutEps,  ///< with eps the operator keeps its input away from the ends
};

/// Values for which an operator is defined. The bound is what a repair writes, so it lies inside.
struct DomainRow {
  std::string_view op;
  std::string_view argument;
  const char* key;
  double bound;
  When when = When::kAlways;
};
constexpr double kTiny = 1e-6;
constexpr DomainRow kDomains[] = {
    {"aten::batch_norm", "running_var", "min_val", 0, When::kInference},
    {"aten::instance_norm", "running_var", "min_val", 0, When::kInference},
    {"aten::sqrt", "self", "min_val", 0},
    {"aten::rsqrt", "self", "min_val", kTiny},
    {"aten::log", "self", "min_val", kTiny},
    {"aten::log2", "self", "min_val", kTiny},
    {"aten::log10", "self", "min_val", kTiny},
    {"aten::log1p", "self", "min_val", kTiny - 1},
    {"aten::asin", "self", "min_val", -1},
    {"aten::asin", "self", "max_val", 1},
    {"aten::acos", "self", "min_val", -1},
    {"aten::acos", "self", "max_val", 1},
    {"aten::logit", "self", "min_val", kTiny, When::kWithoutEps},
    {"aten::logit", "self", "max_val", 1 - kTiny, When::kWithoutEps},
    {"aten::special_logit", "self", "min_val", kTiny, When::kWithoutEps},
    {"aten::special_logit", "self", "max_val", 1 - kTiny, When::kWithoutEps},
};

// Of batch_norm and instance_norm.
constexpr std::size_t kTrainingOperand = 5;
constexpr std::size_t kEpsOperand = 7;
constexpr double kDefaultEps = 1e-5;  // of both in torch

/// "aten::sqrt" and "aten::sqrt_", whatever the overload.
bool is_operator(const std::string& name, std::string_view op) {
  if (name.compare(0, op.size(), op) != 0) return false;
  const std::string_view rest = std::string_view(name).substr(op.size());
  return rest.empty() || rest[0] == '.' || rest == "_" || rest.substr(0, 2) == "_.";
}

/// The bound for this call; nothing: the row does not hold for it.
std::optional<double> bound_of(const DomainRow& row, const c10::Stack& stack) {
  if (row.when == When::kWithoutEps && !stack[1].isNone()) return std::nullopt;
  if (row.when != When::kInference) return row.bound;
  if (stack[kTrainingOperand].toBool()) return std::nullopt;
  // Without eps a variance of 0 divides by 0.
  return stack[kEpsOperand].toDouble() > 0 ? row.bound : kDefaultEps;
}

bool is_lower(const char* key) {
  return std::string_view(key) == "min_val";
}

/// Runs calls as they are and looks at what they take and give.
class FiniteWatch final : public CallExecutor {
 public:
  struct SeenCall {
    std::size_t index = 0;  ///< of the instruction
    const Overload* overload = nullptr;
    std::vector<SeenArgument> arguments;
    ElementFacts result;
  };
  struct SeenBreach {
    std::size_t index = 0;
    const Overload* overload = nullptr;
    SeenArgument argument;
    const DomainRow* row = nullptr;
    double bound = 0;
  };

  void execute(const Overload& overload, c10::Stack& stack) override {
    const std::size_t index = num_calls_++;
    const c10::Stack taken = stack;
    note_breaches(index, overload, taken);
    bool writes_any = false;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      writes_any = writes_any || writes(overload, taken, i);
    }
    std::vector<SeenArgument> arguments;
    if (writes_any && !first_nan_) arguments = arguments_of(overload, taken);
    overload.handle.callBoxed(&stack);
    if (first_nan_) return;
    at::Tensor made;
    for_each_result(stack, [&](const at::Tensor& tensor) {
      if (!made.defined() && !is_finite(tensor)) made = tensor;
    });
    if (!made.defined()) return;
    if (!writes_any) arguments = arguments_of(overload, taken);
    note_call({index, &overload, std::move(arguments), facts_of(made, "")});
  }

  std::size_t num_calls() const { return num_calls_; }
  const std::optional<SeenCall>& first_nan() const { return first_nan_; }
  const std::vector<SeenCall>& infinities() const { return infinities_; }
  const std::vector<SeenBreach>& breaches() const { return breaches_; }

 private:
  void note_call(SeenCall call) {
    if (call.result.num_nan > 0) {
      first_nan_ = std::move(call);
      return;
    }
    const bool is_new =
        std::all_of(call.arguments.begin(), call.arguments.end(),
                    [](const SeenArgument& argument) { return argument.facts.is_finite(); });
    if (is_new && infinities_.size() < kMostInfinities) infinities_.push_back(std::move(call));
  }

  void note_breaches(std::size_t index, const Overload& overload, const c10::Stack& stack) {
    for (const DomainRow& row : kDomains) {
      if (!is_operator(overload.name, row.op)) continue;
      const std::optional<double> bound = bound_of(row, stack);
      if (!bound) continue;
      for (std::size_t i = 0; i < stack.size(); ++i) {
        const bool is_judged = overload.parameters[i].name == row.argument && stack[i].isTensor() &&
                               stack[i].toTensor().defined();
        if (!is_judged) continue;
        SeenArgument argument{i, 0, facts_of(stack[i].toTensor(), std::string(row.argument))};
        const std::optional<double>& end =
            is_lower(row.key) ? argument.facts.lowest : argument.facts.highest;
        const bool is_inside = !end || (is_lower(row.key) ? *end >= *bound : *end <= *bound);
        if (!is_inside) breaches_.push_back({index, &overload, std::move(argument), &row, *bound});
      }
    }
  }

  std::size_t num_calls_ = 0;
  std::optional<SeenCall> first_nan_;
  std::vector<SeenCall> infinities_;
  std::vector<SeenBreach> breaches_;
};

// Calls that give their first operand's elements in another form.
constexpr std::string_view kCopies[] = {"aten::to",     "aten::_to_copy", "aten::contiguous",
                                        "aten::clone",  "aten::reshape",  "aten::flatten",
                                        "aten::expand", "aten::type_as"};

/// An addend that is a number and not negative.
std::optional<double> addend_of(const Instruction& call) {
  const std::vector<Operand>& operands = call.operands;
  const bool is_plain = operands.size() == 3 && operands[1].kind == Operand::Kind::kConstant &&
                        operands[2].constant.isInt() && operands[2].constant.toInt() == 1;
  if (!is_plain) return std::nullopt;
  const c10::IValue& given = operands[1].constant;
  double number = -1;
  if (given.isTensor() && given.toTensor().defined() && given.toTensor().numel() == 1) {
    number = given.toTensor().item().toDouble();
  } else if (given.isInt() || given.isDouble()) {
    number = given.toScalar().toDouble();
  }
  return number >= 0 ? std::optional<double>(number) : std::nullopt;
}

/// Finds the arguments of forward() from which operands come.
class Sources {
 public:
  explicit Sources(const Tape& tape) : tape_(tape), makers_(tape.num_slots(), nullptr) {
    for (const Instruction& call : tape.instructions()) {
      for (const Slot slot : call.results) {
        if (slot != kNoSlot) makers_[static_cast<std::size_t>(slot)] = &call;
      }
    }
  }

  /// The argument whose elements a slot has; kNoSlot: it is computed. `added` gets what the program
  /// adds to them on the way.
  Slot find(Slot slot, double& added) const {
    while (slot != kNoSlot) {
      slot = tape_.owner(slot);
      if (static_cast<std::size_t>(slot) < tape_.num_arguments()) return slot;
      slot = step(slot, added);
    }
    return kNoSlot;
  }

 private:
  Slot step(Slot slot, double& added) const {
    const Instruction* maker = makers_[static_cast<std::size_t>(slot)];
    if (maker == nullptr || maker->operands.empty()) return kNoSlot;
    const std::string& name = maker->handle.schema().name();
    if (name == "aten::add") {
      const std::optional<double> number = addend_of(*maker);
      if (!number) return kNoSlot;
      added += *number;
    } else if (std::find(std::begin(kCopies), std::end(kCopies), name) == std::end(kCopies)) {
      return kNoSlot;
    }
    const Operand& from = maker->operands[0];
    return from.kind == Operand::Kind::kTensor ? from.slots[0] : kNoSlot;
  }

  const Tape& tape_;
  std::vector<const Instruction*> makers_;  // by slot
};

/// Makes the report of what was seen: names and positions are known only after the run.
class Reporter {
 public:
  Reporter(const graph::Program& program, const Tape& tape)
      : program_(program), tape_(tape), sources_(tape) {}

  NonFiniteCall report(const FiniteWatch::SeenCall& seen) const {
    NonFiniteCall call{seen.overload->name, position(seen.index), {}, seen.result};
    for (const SeenArgument& argument : seen.arguments) {
      double added = 0;
      ElementFacts facts = argument.facts;
      const Slot source = sources_.find(slot_of(seen.index, argument), added);
      if (source != kNoSlot && added == 0) facts.parameter = name(source);
      call.arguments.push_back(std::move(facts));
    }
    return call;
  }

  /// Nothing if no argument of forward() decides the values.
  std::optional<BoundBreach> report(const FiniteWatch::SeenBreach& seen) const {
    double added = 0;
    const Slot source = sources_.find(slot_of(seen.index, seen.argument), added);
    if (source == kNoSlot) return std::nullopt;
    BoundBreach breach;
    breach.parameter = name(source);
    breach.op = seen.overload->name;
    breach.position = position(seen.index);
    breach.argument = seen.argument.facts;
    if (added == 0) breach.argument.parameter = breach.parameter;
    breach.key = seen.row->key;
    breach.bound = seen.bound;
    // What is added keeps the sum inside, from 0 on at the latest.
    if (is_lower(seen.row->key) && added > 0) breach.bound = std::max(0.0, seen.bound - added);
    if (!is_lower(seen.row->key)) breach.bound -= added;
    return breach;
  }

 private:
  graph::Position position(std::size_t index) const {
    return tape_.instructions().at(index).position;
  }
  Slot slot_of(std::size_t index, const SeenArgument& argument) const {
    const Operand& operand = tape_.instructions().at(index).operands.at(argument.operand);
    return argument.element < operand.slots.size() ? operand.slots[argument.element] : kNoSlot;
  }
  const std::string& name(Slot argument) const {
    return program_.parameters[static_cast<std::size_t>(argument)].name;
  }

  const graph::Program& program_;
  const Tape& tape_;
  Sources sources_;
};

void add_breach(BoundBreach breach, std::vector<BoundBreach>& breaches) {
  for (BoundBreach& known : breaches) {
    if (known.parameter != breach.parameter || known.key != breach.key) continue;
    const bool is_tighter =
        is_lower(known.key.c_str()) ? breach.bound > known.bound : breach.bound < known.bound;
    if (is_tighter) known = std::move(breach);
    return;
  }
  breaches.push_back(std::move(breach));
}

void describe(const graph::Program& program, const Tape& tape, const FiniteWatch& watch,
              FiniteReport& report) {
  const Reporter reporter(program, tape);
  report.num_calls = watch.num_calls();
  if (watch.first_nan()) report.first_nan = reporter.report(*watch.first_nan());
  for (const auto& seen : watch.infinities()) report.infinities.push_back(reporter.report(seen));
  for (const auto& seen : watch.breaches()) {
    std::optional<BoundBreach> breach = reporter.report(seen);
    if (breach) add_breach(std::move(*breach), report.breaches);
  }
}

}  // namespace

bool NonFiniteCall::are_arguments_finite() const {
  return std::all_of(arguments.begin(), arguments.end(),
                     [](const ElementFacts& facts) { return facts.is_finite(); });
}

base::Result<FiniteReport> find_non_finite(const graph::Program& program,
                                           const std::vector<EngineArgument>& arguments) {
  FiniteReport report;
  GN_RETURN_IF_ERROR(guarded([&] {
    const c10::InferenceMode inference(true);
    const DefaultTypeGuard default_type(program.default_dtype);
    std::vector<at::Tensor> tensors;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      tensors.push_back(wrap(arguments[i]));
      if (is_finite(tensors[i])) continue;
      report.arguments.push_back(facts_of(tensors[i], program.parameters[i].name));
    }
    FiniteWatch watch;
    Tracer tracer(program, tensors, &watch);
    const std::vector<at::Tensor> outputs = tracer.run();
    report.num_outputs = outputs.size();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (is_finite(outputs[i])) continue;
      report.output_indices.push_back(i);
      report.outputs.push_back(facts_of(outputs[i], ""));
    }
    const Tape tape = tracer.take_tape();
    describe(program, tape, watch, report);
  }));
  return report;
}

}  // namespace graphnet::eager
