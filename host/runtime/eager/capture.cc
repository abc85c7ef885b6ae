// SPDX-License-Identifier: MIT
#include "eager/capture.h"

#include <cstring>
#include <string>
#include <utility>

#include "eager/attribute.h"
#include "eager/scalar_type.h"
#include "eager/trace_error.h"
#include "graph/node_builder.h"

namespace graphnet::eager {

namespace {

using graph::Argument;
using graph::Node;
using graph::RecordedNode;
using graph::TensorId;
using graph::Value;
using graph::ValueKind;

bool is_off(const Overload& overload, const c10::Stack& stack) {
  for (std::size_t i = 0; i < stack.size(); ++i) {
    const std::string& name = overload.parameters[i].name;
    if (name == "dropout_p" && stack[i].isDouble() && stack[i].toDouble() == 0) return true;
    if ((name == "train" || name == "training") && stack[i].isBool() && !stack[i].toBool()) {
      return true;
    }
  }
  return false;
}

// Attention and dropout draw only if they drop.
bool does_draw(const Overload& overload, const c10::Stack& stack) {
  return overload.handle.hasTag(at::Tag::nondeterministic_seeded) && !is_off(overload, stack);
}

bool is_this(const c10::IValue& value, const at::Tensor& tensor) {
  return value.isTensor() && value.toTensor().is_same(tensor);
}

void find_same(const c10::Stack& arguments, const at::Tensor& tensor, ObservedResult& result) {
  for (std::size_t i = 0; i < arguments.size() && result.same_argument < 0; ++i) {
    if (is_this(arguments[i], tensor)) result.same_argument = static_cast<std::int32_t>(i);
    if (!arguments[i].isTensorList()) continue;
    const std::vector<at::Tensor> items = arguments[i].toTensorVector();
    for (std::size_t k = 0; k < items.size(); ++k) {
      if (!items[k].is_same(tensor)) continue;
      result.same_argument = static_cast<std::int32_t>(i);
      result.same_element = static_cast<std::int32_t>(k);
      break;
    }
  }
}

ObservedResult observe(const c10::Stack& arguments, const at::Tensor& tensor, bool draws) {
  ObservedResult result;
  if (!tensor.defined()) return result;
  result.type = tensor.scalar_type();
  result.sizes = tensor.sizes().vec();
  find_same(arguments, tensor, result);
  if (draws && !tensor.is_meta()) result.drawn = tensor.clone(at::MemoryFormat::Contiguous);
  return result;
}

base::DType to_dtype(at::ScalarType type) {
  const auto dtype = from_scalar_type(type);
  if (!dtype) fail_unsupported(std::string("a tensor of type ") + c10::toString(type));
  return *dtype;
}

std::vector<std::byte> dense_bytes(const at::Tensor& tensor) {
  const at::Tensor dense = tensor.contiguous().cpu().resolve_conj().resolve_neg();
  std::vector<std::byte> bytes(dense.nbytes());
  if (!bytes.empty()) std::memcpy(bytes.data(), dense.data_ptr(), bytes.size());
  return bytes;
}

Value constant_value(const at::Tensor& tensor) {
  return {ValueKind::kConstant, "", to_dtype(tensor.scalar_type()), tensor.sizes().vec(),
          dense_bytes(tensor)};
}

bool is_number(const c10::IValue& value) {
  return value.isTensor() && value.toTensor().defined() &&
         value.toTensor().unsafeGetTensorImpl()->is_wrapped_number();
}

// The overload that takes argument `index` as a number and the others as they are.
const Overload* scalar_overload(const Overload& overload, std::size_t index) {
  const std::string base = overload.name.substr(0, overload.name.find('.'));
  for (const Overload& other : overloads_of(base)) {
    if (other.parameters.size() != overload.parameters.size()) continue;
    bool fits = true;
    for (std::size_t i = 0; i < other.parameters.size(); ++i) {
      const ParameterType wanted =
          i == index ? ParameterType::kScalar : overload.parameters[i].type;
      fits = fits && other.parameters[i].type == wanted &&
             other.parameters[i].name == overload.parameters[i].name;
    }
    if (fits) return &other;
  }
  return nullptr;
}

const Overload& overload_of(const Instruction& instruction) {
  const std::string name = toString(instruction.handle.operator_name());
  const Overload* overload = find_overload(name);
  if (overload != nullptr) return *overload;
  throw TraceError(base::Code::kInternal, name + " is not among its overloads");
}

class CallListBuilder {
 public:
  explicit CallListBuilder(const CapturedProgram& captured) : captured_(captured) {}

  graph::CallList build() {
    const Tape& tape = captured_.tape;
    for (std::size_t slot = 0; slot < tape.num_slots(); ++slot) {
      list_.tensors.push_back({});
      list_.owners.push_back(tape.owner(static_cast<Slot>(slot)));
    }
    list_.num_parameters = captured_.arguments.size();
    for (std::size_t i = 0; i < list_.num_parameters; ++i) {
      const at::Tensor& argument = captured_.arguments[i];
      const bool is_weight = captured_.is_weight[i];
      list_.tensors[i] = {is_weight ? ValueKind::kWeight : ValueKind::kInput,
                          captured_.program.parameters[i].name, to_dtype(argument.scalar_type()),
                          argument.sizes().vec()};
      if (captured_.host_read[i]) list_.specialised.push_back(static_cast<TensorId>(i));
    }
    for (std::size_t i = 0; i < tape.instructions().size(); ++i) {
      list_.calls.push_back(convert(tape.instructions()[i], captured_.calls.at(i)));
    }
    list_.results = tape.results();
    return std::move(list_);
  }

 private:
  TensorId add_constant(Value value) {
    const auto id = static_cast<TensorId>(list_.tensors.size());
    list_.tensors.push_back(std::move(value));
    list_.owners.push_back(id);
    return id;
  }

  RecordedNode convert(const Instruction& instruction, const ObservedCall& call) {
    const Overload* overload = &overload_of(instruction);
    RecordedNode recorded;
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
      const Operand& operand = instruction.operands[i];
      const Overload* scalar =
          is_number(operand.constant) ? scalar_overload(*overload, i) : nullptr;
      if (scalar != nullptr) overload = scalar;
      arguments.push_back(convert(operand, overload->handle.schema().arguments()[i], call));
      recorded.written.push_back(overload->parameters[i].written);
    }
    recorded.node = {overload->name,
                     where(instruction.position),
                     std::move(arguments),
                     {instruction.results.begin(), instruction.results.end()}};
    add_results(call, recorded);
    settle_dtype(call, recorded.node);
    return recorded;
  }

  // "model.py:12:5", wherever the file is.
  std::string where(graph::Position position) const {
    const std::string text = graph::format_position(captured_.program, position);
    return text.substr(text.rfind('/') + 1);
  }

  Argument convert(const Operand& operand, const c10::Argument& wanted, const ObservedCall& call) {
    const c10::Type& type = *wanted.real_type();
    Argument argument{wanted.name(), Argument::Kind::kAttribute, {}, {}};
    if (operand.kind != Operand::Kind::kConstant) {
      const bool is_list = operand.kind != Operand::Kind::kTensor;
      argument.kind = is_list ? Argument::Kind::kValues : Argument::Kind::kValue;
      argument.values.assign(operand.slots.begin(), operand.slots.end());
    } else if (!operand.constant.isTensor()) {
      argument.attribute = to_attribute(operand.constant, type);
    } else if (to_argument_type(type) == graph::ArgumentType::kScalar) {
      argument.attribute = to_attribute(operand.constant.toTensor().item(), type);
    } else {
      argument.kind = Argument::Kind::kValue;
      argument.values = {add_constant(constant_of(operand.constant.toTensor(), call))};
    }
    return argument;
  }

  // A number takes part in promotion less than a tensor does: it has the result's type already.
  static Value constant_of(const at::Tensor& tensor, const ObservedCall& call) {
    if (!is_number(tensor) || call.results.empty()) return constant_value(tensor);
    return constant_value(tensor.to(call.results[0].type));
  }

  void add_results(const ObservedCall& call, RecordedNode& recorded) {
    for (std::size_t i = 0; i < call.results.size(); ++i) {
      const ObservedResult& result = call.results[i];
      TensorId same = graph::kNoValue;
      if (result.same_argument >= 0) {
        const Argument& argument =
            recorded.node.arguments[static_cast<std::size_t>(result.same_argument)];
        same = argument.values.at(static_cast<std::size_t>(result.same_element));
      }
      recorded.same_as.push_back(same);
      const TensorId id = recorded.node.results[i];
      if (call.draws) recorded.drawn.push_back(drawn_value(result));
      if (id == graph::kNoValue) continue;
      Value& value = list_.tensors[static_cast<std::size_t>(id)];
      value.dtype = to_dtype(result.type);
      value.shape = result.sizes;
    }
  }

  static Value drawn_value(const ObservedResult& result) {
    Value value{ValueKind::kInput, "", to_dtype(result.type), result.sizes};
    if (result.drawn.defined()) value.data = dense_bytes(result.drawn);
    return value;
  }

  // What makes a tensor out of nothing names its type, which else depends on the process.
  static void settle_dtype(const ObservedCall& call, Node& node) {
    bool reads = false;
    graph::for_each_read(node, [&reads](TensorId) { reads = true; });
    if (reads || call.results.size() != 1) return;
    for (Argument& argument : node.arguments) {
      if (argument.name != "dtype") continue;
      argument.attribute = to_dtype(call.results[0].type);
    }
  }

  const CapturedProgram& captured_;
  graph::CallList list_;
};

}  // namespace

void CallObserver::execute(const Overload& overload, c10::Stack& stack) {
  const c10::Stack arguments = stack;
  ObservedCall call;
  call.draws = does_draw(overload, arguments);
  if (inner_ != nullptr) {
    inner_->execute(overload, stack);
  } else {
    overload.handle.callBoxed(&stack);
  }
  for_each_result(stack, [&](const at::Tensor& tensor) {
    call.results.push_back(observe(arguments, tensor, call.draws));
  });
  calls_.push_back(std::move(call));
}

graph::CallList to_call_list(const CapturedProgram& captured) {
  return CallListBuilder(captured).build();
}

}  // namespace graphnet::eager
