// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "eager/engine.h"
#include "graph/program.h"

namespace graphnet::eager {

/// What the elements of a tensor are.
struct ElementFacts {
  std::string name;       ///< of the operator's argument or of forward()'s; empty: a result
  std::string parameter;  ///< of forward() whose elements these are; empty: they are computed
  std::string dtype;      ///< "float32"
  std::vector<std::int64_t> shape;
  std::int64_t num_nan = 0;
  std::int64_t num_inf = 0;
  std::optional<double> lowest;   ///< of the finite elements; nothing: none, or complex
  std::optional<double> highest;  ///< as `lowest`

  bool is_finite() const { return num_nan == 0 && num_inf == 0; }
};

/// An operator call that gives NaN or infinity.
struct NonFiniteCall {
  std::string op;                       ///< "aten::batch_norm"
  graph::Position position;             ///< of the statement that it is part of
  std::vector<ElementFacts> arguments;  ///< tensors, as they were before the call
  ElementFacts result;                  ///< the first that is not finite

  bool are_arguments_finite() const;
};

/// An argument of forward() with elements for which an operator that takes it gives NaN or
/// infinity, and the bound of weight_meta.py that would keep them out.
struct BoundBreach {
  std::string parameter;
  std::string op;
  graph::Position position;
  ElementFacts argument;  ///< of the operator
  std::string key;        ///< "min_val" or "max_val"
  double bound = 0;
};

/// Where a run makes NaN and infinity.
struct FiniteReport {
  std::size_t num_calls = 0;
  std::size_t num_outputs = 0;
  std::vector<ElementFacts> arguments;  ///< of forward() that are not finite
  std::optional<NonFiniteCall> first_nan;
  /// Calls that make infinity of finite arguments; the first kMostInfinities before first_nan.
  std::vector<NonFiniteCall> infinities;
  std::vector<std::size_t> output_indices;  ///< of the outputs that are not finite
  std::vector<ElementFacts> outputs;        ///< these outputs
  std::vector<BoundBreach> breaches;        ///< the first of each parameter and key
};

inline constexpr std::size_t kMostInfinities = 8;

/// Runs a program once and looks at what each call gives. The generator is as
/// Engine::finish_replay() leaves it.
///
/// shapes   arguments: one per parameter, in signature order; the program may write to them
/// errors   as Engine::run()
base::Result<FiniteReport> find_non_finite(const graph::Program& program,
                                           const std::vector<EngineArgument>& arguments);

}  // namespace graphnet::eager
