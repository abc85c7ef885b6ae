// SPDX-License-Identifier: MIT
#pragma once

#include "lowering/stablehlo/program.h"

namespace graphnet::xla {

/// Whether the parts of a lowered program fit together, because nothing later notices if they do
/// not: XLA compares sizes in bytes only.
///
/// errors   INTERNAL: an index out of range, two types for one thing, a source that has no place in
/// its
///          module
void check_program(const lowering::stablehlo::LoweredProgram& program);

}  // namespace graphnet::xla
