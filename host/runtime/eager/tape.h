// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include <cstdint>
#include <vector>

#include "eager/typed_call.h"
#include "eager/value.h"
#include "graph/program.h"

namespace graphnet::eager {

/// One argument of a recorded call.
struct Operand {
  enum class Kind : std::uint8_t { kConstant, kTensor, kTensorList, kOptionalTensorList };
  Kind kind = Kind::kConstant;
  c10::IValue constant;
  std::vector<Slot> slots;      ///< one for kTensor; kNoSlot stands for None in lists
  std::vector<bool> last_uses;  ///< per slot: nothing reads the slot after this instruction
};

/// One recorded operator call.
struct Instruction {
  c10::OperatorHandle handle;
  std::vector<Operand> operands;
  /// Slots of the results in order, lists flattened; kNoSlot if the result is an operand itself
  /// (in-place calls, identity) or is never read.
  std::vector<Slot> results;
  graph::Position position = {};  ///< of the statement that it is part of
  /// The same call without a stack, set by Tape::seal(); empty if the operator has no such entry.
  TypedCall typed = {};
  /// For `typed`: slots of the tensor operands in order, and those among them to free afterwards.
  std::vector<Slot> tensors = {};
  std::vector<Slot> freed = {};
};

/// A program resolved to dispatcher calls: what is left of `model.py` once names, overloads and
/// argument types are settled. Host arithmetic is settled too, so that a replay repeats exactly the
/// operator calls of the traced run, in source order, freeing values at their last use.
///
/// order    instructions in program order
/// errors   replay throws what libtorch throws; the caller is the wall
class Tape {
 public:
  /// `num_arguments` slots belong to arguments and are never freed.
  explicit Tape(std::size_t num_arguments) : num_arguments_(num_arguments) {
    for (std::size_t i = 0; i < num_arguments; ++i) new_slot(kNoSlot);
  }

  /// `shares_with`: a slot whose memory the new one shares (a view), or kNoSlot.
  Slot new_slot(Slot shares_with) {
    const auto slot = static_cast<Slot>(owners_.size());
    owners_.push_back(shares_with == kNoSlot ? slot : owner(shares_with));
    return slot;
  }
  /// The first slot that has the memory of this one; the slot itself if it is no view.
  Slot owner(Slot slot) const { return owners_[static_cast<std::size_t>(slot)]; }
  std::size_t num_slots() const { return owners_.size(); }
  std::size_t num_arguments() const { return num_arguments_; }
  void append(Instruction instruction) { instructions_.push_back(std::move(instruction)); }

  /// Marks last uses and settles typed calls; no append afterwards.
  void seal(const std::vector<Slot>& results);

  /// Runs all instructions; `arguments` are read, results are moved out.
  std::vector<at::Tensor> replay(const std::vector<at::Tensor>& arguments);

  const std::vector<Instruction>& instructions() const { return instructions_; }
  const std::vector<Slot>& results() const { return results_; }

 private:
  static void settle(Instruction& instruction);
  void call_typed(const Instruction& instruction, const std::vector<at::Tensor>& arguments);
  void call_boxed(const Instruction& instruction, const std::vector<at::Tensor>& arguments);
  at::Tensor& value(Slot slot) { return values_[static_cast<std::size_t>(slot) - num_arguments_]; }
  void push(const Operand& operand, const std::vector<at::Tensor>& arguments);
  at::Tensor take(Slot slot, bool last_use, const std::vector<at::Tensor>& arguments);
  void store(const Instruction& instruction);

  std::size_t num_arguments_;
  std::vector<Slot> owners_;  ///< by slot
  std::vector<Instruction> instructions_;
  std::vector<Slot> results_;
  std::vector<at::Tensor> values_;  ///< by slot, without the arguments
  c10::Stack stack_;
  std::vector<const at::Tensor*> tensors_;  ///< of one typed call
};

/// Calls `visit` with every tensor of a boxed result, lists flattened.
template <typename Visit>
void for_each_result(const c10::Stack& stack, Visit visit) {
  for (const c10::IValue& value : stack) {
    if (value.isTensor()) {
      visit(value.toTensor());
    } else if (value.isTensorList()) {
      for (const at::Tensor& item : value.toTensorVector()) visit(item);
    }
  }
}

}  // namespace graphnet::eager
