// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tvm_plugin/kernel_module.h"

namespace graphnet::tvm {

/// Where an argument comes from; `kConstant`: from the graph.
enum class ArgumentSource : std::uint8_t { kInput, kWeight, kConstant };

/// A value that calls read or make, or that the graph returns.
struct StoredValue {
  bool is_argument = false;                        ///< false: a call makes it
  ArgumentSource source = ArgumentSource::kInput;  ///< if is_argument; `index` likewise
  std::uint32_t index = 0;                         ///< kConstant: in CallPlan::constants
  Type type = Type::kF32;
  Shape shape;    ///< as the graph has it
  Shape storage;  ///< of its buffer, never 0-d
};

/// What running a compiled program takes beside its code: which calls, and which tensor goes where.
/// Values are named by their position in `values`.
struct CallPlan {
  std::vector<StoredValue> values;
  std::vector<KernelCall> bind;
  std::vector<KernelCall> main;
  std::vector<std::int32_t> outputs;
  std::vector<lowering::SharedBytes> constants;
  std::map<std::string, std::int64_t> kernels_by_rule;  ///< for `info`
};

CallPlan make_call_plan(const ir::Graph& graph, const KernelPlan& kernels,
                        const KernelModule& module);

std::size_t bytes_of(const StoredValue& value);

/// Holds a plan that was read from bytes to what make_call_plan gives: positions exist, sizes can
/// be, constants have their bytes, each value is made once and before it is read.
///
/// errors   what is wrong with it; empty: nothing
std::string flaw_of(const CallPlan& plan);

}  // namespace graphnet::tvm
