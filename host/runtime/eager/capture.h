// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "eager/call_executor.h"
#include "eager/tape.h"
#include "graph/call_list.h"
#include "graph/program.h"

namespace graphnet::eager {

/// A tensor that a call gave.
struct ObservedResult {
  at::ScalarType type = at::ScalarType::Undefined;
  std::vector<std::int64_t> sizes;
  /// The argument that it is, and which of its tensors; -1 if it is another tensor object.
  std::int32_t same_argument = -1;
  std::int32_t same_element = 0;
  at::Tensor drawn;  ///< a copy of what a random call gave, if its content is known
};

/// What one call of the traced run did that its instruction does not say.
struct ObservedCall {
  std::vector<ObservedResult> results;
  bool draws = false;  ///< takes random numbers
};

/// Has calls run, by another executor if one is given, and keeps what a graph must know of them.
class CallObserver final : public CallExecutor {
 public:
  explicit CallObserver(CallExecutor* inner = nullptr) : inner_(inner) {}
  void execute(const Overload& overload, c10::Stack& stack) override;
  std::vector<ObservedCall> take_calls() { return std::move(calls_); }

 private:
  CallExecutor* inner_;
  std::vector<ObservedCall> calls_;
};

/// What a traced program is besides its tape.
struct CapturedProgram {
  const graph::Program& program;
  const Tape& tape;                        ///< sealed
  const std::vector<ObservedCall>& calls;  ///< one per instruction
  const std::vector<at::Tensor>& arguments;
  const std::vector<bool>& host_read;  ///< Tracer::host_read_arguments()
  const std::vector<bool>& is_weight;  ///< one per argument
};

/// The calls of a traced program without libtorch's types. Numbers that stand where a schema has a
/// tensor select its Scalar overload, or become constants of the type in which the call computes.
///
/// errors   TraceError kUnsupported for what a graph cannot hold
graph::CallList to_call_list(const CapturedProgram& captured);

}  // namespace graphnet::eager
