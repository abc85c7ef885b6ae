// SPDX-License-Identifier: MIT
#pragma once

#include "lowering/op_table.h"

namespace graphnet::tvm {

inline constexpr const char* kNoFourier = "TVM has no complex numbers and no Fourier transform";

/// What the plugin refuses of the shared lowering; plugins/table.sh counts the rows.
inline constexpr lowering::UnsupportedOp kUnsupportedOps[] = {
    {lowering::Op::fft_fftn, kNoFourier},
    {lowering::Op::fft_irfft, kNoFourier},
    {lowering::Op::fft_rfft, kNoFourier},
};

}  // namespace graphnet::tvm
