// SPDX-License-Identifier: MIT
#include "eager/tape_flow.h"

#include <algorithm>
#include <cstddef>

#include "graph/running_statistics.h"

namespace graphnet::eager {

bool is_written(const Instruction& instruction, std::size_t operand) {
  const c10::FunctionSchema& schema = instruction.handle.schema();
  const c10::Argument& argument = schema.arguments()[operand];
  if (argument.alias_info() != nullptr && argument.alias_info()->isWrite()) return true;
  const std::string_view flag = graph::statistics_flag(schema.name(), argument.name());
  if (flag.empty()) return false;
  const auto index = schema.argumentIndexWithName(flag);
  return index && instruction.operands[static_cast<std::size_t>(*index)].constant.toBool();
}

namespace {

/// Values by the memory they are in.
class Values {
 public:
  explicit Values(const Tape& tape) : tape_(tape), members_(tape.num_slots(), false) {}

  void insert(Slot slot) {
    if (slot != kNoSlot) members_[static_cast<std::size_t>(tape_.owner(slot))] = true;
  }
  bool contains(Slot slot) const {
    return slot != kNoSlot && members_[static_cast<std::size_t>(tape_.owner(slot))];
  }
  bool contains_any(const std::vector<Slot>& slots) const {
    return std::any_of(slots.begin(), slots.end(), [this](Slot slot) { return contains(slot); });
  }
  std::vector<bool> arguments() const {
    return {members_.begin(),
            members_.begin() + static_cast<std::ptrdiff_t>(tape_.num_arguments())};
  }

 private:
  const Tape& tape_;
  std::vector<bool> members_;
};

/// Slots that an instruction gives a value: its results and what it writes to.
std::vector<Slot> given_by(const Instruction& instruction) {
  std::vector<Slot> given = instruction.results;
  for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
    if (!is_written(instruction, i)) continue;
    const std::vector<Slot>& slots = instruction.operands[i].slots;
    given.insert(given.end(), slots.begin(), slots.end());
  }
  return given;
}

}  // namespace

TapeFlow needed_for(const Tape& tape, const std::vector<Slot>& wanted) {
  const std::vector<Instruction>& instructions = tape.instructions();
  TapeFlow flow{std::vector<bool>(instructions.size(), false), {}};
  Values needed(tape);
  for (const Slot slot : wanted) needed.insert(slot);
  for (std::size_t i = instructions.size(); i-- > 0;) {
    if (!needed.contains_any(given_by(instructions[i]))) continue;
    flow.instructions[i] = true;
    for (const Operand& operand : instructions[i].operands) {
      for (const Slot slot : operand.slots) needed.insert(slot);
    }
  }
  flow.arguments = needed.arguments();
  return flow;
}

TapeFlow affected_by(const Tape& tape, const std::vector<bool>& changed) {
  const std::vector<Instruction>& instructions = tape.instructions();
  TapeFlow flow{std::vector<bool>(instructions.size(), false), {}};
  Values affected(tape);
  for (std::size_t i = 0; i < changed.size(); ++i) {
    if (changed[i]) affected.insert(static_cast<Slot>(i));
  }
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const Instruction& instruction = instructions[i];
    bool is_affected = instruction.handle.hasTag(at::Tag::nondeterministic_seeded);
    for (const Operand& operand : instruction.operands) {
      is_affected = is_affected || affected.contains_any(operand.slots);
    }
    if (!is_affected) continue;
    flow.instructions[i] = true;
    for (const Slot slot : given_by(instruction)) affected.insert(slot);
  }
  flow.arguments = affected.arguments();
  return flow;
}

}  // namespace graphnet::eager
