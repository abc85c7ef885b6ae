// SPDX-License-Identifier: MIT
#include "verify/float64_truth.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "verify/outcome_rule.h"
#include "verify/scan.h"

namespace graphnet::verify {

namespace {

constexpr int kBlock = 1024;

struct Sums {
  double plugin = 0;
  double eager = 0;
  double truth = 0;
  std::int64_t count = 0;
};

void add_block(const double* eager, const double* plugin, const double* truth, int extent,
               Sums& sums) {
  for (int i = 0; i < extent; ++i) {
    const bool finite =
        std::isfinite(eager[i]) && std::isfinite(plugin[i]) && std::isfinite(truth[i]);
    if (!finite) continue;
    sums.plugin += (plugin[i] - truth[i]) * (plugin[i] - truth[i]);
    sums.eager += (eager[i] - truth[i]) * (eager[i] - truth[i]);
    sums.truth += truth[i] * truth[i];
    ++sums.count;
  }
}

double ratio_of(double plugin, double eager) {
  if (eager > 0) return plugin / eager;
  return plugin > 0 ? std::numeric_limits<double>::infinity() : 1;
}

}  // namespace

Float64Errors errors_against_float64(base::DType dtype, const void* eager, const void* plugin,
                                     const double* truth, std::int64_t count) {
  double eager_block[kBlock];
  double plugin_block[kBlock];
  Sums sums;
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const int extent = static_cast<int>(std::min<std::int64_t>(kBlock, count - begin));
    load_as_double(dtype, eager, begin, extent, eager_block);
    load_as_double(dtype, plugin, begin, extent, plugin_block);
    add_block(eager_block, plugin_block, truth + begin, extent, sums);
  }
  Float64Errors errors;
  if (sums.count == 0) return errors;
  const auto compared = static_cast<double>(sums.count);
  errors.plugin_rms = std::sqrt(sums.plugin / compared);
  errors.eager_rms = std::sqrt(sums.eager / compared);
  errors.truth_rms = std::sqrt(sums.truth / compared);
  errors.ratio = ratio_of(errors.plugin_rms, errors.eager_rms);
  errors.closer_than_eager = errors.plugin_rms < errors.eager_rms;
  errors.accepted = errors.plugin_rms <= kEagerErrorFactor * errors.eager_rms;
  errors.accepts_zeros = errors.truth_rms <= kEagerErrorFactor * errors.eager_rms;
  return errors;
}

}  // namespace graphnet::verify
