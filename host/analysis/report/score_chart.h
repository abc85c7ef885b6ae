// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/plot_frame.h"

namespace graphnet::report {

/// A score at one tolerance.
struct ScorePoint {
  int t = 0;
  double value = 0;
  std::optional<double> low;  ///< band; both ends or neither
  std::optional<double> high;
  std::optional<double> aggregated;  ///< from the macro parameters, to lie on `value`
};

/// Scores of one backend, t ascending.
struct ScoreCurve {
  std::string name;
  std::vector<ScorePoint> points;
};

/// S(t): a line with a marker at each t up to 0, bands, on a logarithmic axis, as scores are
/// geometric means of ratios.
///
/// source   GraphNet plot_St.py: what is drawn; caption "p = 0, b = 0.1"
Chart st_chart(const ChartName& name, const std::vector<ScoreCurve>& curves,
               const std::string& caption);

/// ES(t): as S(t) up to t = 0, then steps that hold their value up to the next t; a hollow
/// square where the aggregated form lies elsewhere.
///
/// source   GraphNet plot_ESt.py
Chart est_chart(const ChartName& name, const std::vector<ScoreCurve>& curves,
                const std::string& caption);

}  // namespace graphnet::report
