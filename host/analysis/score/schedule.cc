// SPDX-License-Identifier: MIT
#include "score/schedule.h"

#include "base/tolerance.h"

namespace graphnet::score {

namespace {

std::optional<base::DType> schedule_dtype(std::string_view dtype, bool compat) {
  const auto known = base::dtype_from_name(dtype);
  if (!known) return std::nullopt;
  if (*known == base::DType::kComplex64 && !compat) return base::DType::kFloat32;
  if (*known == base::DType::kComplex128 && !compat) return base::DType::kFloat64;
  return base::is_floating(*known) ? known : std::nullopt;
}

}  // namespace

std::optional<Schedule> schedule_of(std::string_view dtype, bool compat) {
  const auto wanted = schedule_dtype(dtype, compat);
  if (!wanted) return std::nullopt;
  const auto& levels = base::tolerance_levels();
  Schedule schedule = {};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (levels[i].schedule == *wanted) schedule[level_index(levels[i].t)] = i;
  }
  return schedule;
}

}  // namespace graphnet::score
