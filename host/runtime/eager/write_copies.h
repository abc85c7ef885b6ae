// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <utility>

#include "eager/call_executor.h"
#include "eager/tape.h"

namespace graphnet::eager {

/// Gives a backward pass to a program that writes to what autograd saved: calls read, and give,
/// copies of tensors that a later call writes to, so that what was saved stays. Derivatives are the
/// same: those of a copy are 1.
///
/// order    the calls of a whole run, note(), then those of another run of the same program
class WriteCopies final : public CallExecutor {
 public:
  /// A run begins.
  void begin() { next_ = 0; }
  void execute(const Overload& overload, c10::Stack& stack) override;

  /// Decides from the first run what the next one copies; later calls change nothing.
  void note(const Tape& tape);
  bool has_copies() const { return !operands_.empty() || !results_.empty(); }

 private:
  bool is_noted_ = false;
  std::size_t next_ = 0;                                    ///< call
  std::set<std::size_t> aliases_;                           ///< calls that give memory they read
  std::set<std::pair<std::size_t, std::size_t>> operands_;  ///< call and argument
  std::set<std::size_t> results_;                           ///< calls
};

/// Calls `attempt` without copies, and again with copies if autograd had saved what the program
/// then wrote to. `attempt` runs the program with `copies` and notes its tape.
///
/// errors   throws as `attempt`
void with_write_copies(const std::function<void(WriteCopies& copies)>& attempt);

}  // namespace graphnet::eager
