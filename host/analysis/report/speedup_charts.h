// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/distribution.h"
#include "report/plot_frame.h"

namespace graphnet::report {

/// Every sample that one backend ran.
struct SpeedupGroup {
  std::string name;
  std::vector<double> speedups;              ///< of the samples that count in means
  std::map<std::string, int> failures = {};  ///< by outcome
  std::vector<double> doubtful = {};         ///< speedups that enter no mean (ResultRow::left_out)
  int num_without_speedup = 0;               ///< not failed, but no speedup was recorded

  int num_failed() const;
  /// All results, which is what shares are of.
  int num_samples() const;
};

/// From this many speedups on a violin shows their density; fewer are drawn as dots.
inline constexpr std::size_t kFewestForDensity = 20;

/// Violins of log2 speedup with quartile boxes, or dots, and below them a lane for samples that are
/// not ok: a backend that fails on the hard half must not look better for it. Doubtful speedups are
/// hollow dots.
Chart violin_chart(const ChartName& name, const std::vector<SpeedupGroup>& groups);

/// One curve of cumulative_chart().
struct CumulativeCurve {
  std::string name;
  std::vector<double> values;  ///< above 0, any order
  int num_below = 0;           ///< samples that count as below every value
  int num_samples = 0;         ///< of which the curve shows shares
};

/// Share of the samples whose value is at most x, on a logarithmic axis.
///
/// units    of the values: as `scale` says
Chart cumulative_chart(const char* file, const PlotLabels& labels, Scale scale,
                       const std::vector<CumulativeCurve>& curves);

/// Speedups of two backends on the same samples.
struct ScatterInput {
  std::string x_name;
  std::string y_name;
  std::vector<Point> both;      ///< speedups of x and y
  std::vector<Point> doubtful;  ///< the same where one of them enters no mean
  std::vector<double> only_x;   ///< speedup of x where y failed
  std::vector<double> only_y;
  int neither = 0;
};

/// One dot a sample, hollow if doubtful; where one side failed, in a lane beside the other side's
/// axis.
Chart scatter_chart(const ChartName& name, const ScatterInput& input);

/// One row of a chart by family or category.
struct GroupRow {
  std::string name;
  struct Entry {
    GeometricMean mean;   ///< of the ok samples' speedups
    int num_samples = 0;  ///< all that have a result, whatever it is
    int num_ok = 0;
  };
  std::vector<Entry> entries;  ///< one a backend
};

/// Geometric mean speedups with intervals, by family or category; without rows that have no mean.
/// A mean of one sample has no interval and a hollow marker.
Chart group_chart(const ChartName& name, const std::vector<std::string>& backends,
                  const std::vector<GroupRow>& groups);

}  // namespace graphnet::report
