// SPDX-License-Identifier: MIT
#include "report/text_report.h"

#include <gtest/gtest.h>

#include "support/xml_check.h"

namespace graphnet::report {
namespace text_report_test {

ResultRow row_of(const std::string& sample, std::size_t backend, record::Outcome outcome,
                 const std::string& message = "") {
  ResultRow row;
  row.sample = sample;
  row.backend = backend;
  row.outcome = outcome;
  row.counting = record::facts_of(outcome).counting;
  row.message = message;
  return row;
}

TEST(JUnitReport, HasACaseForEachSampleAndBackend) {
  using record::Outcome;
  Report report;
  report.backends = {"xla", "tvm"};
  report.rows = {row_of("t/b", 0, Outcome::kAccuracyMismatch, "off by 2\n<here>"),
                 row_of("t/a", 0, Outcome::kOk),
                 row_of("t/c", 0, Outcome::kInvalidSample, "no model.py"),
                 row_of("t/a", 1, Outcome::kUnsupported, "aten.sort"),
                 row_of("t/b", 1, Outcome::kSkipped),
                 row_of("t/x", 2, Outcome::kOk)};
  EXPECT_EQ(junit_report(report), R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="xla" tests="3" failures="2" skipped="0">
    <testcase classname="xla" name="t/a"/>
    <testcase classname="xla" name="t/b">
      <failure message="accuracy_mismatch: off by 2 &lt;here&gt;"/>
    </testcase>
    <testcase classname="xla" name="t/c">
      <failure message="invalid_sample: no model.py"/>
    </testcase>
  </testsuite>
  <testsuite name="tvm" tests="2" failures="0" skipped="2">
    <testcase classname="tvm" name="t/a">
      <skipped message="unsupported: aten.sort"/>
    </testcase>
    <testcase classname="tvm" name="t/b">
      <skipped message="skipped"/>
    </testcase>
  </testsuite>
</testsuites>
)");
  EXPECT_EQ(tests::XmlCheck(junit_report(report)).problem(), "");
  EXPECT_EQ(tests::XmlCheck(junit_report(Report())).problem(), "");
}

}  // namespace text_report_test
}  // namespace graphnet::report
