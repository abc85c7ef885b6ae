// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "eager/engine.h"
#include "eager/program_distance.h"
#include "graph/program.h"

namespace graphnet::eager {

/// A program with its forward and backward programs (gradient_programs.h), and arguments of the
/// first, borrowed.
struct TrainingPrograms {
  const graph::Program* program = nullptr;
  const graph::Program* forward = nullptr;
  const graph::Program* backward = nullptr;
  const std::vector<EngineArgument>* arguments = nullptr;
  std::vector<bool> requires_grad;  ///< one per argument
};

/// The programs beside libtorch's autograd.
struct GradientCheck {
  std::vector<OutputDistance> outputs;    ///< of the program, from `forward`
  std::vector<OutputDistance> gradients;  ///< of autograd, from `backward`
};

/// Runs the program with autograd, and then forward and backward one behind the other, which hand
/// values over by name. The gradients of outputs are numbers between -1 and 1.
///
/// errors   kInput: the programs do not fit together; as Engine::run()
base::Result<GradientCheck> check_gradients(const TrainingPrograms& programs, std::uint32_t seed);

/// How far derivatives along three directions are from differences of the program, all in float64
/// and near its arguments, as a part of what the gradients contribute. `directions` have all
/// arguments that require a gradient in them. The step of the differences is that of 1e-4 to 1e-12
/// of the arguments' RMS at which they come nearest: roundings and bends of the function show at
/// others.
///
/// errors   kUnsupported: there is no float64 form, it draws random numbers, or it does not
///          differentiate itself (detach()); as check_gradients()
base::Result<double> check_by_differences(const TrainingPrograms& programs);

}  // namespace graphnet::eager
