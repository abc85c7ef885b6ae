// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/dense_tensor.h"
#include "base/device_name.h"
#include "base/result.h"
#include "eager/engine.h"
#include "graph/program.h"
#include "graph/weight_roles.h"

namespace graphnet::eager {

/// What a run that calibrates gave.
struct Calibration {
  std::vector<base::DenseTensor> outputs;
  /// A run on the weights as they are now gives these outputs. False if a weight was used by a call
  /// before the one that changed it.
  bool is_final = true;
};

/// Runs a program once, call by call, and changes weights on the way, in place, so that what goes
/// in still shows in what comes out:
///
/// | role       | becomes                                                                   |
/// |------------|---------------------------------------------------------------------------|
/// | statistics | mean and variance of the normalisation's input, channel by channel, mixed |
/// |            | with 0 and the mean square of all where channels have few elements        |
/// |            | (64: half and half)                                                       |
/// | matrix     | divided by the deviation of its result, if that is below 1/2 or above 2   |
///
/// A matrix that the program copies before it multiplies stays as it is. What the program itself
/// writes to its arguments is put back.
///
/// `then_reverse`: after the run every weight with a role but statistics gets its elements in the
/// opposite order, so that nobody has yet computed what the program gives.
///
/// shapes   roles: one per argument; kUnknown for what must stay as it is
/// errors   as Engine::run(), or no memory for the outputs; some weights are changed then
/// source   matrices: layer-sequential unit variance (Mishkin & Matas 2016)
base::Result<Calibration> calibrate(const graph::Program& program,
                                    const std::vector<EngineArgument>& arguments,
                                    const std::vector<graph::WeightRole>& roles,
                                    base::DeviceName device = {}, bool then_reverse = false);

}  // namespace graphnet::eager
