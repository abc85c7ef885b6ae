// SPDX-License-Identifier: MIT
#include <algorithm>

#include "report/comparison.h"
#include "report/summary.h"
#include "report/svg.h"

namespace graphnet::report {

namespace {

/// One <testcase>.
struct Case {
  enum class End { kPassed, kFailed, kSkipped };

  std::string name;
  End end = End::kPassed;
  std::string message;
};

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + escape_markup(value) + "\"";
}

std::string message_of(const ComparedSample& sample) {
  const std::string what = change_name(sample.change);
  if (!sample.ratio) return what + ": " + sample.outcome_a + " -> " + sample.outcome_b;
  std::string text = what + ": " + ratio_text(*sample.ratio) + "x";
  if (sample.low && sample.high) {
    text += " [" + ratio_text(*sample.low) + ", " + ratio_text(*sample.high) + "]";
  }
  return text;
}

Case case_of(const ComparedSample& sample, const RegressionRule& rule) {
  Case result = {sample.sample, Case::End::kPassed, message_of(sample)};
  const bool says_nothing =
      sample.change == Change::kBothFail || sample.change == Change::kNoEvidence;
  const bool is_failure = (sample.change == Change::kSlower && rule.slower) ||
                          (sample.change == Change::kBroken && rule.broken) ||
                          (sample.change == Change::kNoEvidence && rule.unclear);
  if (is_failure) {
    result.end = Case::End::kFailed;
  } else if (says_nothing) {
    result.end = Case::End::kSkipped;
  }
  return result;
}

std::vector<Case> cases_of(const Comparison& comparison) {
  const RegressionRule& rule = comparison.rule;
  std::vector<Case> cases;
  for (const ComparedSample& sample : comparison.samples) cases.push_back(case_of(sample, rule));
  for (const std::string& sample : comparison.missing) {
    cases.push_back(
        {sample, rule.missing ? Case::End::kFailed : Case::End::kSkipped, "missing: in A only"});
  }
  const bool is_failure = comparison.is_mean_slower() && rule.slower;
  cases.push_back({"geometric mean", is_failure ? Case::End::kFailed : Case::End::kPassed,
                   mean_text(comparison.ratio)});
  return cases;
}

std::string case_xml(const Case& one, const std::string& suite) {
  const std::string head =
      "    <testcase" + attribute("classname", suite) + attribute("name", one.name);
  if (one.end == Case::End::kPassed) return head + "/>\n";
  const char* const element = one.end == Case::End::kFailed ? "failure" : "skipped";
  return head + ">\n      <" + element + attribute("message", one.message) +
         "/>\n    </testcase>\n";
}

std::string suite_xml(const Comparison& comparison) {
  const std::vector<Case> cases = cases_of(comparison);
  const auto count = [&](Case::End end) {
    return std::to_string(
        std::count_if(cases.begin(), cases.end(), [&](const Case& one) { return one.end == end; }));
  };
  const std::string name = comparison.name_b + " against " + comparison.name_a;
  std::string text = "  <testsuite" + attribute("name", name) +
                     attribute("tests", std::to_string(cases.size())) +
                     attribute("failures", count(Case::End::kFailed)) +
                     attribute("skipped", count(Case::End::kSkipped)) + ">\n";
  for (const Case& one : cases) text += case_xml(one, name);
  return text + "  </testsuite>\n";
}

}  // namespace

std::string junit_xml(const std::vector<Comparison>& comparisons) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const Comparison& comparison : comparisons) text += suite_xml(comparison);
  return text + "</testsuites>\n";
}

}  // namespace graphnet::report
