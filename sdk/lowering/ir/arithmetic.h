// SPDX-License-Identifier: MIT
#pragma once

#include "lowering/ir/array.h"

namespace graphnet::lowering::ir {

/// What the element-wise kinds mean for operands of one type; the caller rounds. Integers wrap.
///
/// errors   LoweringError: the kind has no meaning for the type
Number apply(Unary kind, Type type, Number x);
Number apply(Binary kind, Type type, Number a, Number b);
bool holds(Comparison kind, Type type, Number a, Number b);

/// Two elements of a reduction, and what it begins with.
Number combined(Reduction kind, Type type, Number a, Number b);

}  // namespace graphnet::lowering::ir
