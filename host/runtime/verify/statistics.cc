// SPDX-License-Identifier: MIT
#include "verify/statistics.h"

#include <cmath>

#include "verify/outcome_rule.h"
#include "verify/scan.h"

namespace graphnet::verify {

namespace {

// Square root of a sum of squares that was scaled.
double root(double sum, int square_scale) {
  return std::scalbn(std::sqrt(sum), -square_scale / 2);
}

std::optional<double> cosine_of(const Scan& scan) {
  if (scan.differing == 0 && scan.squared_eager > 0) return 1;
  const double norms = std::sqrt(scan.squared_eager) * std::sqrt(scan.squared_plugin);
  if (norms == 0) return std::nullopt;
  // <e, p> = (|e|^2 + |p|^2 - |p - e|^2) / 2
  return (scan.squared_eager + scan.squared_plugin - scan.squared_error) / (2 * norms);
}

std::vector<std::int64_t> filled_bins(const Scan& scan) {
  std::size_t bins = scan.ulp_histogram.size();
  while (bins > 0 && scan.ulp_histogram[bins - 1] == 0) --bins;
  return {scan.ulp_histogram.begin(),
          scan.ulp_histogram.begin() + static_cast<std::ptrdiff_t>(bins)};
}

}  // namespace

Statistics statistics_of(base::DType dtype, const Scan& scan) {
  Statistics statistics;
  statistics.eager = scan.eager;
  statistics.plugin = scan.plugin;
  statistics.finite_pairs = scan.finite_pairs;
  statistics.mask_mismatches = scan.mask_mismatches;
  statistics.differing = scan.differing;
  if (scan.finite_pairs > 0) {
    const auto pairs = static_cast<double>(scan.finite_pairs);
    statistics.max_error = scan.max_error;
    statistics.mean_error = scan.sum_error / pairs;
    statistics.rms_error = root(scan.squared_error / pairs, scan.square_scale);
  }
  if (!is_exact(dtype) && scan.squared_eager > 0) {
    statistics.max_relative_error = scan.max_relative_error;
  }
  if (base::is_floating(dtype)) {
    statistics.cosine = cosine_of(scan);
    statistics.ulp_histogram = filled_bins(scan);
  }
  statistics.worst = scan.worst;
  return statistics;
}

}  // namespace graphnet::verify
