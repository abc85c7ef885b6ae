// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "report/distribution.h"
#include "report/result_row.h"

namespace graphnet::report {

/// What is compared.
enum class Metric {
  kSpeedup,  ///< eager by plugin: drift of the machine cancels
  kPlugin,   ///< the plugin's time: another machine
  kEager,    ///< eager's time: two machines without any compiler
};

/// "speedup", "plugin", "eager".
const char* metric_name(Metric metric);
std::optional<Metric> metric_from_name(const std::string& name);

/// What makes a comparison a regression; a row of kRegressionCauses for each.
struct RegressionRule {
  bool slower = true;    ///< a sample or the mean is slower
  bool broken = true;    ///< a sample was ok and is not
  bool missing = false;  ///< a sample of A was not run in B
  bool unclear = false;  ///< a sample is ok with both and one result is doubtful
};

struct RegressionCause {
  const char* name;
  bool RegressionRule::*member;
};
inline constexpr RegressionCause kRegressionCauses[] = {{"slower", &RegressionRule::slower},
                                                        {"broken", &RegressionRule::broken},
                                                        {"missing", &RegressionRule::missing},
                                                        {"unclear", &RegressionRule::unclear}};

struct CompareSettings {
  Metric metric = Metric::kSpeedup;
  double threshold = 0.05;  ///< slower by less is no regression; a fraction
  RegressionRule rule;
};

/// What became of one sample.
enum class Change {
  kSame,       ///< the interval reaches into the threshold
  kFaster,     ///< B is faster by more than the threshold
  kSlower,     ///< B is slower by more than the threshold: a regression
  kBroken,     ///< ok in A and not in B: a regression
  kMended,     ///< ok in B and not in A
  kBothFail,   ///< with both
  kNoEvidence  ///< ok with both, but one is in no mean (degenerate, flagged, unstable, no time)
};
const char* change_name(Change change);

struct ComparedSample {
  std::string sample;
  Change change = Change::kSame;
  std::string outcome_a;
  std::string outcome_b;
  /// How many times faster B is; below 1 slower.
  std::optional<double> ratio;
  std::optional<double> low;  ///< interval; none if a side has none
  std::optional<double> high;
  // Whether the bits agree; nothing where a record has no digest (--digest).
  std::optional<bool> same_inputs;
  std::optional<bool> same_eager;
  std::optional<bool> same_plugin;
};

/// How many samples have the same bits on both sides, of those with digests on both.
struct BitCounts {
  int equal = 0;
  int different = 0;
};

/// The smallest drop that a comparison calls slower, from the threshold and the widths of the
/// intervals: a sample whose measured ratio is lower than 1 by more is called slower, one that is
/// lower by less is not.
///
/// units    fractions by which the ratio is lower than 1; none where no ratio is known
struct Detectable {
  std::optional<double> mean;
  std::optional<double> median_sample;
  std::optional<double> worst_sample;
  std::string worst_name;
};

/// A against B, sample by sample.
///
/// A ratio is a_time by b_time, or b_speedup by a_speedup. Its interval joins those of both sides
/// as independent ones (half-widths in the logarithm are added in squares). To call single samples
/// faster or slower, intervals are widened for the number of samples (Bonferroni), so that a
/// comparison of equals finds no regression in 95 of 100 cases, however many samples it has; a
/// sample without interval must differ by 10 % at least. Times have no intervals of their own in a
/// record, so those of the speedups stand for them.
struct Comparison {
  std::string name_a;
  std::string name_b;
  Metric metric = Metric::kSpeedup;
  double threshold = 0;                 ///< in effect: at least the noise floors of both
  double noise_floor = 0;               ///< the larger of the two; 0 if no control was measured
  GeometricMean ratio;                  ///< over samples with a ratio
  std::vector<ComparedSample> samples;  ///< of both, by name
  std::vector<std::string> missing;     ///< samples of A that B has not, by name
  int only_b = 0;                       ///< samples that A has not
  Detectable detectable;
  RegressionRule rule;

  int count(Change change) const;
  BitCounts count_bits(std::optional<bool> ComparedSample::*same) const;
  /// The mean is slower than the threshold allows with its whole interval.
  bool is_mean_slower() const;
  /// Names of the causes of `rule` that are there: "slower" (the mean, or a sample), "broken", ...
  std::vector<std::string> regression_causes() const;
  bool is_regression() const { return !regression_causes().empty(); }
};

/// One side: the rows of one backend of a report.
struct ComparedSide {
  std::string name;
  std::vector<const ResultRow*> rows;
  std::optional<double> noise_floor;
};

Comparison compare(const ComparedSide& a, const ComparedSide& b, const CompareSettings& settings);

/// A table for people: the mean, counts, and the samples that changed.
std::string comparison_text(const Comparison& comparison);

/// The comparisons as a JUnit document for the test views of CI systems: a suite for each, a case
/// for each sample and one for the mean. What the rule names is a failure; what says nothing (not
/// ok on either side, doubtful, missing) is skipped unless the rule names it.
std::string junit_xml(const std::vector<Comparison>& comparisons);

/// {"schema":"graphnet.compare/1", ...}
base::Json comparison_json(const std::vector<Comparison>& comparisons);

}  // namespace graphnet::report
