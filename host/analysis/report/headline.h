// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/outcome.h"
#include "report/distribution.h"
#include "report/result_row.h"

namespace graphnet::report {

/// One sample with one backend, as far as headlines need it.
struct HeadlineResult {
  std::string sample;
  std::size_t backend = 0;  ///< index among the backends
  record::Word<record::Outcome> outcome;
  record::Counting counting = record::Counting::kCounted;
  /// Why it is not counted, or why its speedup enters no mean; empty: it does, or it failed.
  std::string left_out;
  std::optional<double> speedup;

  bool has_evidence() const {
    return counting == record::Counting::kCounted && left_out.empty() && speedup && *speedup > 0;
  }
};

struct HeadlineBackend {
  std::string name;       ///< unique among those with the same condition
  std::string condition;  ///< see score::condition_texts()
};

/// What became of one backend's samples.
struct BackendHeadline {
  std::string name;
  std::size_t backend = 0;  ///< index among all the backends, those of other conditions included
  int num_samples = 0;      ///< all that have a result, whatever it is
  int num_ok = 0;
  int num_wrong = 0;                    ///< both sides ran, and their outputs differ
  std::map<std::string, int> failures;  ///< by outcome, wrong ones included
  std::map<std::string, int> not_run;   ///< by reason
  std::map<std::string, int> left_out;  ///< ok, but their speedups enter no mean: by reason
  GeometricMean own;                    ///< of its speedups that count
  GeometricMean common;                 ///< of those of Headline::common
};

/// One backend against another on the common samples.
struct BackendRatio {
  std::size_t other = 0;  ///< index in Headline::backends
  GeometricMean faster;   ///< how many times faster the first one is
};

/// What results under one set of conditions come to.
struct Headline {
  std::string condition;
  std::vector<BackendHeadline> backends;  ///< as given
  /// Samples whose speedup counts with every backend that has any that counts.
  std::vector<std::string> common;
  std::size_t fastest = 0;           ///< index in `backends`, by the common mean
  std::vector<BackendRatio> ratios;  ///< of the fastest to the others, the nearest first
};

/// Indices of the results that count: of several results of a sample with one backend the last that
/// is counted or failed, without any the last.
///
/// order    ascending
std::vector<std::size_t> counted_indices(const std::vector<HeadlineResult>& results);

/// One headline a condition, in the order of the backends, of the results that count.
std::vector<Headline> headlines(const std::vector<HeadlineBackend>& backends,
                                const std::vector<HeadlineResult>& results);
std::vector<Headline> headlines(const Report& report);

/// "acme is 1.50x faster than nope on 12 common samples; wrong: 1 sample (acme)"; with one backend
/// it is compared with eager. Two that the interval does not tell apart, or that are nearer to each
/// other than `noise_floor`, are "about as fast".
std::string headline_sentence(const Headline& headline, double noise_floor);

/// A line a backend with the common mean first, then its own, counts, and why the others are in no
/// mean; a line of conditions above it where there are several headlines.
///
/// units    `width`: terminal cells at which the reasons are wrapped; 0: nowhere
std::string headline_table(const std::vector<Headline>& headlines, int width);

}  // namespace graphnet::report
