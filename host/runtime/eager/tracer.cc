// SPDX-License-Identifier: MIT
#include "eager/tracer.h"

#include <limits>
#include <stdexcept>
#include <utility>

#include "base/dtype.h"
#include "eager/attribute.h"
#include "eager/call_table.h"
#include "eager/scalar_type.h"
#include "eager/tape_flow.h"
#include "eager/trace_error.h"
#include "eager/vector_math.h"

namespace graphnet::eager {

using graph::Expression;
using graph::ExpressionKind;
using graph::Statement;
using graph::StatementKind;

Tracer::Tracer(const graph::Program& program, const std::vector<at::Tensor>& arguments,
               CallExecutor* executor, c10::Device device)
    : program_(program),
      arguments_(arguments),
      executor_(executor),
      device_(device),
      variables_(program.variables.size()),
      tape_(arguments.size()) {
  resolve_vector_math();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    variables_[i] = Value::from_tensor(arguments[i], static_cast<Slot>(i), &host_reads_);
  }
}

namespace {

void collect_tensors(const Value& value, std::vector<Value>& tensors) {
  if (value.is_tensor()) tensors.push_back(value);
  for (const Value& item : value.items) collect_tensors(item, tensors);
}

std::string with_position(const graph::Program& program, const Statement& statement,
                          const std::string& message) {
  return graph::format_position(program, statement.position) + ": " + message;
}

}  // namespace

std::vector<at::Tensor> Tracer::run() {
  for (std::size_t i = 0; i < program_.statements.size(); ++i) {
    const Statement& statement = program_.statements[i];
    if (watch_) watch_(i, variables_);
    try {
      execute(statement);
    } catch (const TraceError& error) {
      throw TraceError(error.code(), with_position(program_, statement, error.what()));
    } catch (const c10::Error& error) {
      throw TraceError(base::Code::kEnvironment,
                       with_position(program_, statement, error.what_without_backtrace()));
    } catch (const std::runtime_error& error) {
      // c10's word for a number that does not fit an element type.
      throw TraceError(base::Code::kEnvironment, with_position(program_, statement, error.what()));
    }
  }
  if (watch_) watch_(program_.statements.size(), variables_);
  std::vector<Value> results;
  for (const graph::VariableId id : program_.results) {
    collect_tensors(variables_[static_cast<std::size_t>(id)], results);
  }
  std::vector<Slot> slots;
  std::vector<at::Tensor> tensors;
  for (const Value& value : results) {
    slots.push_back(value.slot);
    tensors.push_back(value.tensor);
  }
  // Before sealing, which forgets results that no call reads.
  host_read_arguments_ = needed_for(tape_, {host_reads_.begin(), host_reads_.end()}).arguments;
  tape_.seal(slots);
  variables_.clear();
  return tensors;
}

void Tracer::execute(const Statement& statement) {
  position_ = statement.position;
  switch (statement.kind) {
    case StatementKind::kRelease:
      for (const graph::VariableId id : statement.released) {
        variables_[static_cast<std::size_t>(id)] = Value::none();
      }
      return;
    case StatementKind::kAssign:
      variables_[static_cast<std::size_t>(statement.target)] = evaluate(statement.value);
      return;
    case StatementKind::kAugmented: {
      Value& target = variables_[static_cast<std::size_t>(statement.target)];
      target = augmented(statement.text, target, evaluate(statement.value));
      return;
    }
    case StatementKind::kSetItem:
      set_item(variables_[static_cast<std::size_t>(statement.target)], evaluate(statement.index),
               evaluate(statement.value));
      return;
  }
}

std::vector<Value> Tracer::evaluate_all(const std::vector<Expression>& expressions) {
  std::vector<Value> values;
  values.reserve(expressions.size());
  for (const Expression& expression : expressions) values.push_back(evaluate(expression));
  return values;
}

namespace {

Value slice_of(std::vector<Value> bounds) {
  Value slice = Value::tuple(std::move(bounds));
  slice.kind = Value::Kind::kSlice;
  return slice;
}

Value ellipsis() {
  Value value;
  value.kind = Value::Kind::kEllipsis;
  return value;
}

}  // namespace

Value Tracer::evaluate(const Expression& e) {
  switch (e.kind) {
    case ExpressionKind::kNone:
      return Value::none();
    case ExpressionKind::kBool:
      return Value::boolean(e.integer != 0);
    case ExpressionKind::kInteger:
      return Value::from_integer(e.integer);
    case ExpressionKind::kFloat:
      return Value::from_float(e.number);
    case ExpressionKind::kString:
      return Value::string(e.text);
    case ExpressionKind::kEllipsis:
      return ellipsis();
    case ExpressionKind::kDType:
      return Value::dtype(to_scalar_type(*base::dtype_from_name(e.text)));
    case ExpressionKind::kDevice:
      return Value::device();
    case ExpressionKind::kMemoryFormat:
      return Value::memory_format(memory_format_from_name(e.text));
    case ExpressionKind::kLayout:
      return Value::strided();
    case ExpressionKind::kVariable:
      return variables_[static_cast<std::size_t>(e.variable)];
    case ExpressionKind::kTuple:
      return Value::tuple(evaluate_all(e.children));
    case ExpressionKind::kList:
      return Value::list(evaluate_all(e.children));
    case ExpressionKind::kSlice:
      return slice_of(evaluate_all(e.children));
    case ExpressionKind::kCall:
    case ExpressionKind::kMethod:
      return evaluate_call(e);
    case ExpressionKind::kBinary:
      return binary(e.text, evaluate(e.children[0]), evaluate(e.children[1]));
    case ExpressionKind::kCompare:
      return compare(e.text, evaluate(e.children[0]), evaluate(e.children[1]));
    case ExpressionKind::kUnary:
      return unary(e.text, evaluate(e.children[0]));
    case ExpressionKind::kSubscript:
      return get_item(evaluate(e.children[0]), evaluate(e.children[1]));
    case ExpressionKind::kAttribute:
      return attribute(evaluate(e.children[0]), e.text);
  }
  fail_unsupported("unknown expression");
}

Value Tracer::evaluate_call(const Expression& e) {
  CallArguments arguments;
  for (std::size_t i = 0; i < e.children.size(); ++i) {
    Value value = evaluate(e.children[i]);
    const bool keyword = i < e.keywords.size() && !e.keywords[i].empty();
    if (keyword) {
      arguments.keywords.emplace_back(e.keywords[i], std::move(value));
    } else {
      arguments.positional.push_back(std::move(value));
    }
  }
  const CallTarget target = resolve_call(e);
  if (target.lowering != nullptr) return target.lowering(*this, std::move(arguments));
  if (target.aten_name.empty()) fail_unsupported("unsupported call " + spelling_of(e));
  return call(target.aten_name, std::move(arguments), target.overload);
}

Value Tracer::attribute(const Value& base, const std::string& name) {
  if (!base.is_tensor()) fail_unsupported("attribute ." + name + " of " + base.describe());
  const at::Tensor& tensor = base.tensor;
  if (name == "device") return Value::device();
  if (name == "dtype") return Value::dtype(tensor.scalar_type());
  if (name == "shape") return Value::integers(tensor.sizes());
  if (name == "ndim") return Value::from_integer(tensor.dim());
  if (name == "T") return call_with("aten::numpy_T", base);
  if (name == "mT") return call_with("aten::mT", base);
  if (name == "imag") return call_with("aten::imag", base);
  // Python's .real of a real tensor is the tensor itself; of a complex one the view.
  if (name == "real") return tensor.is_complex() ? call_with("aten::real", base) : base;
  fail_unsupported("unsupported attribute ." + name);
}

void Tracer::execute(const Overload& overload, c10::Stack& stack) {
  if (executor_ != nullptr) return executor_->execute(overload, stack);
  overload.handle.callBoxed(&stack);
}

Value Tracer::constant_tensor(at::Tensor tensor) {
  tensor = tensor.to(device_);
  BoundCall bound;
  bound.overload = &overloads_of("aten::clone").front();
  Instruction instruction{bound.overload->handle, {}, {}, position_};
  Operand source;
  source.constant = tensor;
  instruction.operands = {source, Operand{}};
  c10::Stack stack = {tensor, c10::IValue()};
  execute(*bound.overload, stack);
  Value value = wrap_results(bound, stack, instruction);
  tape_.append(std::move(instruction));
  return value;
}

namespace {

c10::IValue tensor_list(const Operand& operand, const at::Tensor* tensors) {
  c10::List<at::Tensor> list;
  for (std::size_t i = 0; i < operand.slots.size(); ++i) list.push_back(tensors[i]);
  return list;
}

c10::IValue optional_tensor_list(const Operand& operand, const at::Tensor* tensors) {
  c10::List<std::optional<at::Tensor>> list;
  for (std::size_t i = 0; i < operand.slots.size(); ++i) {
    if (tensors[i].defined()) {
      list.push_back(tensors[i]);
    } else {
      list.push_back(std::nullopt);
    }
  }
  return list;
}

c10::Stack make_stack(const BoundCall& call) {
  c10::Stack stack;
  const at::Tensor* next = call.tensors.data();
  for (const Operand& operand : call.operands) {
    switch (operand.kind) {
      case Operand::Kind::kConstant:
        stack.push_back(operand.constant);
        break;
      case Operand::Kind::kTensor:
        stack.emplace_back(*next);
        break;
      case Operand::Kind::kTensorList:
        stack.push_back(tensor_list(operand, next));
        break;
      case Operand::Kind::kOptionalTensorList:
        stack.push_back(optional_tensor_list(operand, next));
        break;
    }
    next += operand.slots.size();
  }
  return stack;
}

Value from_scalar(const c10::Scalar& scalar) {
  if (scalar.isBoolean()) return Value::boolean(scalar.toBool());
  if (scalar.isIntegral(false)) return Value::from_integer(scalar.toLong());
  return Value::from_float(scalar.toDouble());
}

}  // namespace

Value Tracer::call(const std::string& aten_name, CallArguments arguments,
                   const std::string& overload) {
  BoundCall bound = bind_call(aten_name, arguments, overload);
  set_device(bound);
  note_writes(bound);
  note_shape_reads(bound);
  c10::Stack stack = make_stack(bound);
  execute(*bound.overload, stack);
  Instruction instruction{bound.overload->handle, {}, {}, position_};
  Value result = wrap_results(bound, stack, instruction);
  instruction.operands = std::move(bound.operands);
  tape_.append(std::move(instruction));
  return result;
}

void Tracer::set_device(BoundCall& call) const {
  if (device_.is_cpu()) return;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    if (call.overload->parameters[i].type != ParameterType::kDevice) continue;
    c10::IValue& given = call.operands[i].constant;
    const bool is_made_from_nothing = given.isNone() && call.tensors.empty();
    if (given.isDevice() || is_made_from_nothing) given = device_;
  }
}

Value Tracer::wrap_tensor(const at::Tensor& tensor, const BoundCall& call,
                          Instruction& instruction) {
  if (!tensor.defined()) {
    instruction.results.push_back(kNoSlot);
    return Value::none();
  }
  // In-place and identity calls give back an operand itself: keep its slot, as Python keeps the
  // object.
  Slot shared = kNoSlot;
  std::size_t next = 0;
  for (const Operand& operand : call.operands) {
    for (const Slot slot : operand.slots) {
      const at::Tensor& given = call.tensors[next++];
      if (given.is_same(tensor)) {
        instruction.results.push_back(kNoSlot);
        return Value::from_tensor(tensor, slot, &host_reads_);
      }
      if (shared == kNoSlot && given.defined() && given.is_alias_of(tensor)) shared = slot;
    }
  }
  const Slot slot = tape_.new_slot(shared);
  instruction.results.push_back(slot);
  return Value::from_tensor(tensor, slot, &host_reads_);
}

Value Tracer::wrap_results(const BoundCall& call, const c10::Stack& stack,
                           Instruction& instruction) {
  std::vector<Value> values;
  for (const c10::IValue& result : stack) {
    if (result.isTensor()) {
      values.push_back(wrap_tensor(result.toTensor(), call, instruction));
    } else if (result.isTensorList()) {
      std::vector<Value> items;
      for (const at::Tensor& item : result.toTensorVector()) {
        items.push_back(wrap_tensor(item, call, instruction));
      }
      values.push_back(Value::tuple(std::move(items)));
    } else if (result.isScalar()) {
      for (const Operand& operand : call.operands) {
        host_reads_.insert(operand.slots.begin(), operand.slots.end());
      }
      values.push_back(from_scalar(result.toScalar()));
    } else {
      fail_unsupported("result type " + result.tagKind() + " of " + call.overload->name);
    }
  }
  return values.size() == 1 ? std::move(values[0]) : Value::tuple(std::move(values));
}

// The extents of the results follow from values, which is as if the host had read them.
void Tracer::note_shape_reads(const BoundCall& call) {
  if (!call.overload->handle.hasTag(at::Tag::dynamic_output_shape)) return;
  const bool is_index = call.overload->name == "aten::index.Tensor";
  std::size_t next = 0;
  for (const Operand& operand : call.operands) {
    for (const Slot slot : operand.slots) {
      const at::Tensor& tensor = call.tensors[next++];
      // Of an index, only masks decide how many elements there are.
      const bool is_mask = tensor.defined() && (tensor.scalar_type() == at::ScalarType::Bool ||
                                                tensor.scalar_type() == at::ScalarType::Byte);
      const bool decides = is_index ? is_mask && &operand != &call.operands[0] : true;
      if (decides && slot != kNoSlot) host_reads_.insert(slot);
    }
  }
}

void Tracer::note_writes(const BoundCall& call) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < call.operands.size(); ++i) {
    const SchemaParameter& parameter = call.overload->parameters[i];
    const bool written =
        parameter.written ||
        (parameter.written_if && call.operands[*parameter.written_if].constant.toBool());
    for (std::size_t k = 0; k < call.operands[i].slots.size(); ++k, ++next) {
      if (!written || !call.tensors[next].defined()) continue;
      for (std::size_t a = 0; a < arguments_.size(); ++a) {
        if (originals_.count(a) == 0 && call.tensors[next].is_alias_of(arguments_[a])) {
          originals_.emplace(a, arguments_[a].clone());
        }
      }
    }
  }
}

}  // namespace graphnet::eager
