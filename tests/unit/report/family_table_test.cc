// SPDX-License-Identifier: MIT
#include "report/family_table.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/page_tables.h"
#include "report/summary.h"
#include "report/text_report.h"

namespace graphnet::report {
namespace family_table_test {

ResultRow row_of(const std::string& sample, std::size_t backend, double speedup) {
  ResultRow row;
  row.sample = sample;
  row.family = sample.substr(0, sample.find('/'));
  row.backend = backend;
  row.outcome = record::Outcome::kOk;
  row.speedup = speedup;
  row.compile_ns = 1e9 * speedup;
  row.peak_bytes = 512.0 * 1024 * 1024;
  return row;
}

ResultRow failed_row(const std::string& sample, std::size_t backend) {
  ResultRow row = row_of(sample, backend, 1);
  row.outcome = record::Outcome::kUnsupported;
  row.counting = record::Counting::kFailed;
  row.speedup.reset();
  return row;
}

Report report_of() {
  Report report;
  report.title = "graphnet report";
  report.facts = {{"command", "graphnet run samples --config a.yaml --config b.yaml"},
                  {"machine", "AMD EPYC/2 threads"}};
  report.noise_floor = 0.02;
  report.backends = {"a", "b"};
  report.conditions = {"smoke", "smoke"};
  report.rows = {row_of("timm/x", 0, 2), row_of("timm/x", 1, 3), row_of("nemo/y", 0, 4),
                 failed_row("nemo/y", 1)};
  return report;
}

TEST(Families, CommonSamplesOfEachFamilyAndAll) {
  const Report report = report_of();
  const std::vector<Family> all = families(report, headlines(report).at(0));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].name, "nemo");
  EXPECT_EQ(all[0].num_common, 0);
  EXPECT_EQ(all[0].entries[1].not_ok.at("unsupported"), 1);
  EXPECT_EQ(all[0].entries[1].num_samples, 1);
  EXPECT_EQ(all[1].name, "timm");
  EXPECT_EQ(all[1].num_common, 1);
  EXPECT_DOUBLE_EQ(all[1].entries[1].common.value, 3);
  EXPECT_EQ(all[2].name, "all");
  EXPECT_EQ(all[2].num_samples, 2);
  EXPECT_EQ(all[2].entries[0].num_ok, 2);
  EXPECT_EQ(all[2].entries[0].common.count, 1) << "nemo/y is none of the common samples";
  EXPECT_EQ(all[2].entries[0].compile_ns, (std::vector<double>{2e9, 4e9}));
}

TEST(Families, ConditionsHaveTablesOfTheirOwn) {
  Report report = report_of();
  report.conditions = {"smoke", "standard"};
  const auto all = headlines(report);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(families(report, all[1]).back().entries.size(), 1U);
}

TEST(Markdown, HasCommandMachineNoiseSentenceAndFamilies) {
  const std::string text = markdown_report(report_of());
  for (const char* wanted :
       {"- command: graphnet run samples", "- machine: AMD EPYC", "- noise floor: 2.00 %",
        "b is 1.50x faster than a on 1 common sample; failed: 1 sample (b)",
        "| backend | ok | not ok | speedup on 1 common sample |",
        "| nemo | b | 0 of 1 | 1 unsupported | 0 | - | - | - | - | - |",
        "| timm | a | 1 of 1 | - | 1 | 2.000x (no interval) | 2.00 s | 2.00 s | 512 MiB | 512 MiB "
        "|",
        "| all | a | 2 of 2 |"}) {
    EXPECT_NE(text.find(wanted), std::string::npos) << wanted << " is not in\n" << text;
  }
}

TEST(FamilyTable, PageAndMarkdownShowTheSame) {
  for (const bool is_one_condition : {true, false}) {
    Report report = report_of();
    if (!is_one_condition) report.conditions = {"smoke", "standard"};
    const std::string html = family_tables(report);
    std::size_t num_rows = 0;
    for (const Headline& headline : headlines(report)) {
      const std::vector<Family> all = families(report, headline);
      for (const Cells& cells : family_rows(all)) {
        ASSERT_EQ(cells.size(), family_columns().size());
        std::string row = "<tr>";
        std::string line;
        for (std::size_t i = 0; i < cells.size(); ++i) {
          row += (family_columns()[i].is_number ? "<td class=\"n\">" : "<td>") + cells[i] + "</td>";
          line += "| " + markdown_cell(cells[i]) + " ";
        }
        EXPECT_NE(html.find(row + "</tr>\n"), std::string::npos) << row << " is not in\n" << html;
        EXPECT_NE(family_markdown(all).find(line + "|\n"), std::string::npos) << line;
        ++num_rows;
      }
      const bool has_title = html.find("<p>" + headline.condition + "</p>") != std::string::npos;
      EXPECT_EQ(has_title, !is_one_condition);
    }
    std::size_t num_shown = 0;
    for (std::size_t at = 0; (at = html.find("<tr><td>", at)) != std::string::npos; ++at) {
      ++num_shown;
    }
    EXPECT_EQ(num_shown, num_rows);
  }
}

// What was not run is in the denominator of the table and of the chart beside it.
TEST(FamilyTable, ChartAndTableCountTheSameSamples) {
  Report report = report_of();
  ResultRow skipped = failed_row("timm/z", 0);
  skipped.outcome = record::Outcome::kSkipped;
  skipped.counting = record::Counting::kNotCounted;
  skipped.left_out = "skipped";
  report.rows.push_back(skipped);
  const std::vector<Family> all = families(report, headlines(report).at(0));
  for (const GroupRow& group : group_rows(report, &ResultRow::family)) {
    const auto family = std::find_if(all.begin(), all.end(),
                                     [&](const Family& one) { return one.name == group.name; });
    ASSERT_NE(family, all.end());
    for (std::size_t i = 0; i < group.entries.size(); ++i) {
      EXPECT_EQ(group.entries[i].num_samples, family->entries[i].num_samples) << group.name;
      EXPECT_EQ(group.entries[i].num_ok, family->entries[i].num_ok) << group.name;
    }
  }
}

}  // namespace family_table_test
}  // namespace graphnet::report
