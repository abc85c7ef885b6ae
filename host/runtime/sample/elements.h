// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/dtype.h"
#include "base/status.h"
#include "sample/tensor_meta.h"

namespace graphnet::sample {

/// Everything below writes dense elements of a dtype. A real number becomes a complex one with an
/// imaginary part of 0, as torch converts it.

/// Stores `count` times the same value, converted as torch converts a double.
void store_constant(base::DType dtype, double value, std::size_t count, std::byte* out);

/// Stores draw * deviation * 0.2 + mean, evaluated left to right in float64, then converted.
///
/// shapes   draws: [count], overwritten
/// source   GraphNet bench, input generation; float64 to float16 and bfloat16 goes through float32,
/// as in torch
void store_scaled(base::DType dtype, double deviation, double mean, std::size_t count,
                  double* draws, std::byte* out);

/// Stores integers, converted as C converts them (high bits are dropped).
void store_integer(base::DType dtype, std::int64_t value, std::size_t index, std::byte* out);

/// Stores a `data` literal; floats are truncated for integer dtypes, as in torch.tensor.
///
/// errors   kInput if a number does not fit the dtype
base::Status store_literal(base::DType dtype, const std::vector<LiteralNumber>& literal,
                           std::byte* out);

/// Clamps to the bounds, lower first; both are rounded to the dtype before they are compared.
/// NaN stays NaN, and a zero that equals a bound keeps its sign.
void clamp_to_bounds(base::DType dtype, std::optional<double> lower, std::optional<double> upper,
                     std::size_t count, std::byte* out);

/// Clamps finite elements of a floating dtype to [-100, 100]; true if there are others, which stay.
///
/// source   GraphNet bench, input generation: replaces the others by torch normals, then clamps
bool clamp_to_hundred(base::DType dtype, std::size_t count, std::byte* out);

}  // namespace graphnet::sample
