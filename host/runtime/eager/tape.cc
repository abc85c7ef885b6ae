// SPDX-License-Identifier: MIT
#include "eager/tape.h"

#include <ATen/core/List.h>

#include <unordered_set>
#include <utility>

namespace graphnet::eager {

void Tape::seal(const std::vector<Slot>& results) {
  results_ = results;
  std::unordered_set<Slot> read(results.begin(), results.end());
  for (std::size_t i = instructions_.size(); i-- > 0;) {
    Instruction& instruction = instructions_[i];
    for (Slot& result : instruction.results) {
      if (read.count(result) == 0) result = kNoSlot;
    }
    // An operand that appears twice in one call is freed by its last appearance.
    for (std::size_t k = instruction.operands.size(); k-- > 0;) {
      Operand& operand = instruction.operands[k];
      operand.last_uses.assign(operand.slots.size(), false);
      for (std::size_t j = operand.slots.size(); j-- > 0;) {
        const Slot slot = operand.slots[j];
        if (slot >= static_cast<Slot>(num_arguments_)) {
          operand.last_uses[j] = read.insert(slot).second;
        }
      }
    }
    settle(instruction);
  }
  values_.resize(num_slots() - num_arguments_);
}

void Tape::settle(Instruction& instruction) {
  if (instruction.results.size() != 1) return;
  std::vector<TypedOperand> operands;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind != Operand::Kind::kConstant && operand.kind != Operand::Kind::kTensor) return;
    const bool is_tensor = operand.kind == Operand::Kind::kTensor;
    operands.push_back({is_tensor, &operand.constant});
    if (!is_tensor) continue;
    instruction.tensors.push_back(operand.slots[0]);
    if (operand.last_uses[0]) instruction.freed.push_back(operand.slots[0]);
  }
  instruction.typed = make_typed_call(instruction.handle, operands);
}

void Tape::call_typed(const Instruction& instruction, const std::vector<at::Tensor>& arguments) {
  tensors_.clear();
  for (const Slot slot : instruction.tensors) {
    const auto index = static_cast<std::size_t>(slot);
    tensors_.push_back(index < num_arguments_ ? &arguments[index] : &value(slot));
  }
  at::Tensor result = instruction.typed(tensors_.data());
  for (const Slot slot : instruction.freed) value(slot).reset();
  if (instruction.results[0] != kNoSlot) value(instruction.results[0]) = std::move(result);
}

at::Tensor Tape::take(Slot slot, bool last_use, const std::vector<at::Tensor>& arguments) {
  const auto index = static_cast<std::size_t>(slot);
  if (index < num_arguments_) return arguments[index];
  at::Tensor& value = values_[index - num_arguments_];
  if (last_use) return std::move(value);
  return value;
}

void Tape::push(const Operand& operand, const std::vector<at::Tensor>& arguments) {
  switch (operand.kind) {
    case Operand::Kind::kConstant:
      stack_.push_back(operand.constant);
      return;
    case Operand::Kind::kTensor:
      stack_.emplace_back(take(operand.slots[0], operand.last_uses[0], arguments));
      return;
    case Operand::Kind::kTensorList: {
      c10::List<at::Tensor> list;
      list.reserve(operand.slots.size());
      for (std::size_t i = 0; i < operand.slots.size(); ++i) {
        list.push_back(take(operand.slots[i], operand.last_uses[i], arguments));
      }
      stack_.emplace_back(std::move(list));
      return;
    }
    case Operand::Kind::kOptionalTensorList: {
      c10::List<std::optional<at::Tensor>> list;
      list.reserve(operand.slots.size());
      for (std::size_t i = 0; i < operand.slots.size(); ++i) {
        if (operand.slots[i] == kNoSlot) {
          list.push_back(std::nullopt);
        } else {
          list.push_back(take(operand.slots[i], operand.last_uses[i], arguments));
        }
      }
      stack_.emplace_back(std::move(list));
      return;
    }
  }
}

void Tape::store(const Instruction& instruction) {
  std::size_t next = 0;
  for_each_result(stack_, [&](const at::Tensor& tensor) {
    const Slot slot = instruction.results[next++];
    if (slot != kNoSlot) values_[static_cast<std::size_t>(slot) - num_arguments_] = tensor;
  });
}

void Tape::call_boxed(const Instruction& instruction, const std::vector<at::Tensor>& arguments) {
  stack_.clear();
  for (const Operand& operand : instruction.operands) push(operand, arguments);
  instruction.handle.callBoxed(&stack_);
  // The common case of one result is moved, not copied.
  if (instruction.results.size() != 1 || stack_.size() != 1 || !stack_[0].isTensor()) {
    store(instruction);
  } else if (instruction.results[0] != kNoSlot) {
    value(instruction.results[0]) = std::move(stack_[0]).toTensor();
  }
}

std::vector<at::Tensor> Tape::replay(const std::vector<at::Tensor>& arguments) {
  for (const Instruction& instruction : instructions_) {
    if (instruction.typed) {
      call_typed(instruction, arguments);
    } else {
      call_boxed(instruction, arguments);
    }
  }
  stack_.clear();
  std::vector<at::Tensor> results;
  results.reserve(results_.size());
  for (const Slot slot : results_) results.push_back(take(slot, false, arguments));
  for (const Slot slot : results_) {
    if (static_cast<std::size_t>(slot) >= num_arguments_) {
      values_[static_cast<std::size_t>(slot) - num_arguments_] = at::Tensor();
    }
  }
  return results;
}

}  // namespace graphnet::eager
