// SPDX-License-Identifier: MIT
#include "report/comparison.h"
#include "report/junit.h"
#include "report/summary.h"

namespace graphnet::report {

namespace {

std::string message_of(const ComparedSample& sample) {
  const std::string what = change_name(sample.change);
  if (!sample.ratio) return what + ": " + sample.outcome_a + " -> " + sample.outcome_b;
  std::string text = what + ": " + ratio_text(*sample.ratio) + "x";
  if (sample.low && sample.high) {
    text += " [" + ratio_text(*sample.low) + ", " + ratio_text(*sample.high) + "]";
  }
  return text;
}

JUnitCase case_of(const ComparedSample& sample, const RegressionRule& rule) {
  JUnitCase result = {sample.sample, JUnitCase::End::kPassed, message_of(sample)};
  const bool says_nothing =
      sample.change == Change::kBothFail || sample.change == Change::kNoEvidence;
  const bool is_failure = (sample.change == Change::kSlower && rule.slower) ||
                          (sample.change == Change::kBroken && rule.broken) ||
                          (sample.change == Change::kNoEvidence && rule.unclear);
  if (is_failure) {
    result.end = JUnitCase::End::kFailed;
  } else if (says_nothing) {
    result.end = JUnitCase::End::kSkipped;
  }
  return result;
}

std::vector<JUnitCase> cases_of(const Comparison& comparison) {
  const RegressionRule& rule = comparison.rule;
  std::vector<JUnitCase> cases;
  for (const ComparedSample& sample : comparison.samples) cases.push_back(case_of(sample, rule));
  for (const std::string& sample : comparison.missing) {
    cases.push_back({sample, rule.missing ? JUnitCase::End::kFailed : JUnitCase::End::kSkipped,
                     "missing: in A only"});
  }
  const bool is_failure = comparison.is_mean_slower() && rule.slower;
  cases.push_back({"geometric mean", is_failure ? JUnitCase::End::kFailed : JUnitCase::End::kPassed,
                   mean_text(comparison.ratio)});
  return cases;
}

}  // namespace

std::string junit_xml(const std::vector<Comparison>& comparisons) {
  std::vector<JUnitSuite> suites;
  for (const Comparison& comparison : comparisons) {
    suites.push_back({comparison.name_b + " against " + comparison.name_a, cases_of(comparison)});
  }
  return junit_document(suites);
}

}  // namespace graphnet::report
