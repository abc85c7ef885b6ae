// SPDX-License-Identifier: MIT
#pragma once

#include "graph/op_library.h"

namespace graphnet::eager {

/// ATen's operators as libtorch's registry has them; one for the process, for one thread at a time.
const graph::OpLibrary& dispatcher_library();

}  // namespace graphnet::eager
