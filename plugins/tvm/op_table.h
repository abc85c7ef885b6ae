// SPDX-License-Identifier: MIT
#pragma once

#include "lowering/op_table.h"

namespace graphnet::tvm {

/// What the plugin does with each operator.
const lowering::OpTable& op_table();

}  // namespace graphnet::tvm
