// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "measure/paired_result.h"
#include "measure/paired_settings.h"

namespace graphnet::measure {

/// Summary of the pairs, without the disturbed ones if they are few enough to be dropped.
///
/// shapes   confidence: of this one interval
/// order    pairs as measured
PairedSummary summarise_pairs(const std::vector<Pair>& pairs, const PairedSettings& settings,
                              double confidence);

struct Decision {
  Verdict verdict = Verdict::kUnstable;
  double same_within = 0;  ///< kSame: largest distance of the interval from 1, at least the margin
  Unstable reason = Unstable::kNone;
};

/// First row that holds:
///
/// | interval of the ratio                                     | verdict  |
/// |-----------------------------------------------------------|----------|
/// | more pairs were disturbed than may be dropped             | unstable |
/// | more was taken out of a side than may be                  | unstable |
/// | within the margin around 1                                | same     |
/// | at 99 % above 1 by more than the noise floor              | faster   |
/// | at 99 % below 1 by more than the noise floor              | slower   |
/// | goes no further from 1 than max_width                     | same     |
/// | any other                                                 | unstable |
///
/// shapes   noise_floor: of this measurement; 0 if there is none
Decision decide(const PairedSummary& summary, const PairedSettings& settings,
                double noise_floor = 0);

/// |ratio - 1| of the median of eager against itself; of fewer than eight controls the median of
/// |ratio - 1|. Disturbed controls count only if all are; nothing if there is none.
std::optional<double> noise_floor_of(const std::vector<Pair>& controls);

/// The median of what pairs have, of all of them or of the undisturbed (five and more), whichever
/// is larger: a plugin that disturbs the pairs in which it plays fair leaves the others in the
/// ratio. 0: there are no pairs.
double larger_median(const std::vector<Pair>& pairs,
                     const std::function<double(const Pair&)>& value);

/// Times of one side that all figures but the pairs themselves are made of: of the pairs that
/// count, without what was taken out.
///
/// units    nanoseconds a call
/// order    as measured
std::vector<double> counted_ns(const PairedResult& result, Side side);

/// Half the width of the interval in the logarithm, which is about a fraction of the ratio.
double half_width(const PairedSummary& summary);

/// Whether the whole interval lies within the margin around 1.
bool is_equivalent(const PairedSummary& summary, double margin);

}  // namespace graphnet::measure
