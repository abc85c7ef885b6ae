// SPDX-License-Identifier: MIT
#include "report/junit.h"

#include <algorithm>
#include <utility>

#include "record/outcome.h"
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

/// One <testsuite>.
struct Suite {
  std::string name;
  std::vector<Case> cases;
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

Suite suite_of(const Comparison& comparison) {
  const RegressionRule& rule = comparison.rule;
  Suite suite{comparison.name_b + " against " + comparison.name_a, {}};
  for (const ComparedSample& sample : comparison.samples) {
    suite.cases.push_back(case_of(sample, rule));
  }
  for (const std::string& sample : comparison.missing) {
    suite.cases.push_back(
        {sample, rule.missing ? Case::End::kFailed : Case::End::kSkipped, "missing: in A only"});
  }
  const bool is_failure = comparison.is_mean_slower() && rule.slower;
  suite.cases.push_back({"geometric mean", is_failure ? Case::End::kFailed : Case::End::kPassed,
                         mean_text(comparison.ratio)});
  return suite;
}

Case case_of(const ResultRow& row) {
  Case result = {row.sample, Case::End::kPassed, row.outcome.text()};
  if (!row.message.empty()) result.message += ": " + row.message;
  if (row.is_ok()) return result;
  const bool is_failure = record::fails_run(row.outcome, record::FailOn::kError);
  result.end = is_failure ? Case::End::kFailed : Case::End::kSkipped;
  return result;
}

std::string case_xml(const Case& one, const std::string& suite) {
  const std::string head =
      "    <testcase" + attribute("classname", suite) + attribute("name", one.name);
  if (one.end == Case::End::kPassed) return head + "/>\n";
  const char* const element = one.end == Case::End::kFailed ? "failure" : "skipped";
  return head + ">\n      <" + element + attribute("message", one.message) +
         "/>\n    </testcase>\n";
}

std::string suite_xml(const Suite& suite) {
  const auto count = [&](Case::End end) {
    return std::to_string(std::count_if(suite.cases.begin(), suite.cases.end(),
                                        [&](const Case& one) { return one.end == end; }));
  };
  std::string text = "  <testsuite" + attribute("name", suite.name) +
                     attribute("tests", std::to_string(suite.cases.size())) +
                     attribute("failures", count(Case::End::kFailed)) +
                     attribute("skipped", count(Case::End::kSkipped)) + ">\n";
  for (const Case& one : suite.cases) text += case_xml(one, suite.name);
  return text + "  </testsuite>\n";
}

std::string document(const std::vector<Suite>& suites) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const Suite& suite : suites) text += suite_xml(suite);
  return text + "</testsuites>\n";
}

}  // namespace

std::string junit_xml(const Report& report) {
  std::vector<Suite> suites;
  for (const std::string& backend : report.backends) suites.push_back({backend, {}});
  for (const ResultRow& row : report.rows) {
    if (row.backend < suites.size()) suites[row.backend].cases.push_back(case_of(row));
  }
  for (Suite& suite : suites) {
    std::stable_sort(suite.cases.begin(), suite.cases.end(),
                     [](const Case& a, const Case& b) { return a.name < b.name; });
  }
  return document(suites);
}

std::string junit_xml(const std::vector<Comparison>& comparisons) {
  std::vector<Suite> suites;
  for (const Comparison& comparison : comparisons) suites.push_back(suite_of(comparison));
  return document(suites);
}

}  // namespace graphnet::report
