// SPDX-License-Identifier: MIT
#include "eager/write_copies.h"

#include <ATen/core/List.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "eager/tape_flow.h"

namespace graphnet::eager {

namespace {

/// By memory: the last call that writes to it.
std::map<Slot, std::size_t> last_writes(const Tape& tape) {
  std::map<Slot, std::size_t> last;
  const auto& instructions = tape.instructions();
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    for (std::size_t k = 0; k < instructions[i].operands.size(); ++k) {
      if (!is_written(instructions[i], k)) continue;
      for (const Slot slot : instructions[i].operands[k].slots) {
        if (slot != kNoSlot) last[tape.owner(slot)] = i;
      }
    }
  }
  return last;
}

void add_tensors(const c10::IValue& value, std::vector<at::Tensor>& tensors) {
  if (value.isTensor() && value.toTensor().defined()) tensors.push_back(value.toTensor());
  if (!value.isTensorList()) return;
  for (const at::Tensor& item : value.toTensorVector()) tensors.push_back(item);
}

std::vector<at::Tensor> tensors_of(const c10::Stack& stack) {
  std::vector<at::Tensor> tensors;
  for (const c10::IValue& value : stack) add_tensors(value, tensors);
  return tensors;
}

/// Those that a call leaves as they are.
std::vector<at::Tensor> only_read(const Overload& overload, const c10::Stack& stack) {
  std::vector<at::Tensor> tensors;
  for (std::size_t i = 0; i < stack.size(); ++i) {
    if (!overload.parameters[i].written) add_tensors(stack[i], tensors);
  }
  return tensors;
}

bool share_memory(const std::vector<at::Tensor>& some, const std::vector<at::Tensor>& others) {
  return std::any_of(some.begin(), some.end(), [&](const at::Tensor& one) {
    return std::any_of(others.begin(), others.end(),
                       [&](const at::Tensor& other) { return one.is_alias_of(other); });
  });
}

bool is_differentiated(const std::vector<at::Tensor>& tensors) {
  return at::GradMode::is_enabled() &&
         std::any_of(tensors.begin(), tensors.end(),
                     [](const at::Tensor& one) { return one.requires_grad(); });
}

bool is_write_to_saved(const c10::Error& error) {
  const std::string message = error.what_without_backtrace();
  return message.find("has been modified by an inplace operation") != std::string::npos;
}

}  // namespace

void WriteCopies::execute(const Overload& overload, c10::Stack& stack) {
  const std::size_t call = next_++;
  const std::vector<at::Tensor> given = only_read(overload, stack);
  const bool copies = is_differentiated(tensors_of(stack));
  for (auto place = operands_.lower_bound({call, 0});
       copies && place != operands_.end() && place->first == call; ++place) {
    stack[place->second] = stack[place->second].toTensor().clone();
  }
  overload.handle.callBoxed(&stack);
  if (!is_noted_ && share_memory(given, tensors_of(stack))) aliases_.insert(call);
  if (!copies || results_.count(call) == 0) return;
  for (c10::IValue& result : stack) {
    if (result.isTensor() && result.toTensor().defined()) result = result.toTensor().clone();
  }
}

void WriteCopies::note(const Tape& tape) {
  if (std::exchange(is_noted_, true)) return;
  const std::map<Slot, std::size_t> last = last_writes(tape);
  const auto& instructions = tape.instructions();
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    if (aliases_.count(i) > 0) continue;
    const auto is_written_later = [&](Slot slot) {
      const auto found = slot == kNoSlot ? last.end() : last.find(tape.owner(slot));
      return found != last.end() && found->second > i;
    };
    const auto& results = instructions[i].results;
    if (std::any_of(results.begin(), results.end(), is_written_later)) results_.insert(i);
    const auto& operands = instructions[i].operands;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (operands[k].kind != Operand::Kind::kTensor || is_written(instructions[i], k)) continue;
      if (is_written_later(operands[k].slots[0])) operands_.emplace(i, k);
    }
  }
}

void with_write_copies(const std::function<void(WriteCopies& copies)>& attempt) {
  WriteCopies copies;
  try {
    return attempt(copies);
  } catch (const c10::Error& error) {
    if (!is_write_to_saved(error) || !copies.has_copies()) throw;
  }
  attempt(copies);
}

}  // namespace graphnet::eager
