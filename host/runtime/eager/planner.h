// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/result.h"
#include "eager/engine.h"
#include "graph/call_list.h"
#include "graph/program.h"

namespace graphnet::eager {

/// Tensors with more elements are never computed while planning.
inline constexpr std::int64_t kMostKnownElements = 4096;

/// An argument of forward() as metadata describes it.
struct PlanArgument {
  base::DType dtype = base::DType::kFloat32;
  std::vector<std::int64_t> shape;
  /// Its elements if they are known and few (literals), dense row-major, borrowed for the call;
  /// null: unknown.
  void* known = nullptr;
  bool is_weight = false;  ///< the same in every call, so that work on it alone may be done once
};

/// One tensor that a call of the program gives.
struct CallShape {
  std::string name;  ///< of the operator, "aten::add.Tensor"
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  ///< in elements
  double flop = 0;                    ///< of the whole call, for each of its results
};

/// What running a program takes, known before any of its data exists.
///
/// units    bytes saturate at 2^63 - 1
struct Plan {
  std::int64_t argument_bytes = 0;
  std::int64_t output_bytes = 0;  ///< dense
  /// Largest set of results that are alive at once in a replay, outputs included, workspaces inside
  /// operators not; see call_recorder.h.
  std::int64_t peak_live_bytes = 0;
  double flop = 0;  ///< of one call; see flop_count.h
  /// What no implementation gets around; see live_cost.h for what the three leave out.
  double live_flop = 0;
  double live_product_flop = 0;
  std::int64_t must_move_bytes = 0;
  std::size_t num_calls = 0;
  std::vector<std::string> notes;  ///< one sentence each
  /// Why the numbers but argument_bytes are not known; empty: they are. With the location in
  /// model.py.
  std::string unknown;
};

/// Traces a program on the Meta device. Takes milliseconds and no memory to speak of, whatever the
/// shapes say.
///
/// shapes   arguments: one per parameter, in signature order
/// order    `shapes`, if given, gets every result in call order
/// errors   none: what cannot be planned is Plan::unknown
Plan plan_program(const graph::Program& program, const std::vector<PlanArgument>& arguments,
                  std::vector<CallShape>* shapes = nullptr);

/// The calls of a program as a trace on the Meta device finds them: what a normal form starts from,
/// without data of random numbers.
///
/// shapes   as plan_program()
/// errors   kUnsupported with the reason if the program cannot be planned
base::Result<graph::CallList> plan_calls(const graph::Program& program,
                                         const std::vector<PlanArgument>& arguments);

/// The same numbers and shapes from a real run, to check plans by; no argument counts as a weight.
///
/// errors   as Engine::run()
base::Result<Plan> measure_program(const graph::Program& program,
                                   const std::vector<EngineArgument>& arguments,
                                   std::vector<CallShape>* shapes = nullptr);

}  // namespace graphnet::eager
