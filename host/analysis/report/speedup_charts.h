// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/distribution.h"
#include "report/plot_frame.h"

namespace graphnet::report {

/// Speedups of one backend: of the samples that are ok, and how many others have which outcome.
struct SpeedupGroup {
  std::string name;
  std::vector<double> speedups;
  std::map<std::string, int> failures;  ///< by outcome
  int num_left_out = 0;                 ///< neither failed nor with a speedup that counts

  int num_failed() const;
  /// All results, which is what shares are of.
  int num_results() const {
    return static_cast<int>(speedups.size()) + num_failed() + num_left_out;
  }
};

/// Violins of log2 speedup with quartile boxes, and below them a lane for samples that are not ok:
/// a backend that fails on the hard half must not look better for it.
Chart violin_chart(const ChartName& name, const std::vector<SpeedupGroup>& groups);

/// Share of all samples whose speedup is at most x. A failed sample counts as slower than any, so
/// that a curve begins at the share of failures; it ends below 1 by the share of samples whose
/// speedup does not count.
Chart ecdf_chart(const ChartName& name, const std::vector<SpeedupGroup>& groups);

/// Speedups of two backends on the same samples.
struct ScatterInput {
  std::string x_name;
  std::string y_name;
  std::vector<Point> both;     ///< speedups of x and y
  std::vector<double> only_x;  ///< speedup of x where y failed
  std::vector<double> only_y;
  int neither = 0;
};

/// One dot a sample; where one side failed, in a lane beside the other side's axis.
Chart scatter_chart(const ChartName& name, const ScatterInput& input);

/// One row of a chart by family or category.
struct GroupRow {
  std::string name;
  struct Entry {
    GeometricMean mean;  ///< of the ok samples' speedups
    int num_samples = 0;
    int num_ok = 0;
  };
  std::vector<Entry> entries;  ///< one a backend
};

/// Geometric mean speedups with intervals, by family or category.
Chart group_chart(const ChartName& name, const std::vector<std::string>& backends,
                  const std::vector<GroupRow>& rows);

}  // namespace graphnet::report
