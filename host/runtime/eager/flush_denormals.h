// SPDX-License-Identifier: MIT
#pragma once

namespace graphnet::eager {

/// Switches flush-to-zero (subnormal results become zero) and denormals-are-zero (so do subnormal
/// operands) on or off for the calling thread and every thread of libtorch's pool. Belongs outside
/// every clock; a pool that grows later inherits the calling thread's setting.
///
/// Returns false if the processor cannot; nothing is changed then.
bool set_flush_denormals(bool on);

}  // namespace graphnet::eager
