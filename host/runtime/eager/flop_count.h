// SPDX-License-Identifier: MIT
#pragma once

#include <ATen/core/stack.h>

#include "eager/overload.h"

namespace graphnet::eager {

/// Floating-point operations of one call, from shapes alone: two per multiply-add of convolutions,
/// linear layers, matrix products, einsum and attention; for any other operator one per element of
/// its results, none if they share memory with an argument without being written (views).
///
/// shapes   `arguments` in schema order; tensors may be on the Meta device
double count_flop(const Overload& overload, const c10::Stack& arguments, const c10::Stack& results);

/// True if a call multiplies and adds, so that two of its operations count as one step: products,
/// convolutions, attention.
bool is_product(const Overload& overload);

}  // namespace graphnet::eager
