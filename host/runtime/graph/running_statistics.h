// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace graphnet::graph {

/// Layers update their running statistics in training, which their schemas do not say: the bool
/// argument of `op` that tells whether a call writes to its argument `argument`. Empty: a call
/// writes to it only if the schema says so.
///
/// source   torch 2.11 aten/src/ATen/native/Normalization.cpp
std::string_view statistics_flag(std::string_view op, std::string_view argument);

}  // namespace graphnet::graph
