// SPDX-License-Identifier: MIT
#include "report/html_page.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "report/headline.h"
#include "report/page_rows.h"
#include "report/shared_samples.h"
#include "report/svg.h"
#include "report/text_report.h"
#include "support/mentions.h"
#include "support/synthetic_records.h"

namespace graphnet::report {
namespace html_page_test {

using tests::mentions;

constexpr const char* kHostile =
    "</script><script>alert(1)</script><img src=x onerror=alert(1)>|`_*\"'&\x1b[2J\xff";

Report sweep(int num_samples, int num_backends) {
  tests::SyntheticSweep sweep(num_samples, num_backends, 8);
  Report report;
  report.title = "a sweep";
  for (int i = 0; i < sweep.size(); ++i) {
    const record::Record record = sweep.record(i);
    ResultRow row = result_row(record);
    row.backend = static_cast<std::size_t>(i % num_backends);
    if (i < num_backends) report.backends.push_back(record.plugin_variant);
    if (!row.flags.empty()) row.left_out = row.flags.front().text();
    report.rows.push_back(row);
  }
  return report;
}

base::Json data_of(const std::string& page) {
  const std::string start = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(start) + start.size();
  const auto json =
      base::parse_json(page.substr(from, page.find("</script>", from) - from), "page");
  EXPECT_TRUE(json.is_ok()) << json.status().to_string();
  return json.is_ok() ? *json : base::Json();
}

int occurrences(const std::string& text, const std::string& what) {
  int count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++count;
  }
  return count;
}

TEST(HtmlPage, BeginsWithTheSentenceThatComparesTheBackends) {
  const Report report = sweep(30, 3);
  const std::string sentence = headline_sentence(headlines(report).at(0), 0);
  const std::size_t at = html_page(report).find("<p class=\"headline\">" + escape_markup(sentence));
  EXPECT_NE(at, std::string::npos) << sentence;
}

TEST(HtmlPage, NeedsNothingFromOutside) {
  const std::string page = html_page(sweep(30, 3));
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const char* what : {"http:", "https:", "src=", "@import", "url(", "fetch("}) {
    EXPECT_EQ(page.find(what), std::string::npos) << what;
  }
  EXPECT_EQ(occurrences(page, "href=\"data:,\""), 1);
}

TEST(HtmlPage, HoldsEveryRow) {
  const Report report = sweep(40, 3);
  const base::Json data = data_of(html_page(report));
  ASSERT_EQ(data["sample"].size(), 120u);
  EXPECT_EQ(data["backends"], base::Json(report.backends));
  for (const auto& [key, column] : data.items()) {
    if (key == "words" || key == "backends") continue;
    EXPECT_EQ(column.size(), 120u) << key;
  }
  // Rows are sorted by sample, then backend.
  const std::string name = data["words"][data["sample"][0].get<std::size_t>()];
  EXPECT_EQ(data["backend"][0], 0);
  for (const ResultRow& row : report.rows) {
    if (row.sample == name && row.backend == 0 && row.speedup) {
      EXPECT_NEAR(data["speedup"][0].get<double>(), *row.speedup, 1e-3 * *row.speedup);
    }
  }
}

TEST(HtmlPage, HasAPartOverTheSamplesThatEveryBackendDid) {
  Report report;
  report.backends = {"x", "y", "absent"};
  for (std::size_t i = 0; i < 4; ++i) {
    ResultRow row;
    row.sample = i < 2 ? "both" : i == 2 ? "one" : "doubtful";
    row.backend = i % 2;
    row.outcome = record::Outcome::kOk;
    row.speedup = 2;
    if (i == 3) row.left_out = "unstable";
    report.rows.push_back(row);
  }
  EXPECT_EQ(common_samples(report), std::set<std::string>{"both"});
  EXPECT_EQ(only_samples(report, {"both"}).rows.size(), 2u);
  const std::string page = html_page(report);
  EXPECT_TRUE(mentions(page, {"only 1 sample", "every backend"}));
  EXPECT_NE(page.find("<div class=\"of-common\">"), std::string::npos);
  EXPECT_EQ(data_of(page)["common"], base::Json({1, 1, 0, 0}));
  report.backends.resize(1);
  EXPECT_EQ(html_page(report).find("<div class=\"of-common\">"), std::string::npos);
}

TEST(HtmlPage, HoldsWhatASampleShowsOfItsBackends) {
  const Report report = sweep(40, 3);
  const base::Json data = data_of(html_page(report));
  const auto word = [&](const char* key, std::size_t row) {
    return data["words"][data[key][row].get<std::size_t>()].get<std::string>();
  };
  std::size_t row = 0;
  while (word("outcome", row) != "ok" || data["backend"][row] != 1) ++row;
  EXPECT_EQ(word("entered", row), "JIT memory, libgn_acme.so");
  EXPECT_EQ(word("operators", row), "");
  ASSERT_EQ(data["shares"][row].size(), 6u);
  EXPECT_EQ(data["words"][data["shares"][row][0].get<std::size_t>()], "JIT memory");
  EXPECT_NE(word("levels", row).find("float32 "), std::string::npos);
  while (word("outcome", row) != "ok" || data["backend"][row] != 0) ++row;
  EXPECT_NE(word("operators", row).find(" more"), std::string::npos);
}

TEST(HtmlPage, HasQuantilesOfBothSides) {
  Report report = sweep(10, 2);
  const base::Json data = data_of(html_page(report));
  for (const char* side : {"eager", "plugin"}) {
    const base::Json& p90 = data[std::string(side) + "_p90"];
    const base::Json& p99 = data[std::string(side) + "_p99"];
    for (std::size_t i = 0; i < p90.size(); ++i) {
      ASSERT_EQ(p90[i].is_null(), data[side][i].is_null()) << side << " " << i;
      if (p90[i].is_null()) continue;
      EXPECT_LE(p90[i].get<double>(), p99[i].get<double>());
    }
  }
  for (ResultRow& row : report.rows) row.plugin_p99_ns.reset();
  const base::Json without = data_of(html_page(report));
  for (const base::Json& value : without["plugin_p99"]) EXPECT_TRUE(value.is_null());
}

TEST(ResultRow, QuantilesAreOfTheTimedCalls) {
  record::Record record;
  EXPECT_EQ(result_row(record).eager_p90_ns, std::nullopt);
  for (int i = 100; i >= 0; --i) record.eager.trials_ns.push_back(i);
  record.plugin_side.trials_ns = {7};
  const ResultRow row = result_row(record);
  EXPECT_DOUBLE_EQ(row.eager_p90_ns.value_or(0), 90);
  EXPECT_DOUBLE_EQ(row.eager_p99_ns.value_or(0), 99);
  EXPECT_DOUBLE_EQ(row.plugin_p90_ns.value_or(0), 7);
}

TEST(ResultRow, LevelsAreThoseFromWhichEveryOutputPasses) {
  record::Record record;
  EXPECT_EQ(result_row(record).levels, "");
  // Four digits a tolerance, from t = -10 on: float16, bfloat16, float32, float64.
  std::string all = "0000";
  for (int t = -9; t <= 5; ++t) all += "1110";
  std::string gap = all;
  gap[4 * 9 + 2] = '0';  // float32 at t = -1
  record.correctness = {{"all_close", {all, gap}}};
  EXPECT_EQ(result_row(record).levels, "float16 -9, bfloat16 -9, float32 0, float64 none");
  record.correctness = {{"all_close", {std::string(64, '1')}}};
  EXPECT_EQ(result_row(record).levels, "float16 -10, bfloat16 -10, float32 -10, float64 -10");
  record.correctness = {{"all_close", {"11", 7}}};
  EXPECT_EQ(result_row(record).levels, "float16 none, bfloat16 none, float32 none, float64 none");
}

TEST(HtmlPage, HostileTextStaysText) {
  Report report = sweep(3, 2);
  report.title = report.backends[0] = kHostile;
  report.facts = {{kHostile, kHostile}};
  report.notes = {kHostile};
  ResultRow& row = report.rows[0];
  row.sample = row.family = row.category = row.message = kHostile;
  row.timing = record::Word<record::TimingVerdict>(kHostile);
  row.flags = {record::Word<record::Flag>(kHostile)};
  row.levels = row.operators = row.entered = kHostile;
  row.time_shares = {{kHostile, 0.5}};
  row.verdict = {record::ProofVerdict::kMixed, kHostile};
  row.outcome = record::Outcome::kOk;
  ResultRow& failed = report.rows[1];
  failed.outcome = record::Word<record::Outcome>(kHostile);
  const std::string page = html_page(report);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find('\x1b'), std::string::npos);
  EXPECT_EQ(occurrences(page, "</script>"), 2);
  EXPECT_NE(data_of(page)["words"].dump().find("alert(1)"), std::string::npos);
}

TEST(HtmlPage, OneSampleAndNone) {
  Report report;
  report.title = "nothing";
  EXPECT_NE(html_page(report).find("no samples"), std::string::npos);
  EXPECT_EQ(data_of(html_page(report))["sample"].size(), 0u);
  const std::string page = html_page(sweep(1, 1));
  EXPECT_NE(page.find("(no interval)"), std::string::npos);
  EXPECT_EQ(page.find("Backend against backend"), std::string::npos);
}

TEST(HtmlPage, CountsOutcomesFlagsAndVerdicts) {
  Report report;
  report.backends = {"x"};
  using record::Outcome;
  for (const Outcome outcome :
       {Outcome::kOk, Outcome::kOk, Outcome::kCrashed, Outcome::kSkipped, Outcome::kOk}) {
    ResultRow row;
    row.sample = "s" + std::to_string(report.rows.size());
    row.outcome = outcome;
    row.counting = record::facts_of(outcome).counting;
    row.verdict = record::Verdict("mixed(aten.sort)");
    row.speedup = 2;
    report.rows.push_back(row);
  }
  report.rows[1].flags = {record::Flag::kImplausible};
  report.rows[1].left_out = "implausible";
  report.rows[3].left_out = "skipped";
  report.noise_floor = 0.0123;
  const std::string page = html_page(report);
  EXPECT_NE(page.find("<td>1 crashed</td><td>1 skipped</td><td>2.000x [2.000, 2.000]</td>"),
            std::string::npos);
  EXPECT_NE(page.find("<td>1 implausible</td>"), std::string::npos);
  EXPECT_NE(page.find("<tr><td>mixed</td><td class=\"n\">3</td></tr>"), std::string::npos);
  EXPECT_NE(page.find("Noise floor 1.23 %"), std::string::npos);
}

TEST(Markdown, HasScoresAndEscapes) {
  Report report = sweep(20, 2);
  report.title = "nightly";
  report.est = {{"nope", {{-5, 0.9, 0.8, 1.0, {}}, {0, 1, {}, {}, {}}}}, {"xla", {}}};
  report.rows[0].flags = {record::Word<record::Flag>(kHostile)};
  const std::string text = markdown_report(report);
  EXPECT_NE(text.find("| nope | - | 0.900 [0.800, 1.000] | - | 1.000 | - | - |\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("<script>"), std::string::npos);
  EXPECT_EQ(text.find("](http"), std::string::npos);
}

TEST(Csv, QuotesAndKeepsDigits) {
  Report report;
  report.backends = {"a,b"};
  ResultRow row;
  row.sample = "x\"y";
  row.outcome = record::Outcome::kOk;
  row.speedup = 0.1;
  row.message = "two\nlines";
  report.rows = {row};
  const std::string csv = csv_report(report);
  const std::string line = csv.substr(csv.find("\r\n") + 2);
  EXPECT_EQ(line,
            "\"x\"\"y\",,,\"a,b\",ok,,,,,0.10000000000000001,,,,,,,,,,,,,,\"two\nlines\"\r\n");
  const std::string head = csv.substr(0, csv.find("\r\n"));
  EXPECT_EQ(occurrences(head, ","), 23);
}

}  // namespace html_page_test
}  // namespace graphnet::report
