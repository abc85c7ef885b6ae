// SPDX-License-Identifier: MIT
// The page of `graphnet report --html` in a browser: page_driver.js uses it, this file says what it
// must have shown. Skipped where there is no Chromium.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/json.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/synthetic_records.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBrowser = "/usr/bin/chromium";
constexpr int kSamples = 60;
constexpr int kBackends = 3;

std::string results() {
  SyntheticSweep sweep(kSamples, kBackends, 4);
  std::string text =
      "{\"schema\":\"graphnet.journal/1\",\"record_schema\":\"graphnet.record/1\","
      "\"run_id\":\"synthetic\"}\n";
  for (int i = 0; i < sweep.size(); ++i) {
    text += base::dump_json(record::to_json(sweep.record(i))) + "\n";
  }
  return text;
}

/// Numbers of cells like "1.23x"; an empty cell, which comes last, is left out.
std::vector<double> ratios(const base::Json& cells) {
  std::vector<double> numbers;
  for (const base::Json& cell : cells) {
    const std::string text = cell.get<std::string>();
    if (!text.empty()) numbers.push_back(std::stod(text));
  }
  return numbers;
}

class PageInBrowser : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kBrowser)) GTEST_SKIP() << "no chromium here; apt-get install chromium";
    const std::string file = temp_.write("a.jsonl", results()).string();
    const ProgramEnd made =
        run_program({build_dir() + "/bin/graphnet", "report", file, "--html", path("page.html")},
                    {}, temp_.path() / "log");
    ASSERT_EQ(made.state.exit_code, 0) << made.output;
  }

  std::string path(const std::string& name) const { return (temp_.path() / name).string(); }

  /// What the browser prints: its log, then the page as the script left it.
  std::string open(const std::string& file, int width, const std::string& fragment = "") {
    const ProgramEnd end = run_program(
        {kBrowser, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr",
         "--window-size=" + std::to_string(width) + ",2000", "--user-data-dir=" + path("profile"),
         "--dump-dom", "file://" + file + fragment},
        {"HOME=" + temp_.path().string()}, path("browser.log"));
    const std::size_t complaint = end.output.find("CONSOLE");
    if (complaint != std::string::npos) {
      ADD_FAILURE() << "the page complains: " << end.output.substr(complaint, 500);
    }
    return end.output;
  }

  base::Json use(int width) {
    const std::string page = read_text(path("page.html"));
    const std::string driver = read_text(source_dir() + "/tests/browser/page_driver.js");
    const std::size_t end = page.rfind("</body>");
    const std::string used = temp_
                                 .write("used.html", page.substr(0, end) + "<script>" + driver +
                                                         "</script>" + page.substr(end))
                                 .string();
    const std::string shown = open(used, width);
    const std::string opening = "<pre id=\"observed\">";
    const std::size_t from = shown.find(opening);
    if (from == std::string::npos) {
      ADD_FAILURE() << "the driver did not come to its end\n" << shown.substr(0, 2000);
      return base::Json::object();
    }
    const std::size_t start = from + opening.size();
    const auto seen =
        base::parse_json(shown.substr(start, shown.find("</pre>", start) - start), "observed");
    EXPECT_TRUE(seen.is_ok()) << seen.status().to_string();
    return seen.is_ok() ? *seen : base::Json::object();
  }

  TempDir temp_;
};

TEST_F(PageInBrowser, FiltersSortsAndShowsSamples) {
  const base::Json seen = use(1280);
  EXPECT_EQ(seen["allRows"], "180 of 180 rows, page 1 of 2");
  ASSERT_FALSE(seen["filtered"].empty());
  EXPECT_LT(seen["filtered"].size(), 34U);  // model_1, model_10 to model_19, with 3 backends
  for (const base::Json& sample : seen["filtered"]) {
    EXPECT_NE(sample.get<std::string>().find("model_1"), std::string::npos) << sample;
  }
  for (const base::Json& outcome : seen["filteredOutcomes"]) EXPECT_EQ(outcome, "ok");
  const std::vector<double> falling = ratios(seen["fastestFirst"]);
  const std::vector<double> rising = ratios(seen["slowestFirst"]);
  EXPECT_GT(falling.size(), 90U);
  EXPECT_TRUE(std::is_sorted(falling.rbegin(), falling.rend()));
  EXPECT_TRUE(std::is_sorted(rising.begin(), rising.end()));

  const auto has = [](const base::Json& list, const char* what) {
    return std::find(list.begin(), list.end(), base::Json(what)) != list.end();
  };
  EXPECT_EQ(seen["moreHeadings"].size(), seen["headings"].size() + 4);
  const auto slowest = seen["slowestCalls"].get<std::vector<double>>();
  EXPECT_GT(slowest.size(), 90U);
  EXPECT_TRUE(std::is_sorted(slowest.rbegin(), slowest.rend())) << seen["slowestCalls"];
  for (const char* name : {"eager p90", "eager p99", "plugin p90", "plugin p99"}) {
    EXPECT_FALSE(has(seen["headings"], name)) << name;
    EXPECT_TRUE(has(seen["rowDetails"], name)) << seen["rowDetails"];
    EXPECT_TRUE(has(seen["sampleDetails"], name)) << seen["sampleDetails"];
  }
  EXPECT_TRUE(has(seen["rowDetails"], "plugin code entered")) << seen["rowDetails"];
  EXPECT_TRUE(has(seen["sampleDetails"], "passes from t")) << seen["sampleDetails"];
  EXPECT_EQ(seen["address"].get<std::string>().rfind("#sample=", 0), 0U) << seen["address"];
}

TEST_F(PageInBrowser, ShowsCommonSamplesOnDemand) {
  const base::Json seen = use(1280);
  EXPECT_EQ(seen["partsBefore"], base::Json({true, false}));
  EXPECT_EQ(seen["partsAfter"], base::Json({false, true}));
  EXPECT_NE(seen["commonRows"], seen["allRows"]);
  EXPECT_EQ(seen["commonOutcomes"], base::Json({"ok"}));
  EXPECT_NE(seen["paper"][0], seen["paper"][1]) << "the button does not change the theme";
}

TEST_F(PageInBrowser, CutsNothingOffAndTakesNoNetwork) {
  for (const int width : {1280, 800}) {
    const base::Json seen = use(width);
    EXPECT_EQ(seen["width"], width);
    EXPECT_EQ(seen["isWiderThanWindow"], false) << width;
    if (width >= 1280) {
      EXPECT_EQ(seen["cutOff"], base::Json::array());
    }
    // What its policy refuses is a complaint, which open() reports.
    EXPECT_EQ(seen["requests"], base::Json::array());
  }
}

TEST_F(PageInBrowser, AnAddressOpensItsSample) {
  const std::string shown = open(path("page.html"), 1280, "#sample=timm%2Fmodel_0.in1k");
  EXPECT_NE(
      shown.find("<button class=\"opener\" aria-expanded=\"true\">timm/model_0.in1k</button>"),
      std::string::npos);
}

}  // namespace
}  // namespace graphnet::tests
