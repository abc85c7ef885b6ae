// SPDX-License-Identifier: MIT
#include "report/thread_scaling.h"

#include <gtest/gtest.h>

#include "report/html_page.h"
#include "report/text_report.h"

namespace graphnet::report {
namespace thread_scaling_test {

ResultRow row_of(const std::string& sample, std::size_t backend, double plugin_ns) {
  ResultRow row;
  row.sample = sample;
  row.backend = backend;
  row.outcome = record::Outcome::kOk;
  row.eager_ns = 2e6;
  row.plugin_ns = plugin_ns;
  row.speedup = 2e6 / plugin_ns;
  return row;
}

Report report_of() {
  Report report;
  report.backends = {"tvm (1 thread)", "tvm (2 threads)", "xla"};
  report.conditions = {"1 thread", "2 threads", "1 thread"};
  report.threads = {
      {"tvm\nprotocol=smoke", 1, "tvm"}, {"tvm\nprotocol=smoke", 2, "tvm"}, {"xla", 1, "xla"}};
  report.rows = {row_of("a/x", 0, 1e6), row_of("a/x", 1, 0.5e6), row_of("a/y", 0, 1e6),
                 row_of("a/y", 1, 2e6), row_of("a/z", 0, 1e6),   row_of("a/x", 2, 1e6)};
  return report;
}

TEST(ThreadScaling, ComparesTheSamplesOfBothNumbersOfThreads) {
  const std::vector<ThreadScaling> scalings = thread_scaling(report_of());
  ASSERT_EQ(scalings.size(), 1U);
  EXPECT_EQ(scalings[0].backend, "tvm");
  EXPECT_EQ(scalings[0].gain.count, 2);
  EXPECT_DOUBLE_EQ(scalings[0].gain.value, 1) << "twice as fast and half as fast";
  EXPECT_DOUBLE_EQ(scalings[0].efficiency(), 0.5);
  EXPECT_EQ(scalings[0].slower, std::vector<std::string>{"a/y"});
}

TEST(ThreadScaling, DoubtfulResultsDoNotCount) {
  Report report = report_of();
  report.rows[3].left_out = "unstable";
  const std::vector<ThreadScaling> scalings = thread_scaling(report);
  ASSERT_EQ(scalings.size(), 1U);
  EXPECT_DOUBLE_EQ(scalings[0].gain.value, 2);
  EXPECT_DOUBLE_EQ(scalings[0].efficiency(), 1);
  EXPECT_TRUE(scalings[0].slower.empty());
}

TEST(ThreadScaling, OtherConditionsAreNotCompared) {
  Report report = report_of();
  report.threads[1].conditions = "tvm\nprotocol=precise";
  EXPECT_TRUE(thread_scaling(report).empty());
  EXPECT_EQ(markdown_report(report).find("### Threads"), std::string::npos);
}

TEST(ThreadScaling, AnUnknownNumberIsNotTheFewest) {
  Report report = report_of();
  report.threads[0].count = 0;
  EXPECT_TRUE(thread_scaling(report).empty());
}

TEST(ThreadScaling, IsInMarkdownAndPage) {
  const std::string markdown = markdown_report(report_of());
  EXPECT_NE(markdown.find("### Threads"), std::string::npos) << markdown;
  EXPECT_NE(markdown.find("1: a/y"), std::string::npos) << markdown;
  EXPECT_NE(html_page(report_of()).find("<h3>Threads</h3>"), std::string::npos);
}

}  // namespace thread_scaling_test
}  // namespace graphnet::report
