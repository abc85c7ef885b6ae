// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "score/score_set.h"

namespace graphnet::score {

/// What each row contributes to the logarithms of S(t) and ES(t), by level_index().
struct Contribution {
  std::array<double, kNumLevels> log_s = {};
  std::array<double, kNumLevels> log_es = {};
};

/// Per-sample form: one row's rectified speedup at every level.
Contribution contribution_of(const Row& row, const Settings& settings);

/// exp of the mean of logarithms; 1 if there are none.
double geometric_mean(const std::vector<double>& logarithms);

/// Macro parameters of rows at level t.
MacroParameters macro_parameters(const std::vector<Row>& rows, int t, const Settings& settings);

/// S(t) and ES(t) from macro parameters alone. `frozen`: the parameters at min(t, 1), which ES(t)
/// is made of, with gamma at t.
double aggregated_s(const MacroParameters& macro, const Settings& settings);
double aggregated_es(const MacroParameters& frozen, const Settings& settings);

/// Points of all levels, bands not filled.
std::vector<Point> points_of(const std::vector<Row>& rows,
                             const std::vector<Contribution>& contributions,
                             const Settings& settings);

/// Weighted mean of log10 ES(t) over the levels that `points` and the weights share; 0 if there is
/// none.
double weighted_aggregate(const std::vector<Point>& points, const std::map<int, double>& weights);

}  // namespace graphnet::score
