// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shim.h"

namespace graphnet::inductor {

/// Calls of operators that compiled code leaves to whoever calls it, because libtorch's C interface
/// has no function for them. They go to libtorch's dispatcher.
///
/// An object of this class takes the place of libtorch's `ProxyExecutor`, whose only other class is
/// not exported: the order of the virtual functions is that of the class there.
///
/// source   torch/csrc/inductor/aoti_torch/proxy_executor.h, torch/csrc/stable/c/shim.h
class ExternCalls {
 public:
  /// `text` is what compile.py writes: a line for each call, with operator, overload or "-", number
  /// of results, then a word for each argument of the schema. `tensor` and `int` are the next ones
  /// of the call, `tensors:N` and `ints:N` lists of them, `value:X` 64 bits in hexadecimal, `none`
  /// an absent optional one. A `?` before another word says that the argument is optional.
  ///
  /// errors   Failure INVALID_ARGUMENT: the text is something else
  explicit ExternCalls(std::string_view text);
  ExternCalls(const ExternCalls&) = delete;
  ExternCalls& operator=(const ExternCalls&) = delete;
  virtual ~ExternCalls() = default;

  /// `tensors` holds the operands, then the objects that become the results. Called by compiled
  /// code through libtorch, which catches what is thrown.
  ///
  /// errors   Failure RUNTIME_FAILED: the operator fails; INTERNAL: other arguments than compiled
  virtual void call(int number, int num_ints, std::int64_t* ints, int num_tensors, Tensor* tensors);

 private:
  enum class Kind { kTensor, kTensors, kInt, kInts, kValue, kNone };
  struct Argument {
    Kind kind = Kind::kNone;
    bool is_optional = false;
    std::uint64_t number = 0;  ///< length of a list, or bits of a value
  };
  struct Call {
    std::string name;
    std::string overload;
    std::size_t num_results = 0;
    std::vector<Argument> arguments;
    std::size_t num_tensors = 0;  ///< that the arguments take
    std::size_t num_ints = 0;
  };
  struct Given;

  static Argument read_argument(std::string_view word);
  static Call read_call(std::string_view line);
  static std::uint64_t bits_of(const Argument& argument, Given& given);

  std::vector<Call> calls_;
};

}  // namespace graphnet::inductor
