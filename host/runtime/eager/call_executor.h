// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/stack.h>

#include "eager/overload.h"

namespace graphnet::eager {

/// What a traced call does: the only interface between Tracer and operators. Without an executor
/// the Tracer runs the operator itself; see call_recorder.h and meta_executor.h for the others.
class CallExecutor {
 public:
  virtual ~CallExecutor() = default;
  /// Replaces the arguments on `stack` (in schema order) by the results.
  ///
  /// order    once for each instruction of the tape, in its order
  virtual void execute(const Overload& overload, c10::Stack& stack) = 0;
};

}  // namespace graphnet::eager
