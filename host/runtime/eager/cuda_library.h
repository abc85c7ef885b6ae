// SPDX-License-Identifier: MIT
#pragma once

#include "base/status.h"

namespace graphnet::eager {

/// Adds the CUDA part to libtorch, which is a library of its own. Must come before anything else
/// that a process asks of libtorch: that looks once whether the part is there, and never again.
/// Takes 0.4 s and 350 MiB.
///
/// errors   kEnvironment: the libtorch at hand has none (the one that ./graphnet fetches), or it
///          cannot be loaded, with the loader's words
base::Status load_cuda();

/// Whether products and convolutions of float32 may be computed with 10 bits of mantissa (TF32) on
/// a device; libtorch's own setting differs between the two.
base::Status allow_tf32(bool is_allowed);

}  // namespace graphnet::eager
