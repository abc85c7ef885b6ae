// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "score/score_set.h"

namespace graphnet::score {

/// Fills the bands of `points` and the band of their weighted aggregate: percentiles of the scores
/// of resampled columns (samples drawn with replacement, as many as there are). They say how much a
/// score depends on which samples are in the set; the uncertainty of each time is not in them.
///
/// order    depends on rows and settings only, to the bit
/// source   Efron 1979; percentile interval
Band fill_bands(const std::vector<Row>& rows, const Settings& settings, std::vector<Point>& points);

}  // namespace graphnet::score
