// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/result.h"
#include "eager/engine.h"
#include "eager/planner.h"
#include "graph/program.h"

namespace graphnet::eager {

/// Memory and cost of Float64Truth, known before any of it is allocated: `argument_bytes` are the
/// copies that it makes, `peak_live_bytes` what its run adds. `unknown` holds the reason if there
/// is no truth or no plan.
///
/// shapes   arguments: of the program as written, in signature order
Plan plan_float64(const graph::Program& program, const std::vector<PlanArgument>& arguments);

/// The same program on the same arguments in float64: what errors of float outputs are measured
/// against. Its floating outputs are float64; integers and bools are those of the float64 run, so
/// that a rounding decision (argmax, a comparison) may differ from the reference's.
///
/// Not every output has a truth. Where only one side is finite (a mask that adds the lowest float32
/// twice is -inf in float32 alone), where the truth is below the smallest normal float32, or where
/// the reference itself is far off because a choice fell differently (topk among nearly equal
/// scores: an error of 0.4 seen), the reference's error says nothing about its arithmetic. Over 84
/// small samples all other float32 outputs had relative RMS errors below 6e-6.
class Float64Truth {
 public:
  /// Copies every argument, floating ones converted; the given ones are only read.
  ///
  /// errors   kUnsupported: graph::as_float64() refuses, or live calls draw random numbers, which
  ///          are others in float64; kEnvironment without memory
  static base::Result<std::unique_ptr<Float64Truth>> create(
      const graph::Program& program, const std::vector<EngineArgument>& arguments);

  /// Runs it. One run, then outputs() of engine() hold the truth; more runs give the same.
  ///
  /// errors   as Engine::run(); an operator without float64 kernel among them
  base::Status run();

  const Engine& engine() const { return *engine_; }

 private:
  Float64Truth() = default;

  graph::Program program_;
  std::vector<base::AlignedBuffer> buffers_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace graphnet::eager
