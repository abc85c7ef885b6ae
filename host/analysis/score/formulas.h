// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <vector>

#include "score/score_set.h"

namespace graphnet::score {

/// Per-sample form: logarithm of what a row contributes to S(t) and ES(t). A row that is correct at
/// some level must have a speedup.
long double log_s(const Row& row, int t, const Settings& settings);
long double log_es(const Row& row, int t, const Settings& settings);

/// Geometric mean of values above 0; 1 if there are none.
double geometric_mean(const std::vector<double>& values);

/// Macro parameters of rows at level t.
MacroParameters macro_parameters(const std::vector<Row>& rows, int t, const Settings& settings);

/// S(t) and ES(t) from macro parameters alone. `frozen`: the parameters at min(t, 1), which ES(t)
/// is made of, with gamma at t.
double aggregated_s(const MacroParameters& macro, const Settings& settings);
double aggregated_es(const MacroParameters& frozen, const Settings& settings);

/// Points of all levels, bands not filled.
std::vector<Point> points_of(const std::vector<Row>& rows, const Settings& settings);

/// Weighted mean of log10 ES(t) over the levels that `points` and the weights share; 0 if there is
/// none.
double weighted_aggregate(const std::vector<Point>& points, const std::map<int, double>& weights);

}  // namespace graphnet::score
