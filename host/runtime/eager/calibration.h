// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/device_name.h"
#include "base/result.h"
#include "eager/engine.h"
#include "graph/program.h"
#include "graph/weight_roles.h"

namespace graphnet::eager {

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
/// shapes   roles: one per argument; kUnknown for what must stay as it is
/// errors   as Engine::run(); some weights are changed then
/// source   matrices: layer-sequential unit variance (Mishkin & Matas 2016)
base::Status calibrate(const graph::Program& program, const std::vector<EngineArgument>& arguments,
                       const std::vector<graph::WeightRole>& roles, base::DeviceName device = {});

}  // namespace graphnet::eager
