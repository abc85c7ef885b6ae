// SPDX-License-Identifier: MIT
#include "report/charts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/score_chart.h"
#include "report/speedup_charts.h"
#include "support/folders.h"
#include "support/golden.h"
#include "support/xml_check.h"

namespace graphnet::report {
namespace charts_test {

constexpr const char* kHostile = "<b>\"x\"&'y'</b>]]>\x1b[2J\xff\n\xe2\x80\xae-模型";

std::vector<ScoreCurve> curves() {
  ScoreCurve curve{"nope", {}};
  for (int t = -4; t <= 3; ++t) {
    ScorePoint point;
    point.t = t;
    point.value = t < -2 ? 0.1 : 0.9 + 0.05 * t;
    point.low = point.value - 0.05;
    point.high = point.value + 0.05;
    point.aggregated = point.value;
    curve.points.push_back(point);
  }
  ScoreCurve bare{"xla+rewrites", {}};
  for (int t = -4; t <= 3; ++t) bare.points.push_back({t, 1.2 + 0.01 * t, {}, {}, {}});
  return {curve, bare};
}

std::vector<SpeedupGroup> groups() {
  SpeedupGroup nope{"nope", {}, {}};
  for (int i = 0; i < 40; ++i) nope.speedups.push_back(std::exp2(0.02 * std::sin(i)));
  SpeedupGroup xla{"xla+rewrites", {0.5, 0.9, 1.4, 1.5, 1.6, 2.2, 4.1}, {}};
  xla.failures = {{"unsupported", 2}, {"accuracy_mismatch", 1}};
  xla.doubtful = {3.3};
  SpeedupGroup broken{"broken", {}, {{"crashed", 10}}};
  SpeedupGroup single{"single", {2.0}, {}};
  return {nope, xla, broken, single};
}

GroupRow row(const std::string& name, double value, int num_ok) {
  GroupRow::Entry entry;
  entry.mean = {value, value * 0.9, value * 1.1, num_ok, true};
  entry.num_ok = num_ok;
  entry.num_samples = num_ok + 1;
  return {name, {entry, {{}, 3, 0}}};
}

/// The name of one that is in the list of charts.
ChartName listed(const std::string& file) {
  for (const ChartName& name : chart_names()) {
    if (name.file == file) return name;
  }
  ADD_FAILURE() << file << " is not in the list of charts";
  return {"", ""};
}

PlotLabels labels(const char* title) {
  return {title, "x", "share of samples", ""};
}

Chart ecdf_of(const std::vector<SpeedupGroup>& groups) {
  std::vector<CumulativeCurve> curves;
  for (const SpeedupGroup& group : groups) {
    curves.push_back({group.name, group.speedups, group.num_failed(), group.num_samples()});
  }
  return cumulative_chart("ecdf", labels("ecdf"), Scale::kRatio, curves);
}

std::vector<Chart> all_charts(const std::vector<ScoreCurve>& scores,
                              const std::vector<SpeedupGroup>& speedups,
                              const ScatterInput& scatter, const std::vector<GroupRow>& rows) {
  std::vector<std::string> names;
  for (const SpeedupGroup& group : speedups) names.push_back(group.name);
  return {st_chart(listed("st"), scores, "p = 0, b = 0.1"),
          est_chart(listed("est"), scores, "p = 0, b = 0.1"),
          violin_chart(listed("violin"), speedups),
          ecdf_of(speedups),
          scatter_chart(listed("scatter"), scatter),
          group_chart(listed("family"), names, rows)};
}

/// Everything that a chart can be drawn from.
Report full_report() {
  Report report;
  report.backends = {"nope", "xla"};
  report.est = report.st = curves();
  for (std::size_t backend = 0; backend < 2; ++backend) {
    ResultRow row;
    row.sample = "timm/resnet10t";
    row.family = "timm";
    row.category = "vision";
    row.backend = backend;
    row.outcome = record::Outcome::kOk;
    row.speedup = 1.5;
    row.compile_ns = 3e8;
    row.break_even_calls = 1200;
    row.limit_share = 0.4;
    report.rows.push_back(row);
  }
  return report;
}

TEST(Charts, Golden) {
  const ScatterInput scatter = {"nope", "xla", {{1, 2}, {0.5, 0.5}, {1.1, 0.25}}, {{3, 1}}, {1},
                                {2, 3}, 4};
  const auto charts =
      all_charts(curves(), groups(), scatter, {row("timm", 1.4, 20), row("torchvision", 0.7, 1)});
  for (const Chart& chart : charts) {
    EXPECT_EQ(tests::XmlCheck(chart.standalone).problem(), "") << chart.name;
    EXPECT_EQ(tests::XmlCheck(chart.embedded).problem(), "") << chart.name;
    tests::expect_golden(tests::source_dir() + "/tests/unit/report/golden/" + chart.name + ".svg",
                         chart.standalone);
  }
}

TEST(Charts, AReportHasEveryChartOfTheList) {
  std::set<std::string> drawn;
  for (const auto& [section, chart] : draw_charts(full_report())) {
    drawn.insert(section == ChartSection::kPairs ? chart.name.substr(0, chart.name.find('-'))
                                                 : chart.name);
    EXPECT_EQ(tests::XmlCheck(chart.standalone).problem(), "") << chart.name;
  }
  std::set<std::string> expected;
  for (const ChartName& name : chart_names()) expected.insert(name.file);
  EXPECT_EQ(drawn, expected);
}

TEST(Charts, ChartsWithoutDataAreLeftOutAndNamesDiffer) {
  Report report = full_report();
  report.est.clear();
  report.st.clear();
  report.backends = {"a/b", "a b", "a:b"};  // one file name
  std::set<std::string> names;
  std::size_t num_pairs = 0;
  for (const auto& [section, chart] : draw_charts(report)) {
    EXPECT_TRUE(names.insert(chart.name).second) << chart.name;
    num_pairs += section == ChartSection::kPairs ? 1 : 0;
  }
  EXPECT_EQ(num_pairs, 3u);
  EXPECT_EQ(names.count("est") + names.count("st"), 0u);
}

TEST(Charts, WithoutDataSaySo) {
  const auto charts = all_charts({}, {}, {}, {});
  ASSERT_EQ(charts.size(), 6u);
  for (const Chart& chart : charts) {
    EXPECT_EQ(tests::XmlCheck(chart.standalone).problem(), "") << chart.name;
    EXPECT_NE(chart.standalone.find("no samples"), std::string::npos) << chart.name;
  }
}

TEST(Charts, HostileNamesStayText) {
  std::vector<ScoreCurve> scores = curves();
  scores[0].name = kHostile;
  std::vector<SpeedupGroup> speedups = groups();
  speedups[0].name = kHostile;
  speedups[1].failures[kHostile] = 3;
  const ScatterInput scatter = {kHostile, kHostile, {{1, 1}}, {}, {}, {}, 0};
  for (const Chart& chart : all_charts(scores, speedups, scatter, {row(kHostile, 1, 2)})) {
    EXPECT_EQ(tests::XmlCheck(chart.standalone).problem(), "") << chart.name;
    EXPECT_EQ(chart.embedded.find("<b>"), std::string::npos) << chart.name;
    EXPECT_EQ(chart.name.find_first_of("/<>\"'& \n"), std::string::npos) << chart.name;
  }
}

TEST(Charts, NumbersNobodyCanDrawAreNoCrash) {
  std::vector<ScoreCurve> scores = curves();
  scores[0].points[0].value = std::nan("");
  scores[1].points[1].value = INFINITY;
  SpeedupGroup extreme{"extreme", {1e-300, 1e300, 1, 1, 2}, {}};
  const ScatterInput scatter = {"a", "b", {{1e-300, 1e300}}, {}, {1e300}, {1e-300}, 0};
  for (const Chart& chart : all_charts(scores, {extreme}, scatter, {row("x", 1e300, 2)})) {
    EXPECT_EQ(tests::XmlCheck(chart.standalone).problem(), "") << chart.name;
    EXPECT_EQ(chart.standalone.find("nan"), std::string::npos) << chart.name;
    EXPECT_EQ(chart.standalone.find("inf"), std::string::npos) << chart.name;
  }
}

int occurrences(const std::string& text, const std::string& what) {
  int count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

TEST(ViolinChart, FewSamplesAreDotsAndDoubtfulOnesHollow) {
  const auto drawn = [](int kept, int doubtful) {
    SpeedupGroup group{"x", {}, {}};
    for (int i = 0; i < kept; ++i) group.speedups.push_back(1 + 0.1 * i);
    for (int i = 0; i < doubtful; ++i) group.doubtful.push_back(2);
    return violin_chart(listed("violin"), {group}).embedded;
  };
  const int enough = static_cast<int>(kFewestForDensity);
  const std::string dots = drawn(enough - 1, 2);
  EXPECT_EQ(occurrences(dots, "<path class=\"s0 mark\""), enough - 1);
  EXPECT_EQ(occurrences(dots, "<path class=\"s0 hollow\" transform"), 2);
  EXPECT_EQ(occurrences(dots, "<path class=\"s0 area\""), 0);
  const std::string violin = drawn(enough, 2);
  EXPECT_EQ(occurrences(violin, "<path class=\"s0 mark\""), 0);
  EXPECT_EQ(occurrences(violin, "<path class=\"s0 hollow\" transform"), 2);
  EXPECT_EQ(occurrences(violin, "<path class=\"s0 area\""), 1);
}

TEST(ViolinChart, SharesAreOfEverySampleThatRan) {
  const SpeedupGroup group{"x", {1, 2}, {{"crashed", 1}}, {3}, 1};
  EXPECT_EQ(group.num_samples(), 5);
  EXPECT_NE(violin_chart(listed("violin"), {group}).embedded.find(">1 (20 %)<"), std::string::npos);
}

TEST(GroupChart, GroupsWithoutAMeanAreCountedBelow) {
  GroupRow failed{"failed", {{{}, 3, 0}}};
  const std::string svg =
      group_chart(listed("family"), {"x"}, {row("timm", 1, 2), failed}).embedded;
  EXPECT_EQ(svg.find(">failed<"), std::string::npos);
  EXPECT_NE(svg.find("not shown: 1"), std::string::npos);
}

TEST(Charts, ThePairOfCompilersComesBeforeThoseWithTheControl) {
  Report report = full_report();
  report.backends = {"nope", "xla", "tvm"};
  report.rows.push_back(report.rows[1]);
  report.rows[2].backend = 2;
  report.rows[0].verdict = record::Verdict("eager");
  std::vector<std::string> pairs;
  for (const auto& [section, chart] : draw_charts(report)) {
    if (section == ChartSection::kPairs) pairs.push_back(chart.name);
  }
  EXPECT_EQ(pairs,
            (std::vector<std::string>{"scatter-xla-tvm", "scatter-nope-xla", "scatter-nope-tvm"}));
}

TEST(EStChart, HoldsItsValueUpToTheNextStep) {
  ScoreCurve curve{"x", {{0, 1, {}, {}, {}}, {1, 2, {}, {}, {}}, {2, 2, {}, {}, {}}}};
  const std::string svg = est_chart(listed("est"), {curve}, "").standalone;
  // From (0, 1) to (1, 1), up to (1, 2), on to (2, 2) and half a step further.
  const std::size_t start = svg.find("<path class=\"s0 line\" d=\"", svg.find("</style>") + 400);
  ASSERT_NE(start, std::string::npos);
  const std::string path = svg.substr(start, svg.find("/>", start) - start);
  EXPECT_EQ(std::count(path.begin(), path.end(), 'L'), 5) << path;
  EXPECT_EQ(st_chart(listed("st"), {curve}, "").standalone.find("at t = 1"), std::string::npos);
}

}  // namespace charts_test
}  // namespace graphnet::report
