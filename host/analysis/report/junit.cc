// SPDX-License-Identifier: MIT
#include "report/junit.h"

#include <algorithm>

#include "report/svg.h"

namespace graphnet::report {

namespace {

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + escape_markup(value) + "\"";
}

std::string case_xml(const JUnitCase& one, const std::string& suite) {
  using End = JUnitCase::End;
  const std::string head =
      "    <testcase" + attribute("classname", suite) + attribute("name", one.name);
  if (one.end == End::kPassed) return head + "/>\n";
  const char* const element = one.end == End::kFailed ? "failure" : "skipped";
  return head + ">\n      <" + element + attribute("message", one.message) +
         "/>\n    </testcase>\n";
}

std::string suite_xml(const JUnitSuite& suite) {
  const auto count = [&](JUnitCase::End end) {
    return std::to_string(std::count_if(suite.cases.begin(), suite.cases.end(),
                                        [&](const JUnitCase& one) { return one.end == end; }));
  };
  std::string text = "  <testsuite" + attribute("name", suite.name) +
                     attribute("tests", std::to_string(suite.cases.size())) +
                     attribute("failures", count(JUnitCase::End::kFailed)) +
                     attribute("skipped", count(JUnitCase::End::kSkipped)) + ">\n";
  for (const JUnitCase& one : suite.cases) text += case_xml(one, suite.name);
  return text + "  </testsuite>\n";
}

}  // namespace

std::string junit_document(const std::vector<JUnitSuite>& suites) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const JUnitSuite& suite : suites) text += suite_xml(suite);
  return text + "</testsuites>\n";
}

}  // namespace graphnet::report
