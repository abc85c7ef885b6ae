// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "eager/tape.h"

namespace graphnet::eager {

/// Which values of a tape depend on which others. Tensors that share memory count as one value, so
/// that writes through views are seen; a value that is overwritten whole keeps its former
/// dependences. Both answers err on the side of "depends".
///
/// shapes   instructions: [tape.instructions()]; arguments: [tape.num_arguments()]
struct TapeFlow {
  std::vector<bool> instructions;
  std::vector<bool> arguments;
};

/// Whether a call writes to the memory of an operand; what its schema conceals included.
bool is_written(const Instruction& instruction, std::size_t operand);

/// What the values in `wanted` depend on; kNoSlot is skipped. A sealed tape has forgotten the
/// results that no call reads.
TapeFlow needed_for(const Tape& tape, const std::vector<Slot>& wanted);

/// What depends on the arguments in `changed`, random draws included; of the arguments those and
/// the written ones.
///
/// shapes   changed: [tape.num_arguments()]
TapeFlow affected_by(const Tape& tape, const std::vector<bool>& changed);

}  // namespace graphnet::eager
