// SPDX-License-Identifier: MIT
#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "eager/binding.h"
#include "eager/call_executor.h"
#include "eager/tape.h"
#include "eager/value.h"
#include "graph/program.h"

namespace graphnet::eager {

/// Runs a program statement by statement with Python's semantics and records every operator call.
///
/// The traced run is a real run: its results are those of the program. Replaying the tape repeats
/// the same operator calls without names, overload choice or host arithmetic.
class Tracer {
 public:
  /// `executor` runs the calls; null: the operators themselves. Every device that the program names
  /// means `device`, and what it makes from nothing is made there, as with upstream's rewriting of
  /// devices and its default device.
  ///
  /// shapes   arguments: one tensor per parameter, in signature order, all on `device`
  Tracer(const graph::Program& program, const std::vector<at::Tensor>& arguments,
         CallExecutor* executor = nullptr, c10::Device device = c10::Device(c10::kCPU));

  /// Runs the program; returns its outputs, nested tuples flattened.
  ///
  /// errors   TraceError with position in the message, or libtorch's exceptions
  std::vector<at::Tensor> run();

  /// Called before each statement with its number, and once with the number of statements behind
  /// the last, with what the variables hold.
  using StatementWatch = std::function<void(std::size_t, const std::vector<Value>&)>;
  void watch_statements(StatementWatch watch) { watch_ = std::move(watch); }

  Tape take_tape() { return std::move(tape_); }
  /// Copies of the arguments that the program writes to, by position, as they were before.
  std::map<std::size_t, at::Tensor> take_originals() { return std::move(originals_); }

  /// Arguments that values depend on which the host read, or which extents follow from; after
  /// run().
  ///
  /// shapes   one per argument
  const std::vector<bool>& host_read_arguments() const { return host_read_arguments_; }

  /// Calls an ATen operator by name ("aten::relu"), records it, and gives its result: a tensor, a
  /// tuple of results, a list of tensors or a Python number.
  /// `overload`: as bind_call().
  Value call(const std::string& aten_name, CallArguments arguments,
             const std::string& overload = {});

  /// call() with positional arguments only.
  template <typename... Values>
  Value call_with(const std::string& aten_name, Values&&... values) {
    CallArguments arguments;
    (arguments.positional.push_back(std::forward<Values>(values)), ...);
    return call(aten_name, std::move(arguments));
  }

  /// A tensor made on the host (a literal); constant in the tape.
  Value constant_tensor(at::Tensor tensor);

  // Python operators on values of any kind; defined in operators.cc.
  Value binary(const std::string& symbol, const Value& left, const Value& right);
  Value augmented(const std::string& symbol, const Value& target, const Value& value);
  Value compare(const std::string& symbol, const Value& left, const Value& right);
  Value unary(const std::string& symbol, const Value& operand);

  // Indexing; defined in indexing.cc.
  Value get_item(const Value& base, const Value& index);
  void set_item(const Value& base, const Value& index, const Value& value);

  /// Things that a reader of the result should know; see Engine::notes().
  std::set<std::string> notes;

  /// Deepest vmap level seen in the current region; see vmap_calls.cc.
  int vmap_depth = 0;

 private:
  void execute(const graph::Statement& statement);
  Value evaluate(const graph::Expression& expression);
  Value evaluate_call(const graph::Expression& expression);
  Value attribute(const Value& base, const std::string& name);
  std::vector<Value> evaluate_all(const std::vector<graph::Expression>& expressions);
  void set_device(BoundCall& call) const;
  void note_writes(const BoundCall& call);
  void note_shape_reads(const BoundCall& call);
  void execute(const Overload& overload, c10::Stack& stack);
  Value wrap_results(const BoundCall& call, const c10::Stack& stack, Instruction& instruction);
  Value wrap_tensor(const at::Tensor& tensor, const BoundCall& call, Instruction& instruction);

  const graph::Program& program_;
  const std::vector<at::Tensor>& arguments_;
  CallExecutor* executor_;
  StatementWatch watch_;
  c10::Device device_;
  std::set<Slot> host_reads_;
  std::vector<bool> host_read_arguments_;
  std::vector<Value> variables_;
  graph::Position position_;  ///< of the statement that runs
  Tape tape_;
  std::map<std::size_t, at::Tensor> originals_;
};

}  // namespace graphnet::eager
