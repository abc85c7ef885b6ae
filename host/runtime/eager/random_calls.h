// SPDX-License-Identifier: MIT
#pragma once

#include "graph/program.h"

namespace graphnet::eager {

/// True if a call whose result is read draws from torch's generator. Attention draws only for its
/// dropout, so a `dropout_p` that is left out or written as zero makes it none; one that is
/// computed counts as a draw.
///
/// source   ATen's tag `nondeterministic_seeded`
bool has_live_random_call(const graph::Program& program);

}  // namespace graphnet::eager
