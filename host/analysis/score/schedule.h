// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "score/row.h"

namespace graphnet::score {

/// Indices in base::tolerance_levels(), by level_index(), that decide about an output.
using Schedule = std::array<std::size_t, kNumLevels>;

/// The schedule for an output of type `dtype` of eager; nothing if only equality counts.
///
/// `compat`: upstream's program, which asks complex outputs for equality; else complex numbers are
/// judged by the schedule of their parts, as the technical report has it.
///
/// source   GraphNet bench datatype_tolerance_config; GraphNet technical report, appendix A
std::optional<Schedule> schedule_of(std::string_view dtype, bool compat);

}  // namespace graphnet::score
