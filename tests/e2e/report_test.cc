// SPDX-License-Identifier: MIT
// Commands on results: report and compare.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/json.h"
#include "support/folders.h"
#include "support/perfetto_reader.h"
#include "support/run_program.h"
#include "support/synthetic_records.h"
#include "support/temp_dir.h"
#include "support/xml_check.h"

namespace graphnet::tests {
namespace report_test {

namespace fs = std::filesystem;

constexpr const char* kHeader =
    "{\"schema\":\"graphnet.journal/1\",\"record_schema\":\"graphnet.record/1\","
    "\"run_id\":\"synthetic\"}\n";

using Change = std::function<void(record::Record&)>;

/// A journal of `num_samples` samples with each of the first backends, changed by `change`.
std::string journal_text(int num_samples, int num_backends, const Change& change = {}) {
  SyntheticSweep sweep(num_samples, num_backends, 4);
  std::string text = kHeader;
  for (int i = 0; i < sweep.size(); ++i) {
    record::Record record = sweep.record(i);
    if (change) change(record);
    text += base::dump_json(record::to_json(record)) + "\n";
  }
  return text;
}

class ResultCommands : public ::testing::Test {
 protected:
  ProgramEnd graphnet(std::vector<std::string> words, std::vector<std::string> environment = {}) {
    words.insert(words.begin(), build_dir() + "/bin/graphnet");
    return run_program(words, environment, temp_.path() / "log");
  }
  std::string file(const std::string& name, const std::string& text) {
    return temp_.write(name, text).string();
  }
  std::string path(const std::string& name) const { return (temp_.path() / name).string(); }

  TempDir temp_;
};

/// What the charts in a text say that they are. The page has a chart twice, where common samples
/// differ.
std::set<std::string> chart_names(const std::string& text) {
  const std::string begin = "role=\"img\" aria-label=\"";
  std::set<std::string> names;
  for (std::size_t at = 0; (at = text.find(begin, at)) != std::string::npos;) {
    at += begin.size();
    names.insert(text.substr(at, text.find('"', at) - at));
  }
  return names;
}

TEST_F(ResultCommands, ReportWritesAPageAndPlots) {
  const std::string results = file("a.jsonl", journal_text(30, 3));
  const ProgramEnd end =
      graphnet({"report", results, "--html", path("out.html"), "--plots", path("plots")});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_NE(end.output.find("wrote " + path("out.html")), std::string::npos) << end.output;
  const std::string page = read_text(path("out.html"));
  EXPECT_NE(page.find("ES(t) by tolerance"), std::string::npos);
  EXPECT_NE(page.find("xla+rewrites"), std::string::npos);
  EXPECT_EQ(read_text(path("plots/results.csv")).rfind("sample,family,category,backend,", 0), 0U);
  std::set<std::string> charts;
  for (const auto& entry : fs::directory_iterator(path("plots"))) {
    if (entry.path().extension() != ".svg") continue;
    const std::string chart = read_text(entry.path());
    EXPECT_EQ(XmlCheck(chart).problem(), "") << entry.path();
    charts.merge(chart_names(chart));
  }
  EXPECT_FALSE(charts.empty());
  EXPECT_EQ(charts, chart_names(page)) << "the page and --plots show the same charts";
}

TEST_F(ResultCommands, CategoriesComeFromTheSamples) {
  file("samples/timm/x/graph_net.json", R"({"heuristic_tag": "computer_vision"})");
  const std::string folder = path("samples/timm/x");
  const std::string results = file(
      "a.jsonl", journal_text(2, 1, [&](record::Record& record) { record.sample_path = folder; }));
  const ProgramEnd end = graphnet({"report", results, "--plots", path("plots")});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_NE(read_text(path("plots/results.csv")).find(",computer_vision,"), std::string::npos);
  EXPECT_NE(read_text(path("plots/category.svg")).find("computer_vision"), std::string::npos);
}

TEST_F(ResultCommands, CategoriesOfTheRecordsComeFirst) {
  file("samples/timm/x/graph_net.json", R"({"heuristic_tag": "computer_vision"})");
  const std::string folder = path("samples/timm/x");
  const auto labelled = [&](record::Record& record) {
    record.sample_path = folder;
    record.category = "nlp";
  };
  const std::string results = file("a.jsonl", journal_text(2, 1, labelled));
  const ProgramEnd end = graphnet({"report", results, "--plots", path("plots")});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  const std::string rows = read_text(path("plots/results.csv"));
  EXPECT_NE(rows.find(",nlp,"), std::string::npos) << rows;
  EXPECT_EQ(rows.find("computer_vision"), std::string::npos) << rows;
}

TEST_F(ResultCommands, ReportReadsUpstreamLogsBesideJournals) {
  const std::string results = file("a.jsonl", journal_text(5, 1));
  const std::string log = source_dir() + "/tests/golden/upstream-logs";
  std::string some_log;
  for (const auto& entry : fs::recursive_directory_iterator(log)) {
    if (entry.path().extension() == ".log" || entry.path().extension() == ".txt") {
      some_log = entry.path().string();
    }
  }
  ASSERT_FALSE(some_log.empty());
  const ProgramEnd end = graphnet({"report", results, some_log, "--markdown", "-q"});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_NE(end.output.find("| nope"), std::string::npos) << end.output;
}

TEST_F(ResultCommands, ReportRefusesWhatItCannotDo) {
  const std::string results = file("a.jsonl", journal_text(2, 1));
  EXPECT_EQ(graphnet({"report"}).state.exit_code, 2);
  EXPECT_EQ(graphnet({"report", results, "--csv", "--markdown"}).state.exit_code, 2);
  EXPECT_EQ(graphnet({"report", results, "--markdown", "--png"}).state.exit_code, 2);
  EXPECT_EQ(graphnet({"report", path("none.jsonl"), "--markdown"}).state.exit_code, 3);
  const std::string empty = file("empty.jsonl", kHeader);
  EXPECT_EQ(graphnet({"report", empty, "--html", path("out.html")}).state.exit_code, 3);
  EXPECT_FALSE(fs::exists(path("out.html")));
  const ProgramEnd no_folder = graphnet({"report", results, "--html", path("no/such/out.html")});
  EXPECT_EQ(no_folder.state.exit_code, 2) << no_folder.output;
}

TEST_F(ResultCommands, PngNeedsItsConverterAndSaysSo) {
  const std::string results = file("a.jsonl", journal_text(2, 1));
  const ProgramEnd end =
      graphnet({"report", results, "--plots", path("plots"), "--png"}, {"PATH=/nonexistent"});
  EXPECT_EQ(end.state.exit_code, 5);
  EXPECT_NE(end.output.find("apt-get install librsvg2-bin"), std::string::npos) << end.output;
  const std::string fake =
      file("bin/rsvg-convert", "#!/bin/sh\necho \"$3\" > \"${2#--output=}\"\n");
  fs::permissions(fake, fs::perms::owner_all);
  const ProgramEnd made = graphnet({"report", results, "--plots", path("plots"), "--png"},
                                   {"PATH=" + path("bin") + ":/usr/bin:/bin"});
  EXPECT_EQ(made.state.exit_code, 0) << made.output;
  EXPECT_EQ(read_text(path("plots/ecdf.png")), path("plots/ecdf.svg") + "\n");
}

TEST_F(ResultCommands, CompareFindsARegression) {
  const std::string before = file("before.jsonl", journal_text(30, 1));
  const std::string slower = file("slower.jsonl", journal_text(30, 1, [](record::Record& record) {
                                    if (record.model_name != "model_3.in1k") return;
                                    record.speedup = *record.speedup * 0.7;
                                    record.timing.speedup_low = *record.speedup * 0.99;
                                    record.timing.speedup_high = *record.speedup * 1.01;
                                  }));
  const ProgramEnd same = graphnet({"compare", before, before});
  EXPECT_EQ(same.state.exit_code, 0) << same.output;
  EXPECT_NE(same.output.find("\nno regression\n"), std::string::npos) << same.output;
  const ProgramEnd found = graphnet({"compare", before, slower});
  EXPECT_EQ(found.state.exit_code, 1) << found.output;
  EXPECT_NE(found.output.find("model_3.in1k"), std::string::npos) << found.output;
  EXPECT_EQ(graphnet({"compare", before, slower, "--threshold", "40"}).state.exit_code, 0);
  const ProgramEnd json_end = graphnet({"compare", before, slower, "--json", "-q"});
  const auto json = base::parse_json(json_end.output, "compare");
  ASSERT_TRUE(json.is_ok()) << json_end.output;
  EXPECT_EQ((*json)["is_regression"], true);
  EXPECT_EQ((*json)["comparisons"][0]["counts"]["slower"], 1);
}

TEST_F(ResultCommands, CompareTakesTwoBackendsOfOneFile) {
  const std::string results = file("a.jsonl", journal_text(30, 2));
  const ProgramEnd end = graphnet({"compare", "nope", "xla", "--results", results});
  EXPECT_NE(end.output.find("A: nope\nB: xla\n"), std::string::npos) << end.output;
  EXPECT_EQ(graphnet({"compare", "nope", "tvm", "--results", results}).state.exit_code, 3);
  EXPECT_EQ(graphnet({"compare", "nope", "xla"}).state.exit_code, 3);
  EXPECT_EQ(graphnet({"compare", results}).state.exit_code, 2);
  EXPECT_EQ(graphnet({"compare", results, results, "--threshold", "x"}).state.exit_code, 2);
  EXPECT_EQ(graphnet({"compare", results, results, "--metric", "x"}).state.exit_code, 2);
}

TEST_F(ResultCommands, CompareTakesPluginsOfTheLastResults) {
  const auto here = [&](const std::vector<std::string>& sides) {
    std::vector<std::string> words = {
        "/usr/bin/env", "-C",   temp_.path().string(), build_dir() + "/bin/graphnet", "compare",
        "--fail-on",    "never"};
    words.insert(words.end(), sides.begin(), sides.end());
    return run_program(words, {}, temp_.path() / "log");
  };
  EXPECT_EQ(here({"nope", "xla"}).state.exit_code, 3) << "no results yet";
  file("results/a.jsonl", journal_text(30, 3, [](record::Record& record) {
         if (record.plugin_variant == "xla") record.plugin_variant = "tvm+rules";
       }));
  const ProgramEnd end = here({"nope", "tvm"});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_NE(end.output.find("A: nope\nB: tvm+rules\n"), std::string::npos) << end.output;
  EXPECT_NE(end.output.find("note: backends of results/a.jsonl"), std::string::npos) << end.output;
  const ProgramEnd typo = here({"nope", "tvn"});
  EXPECT_EQ(typo.state.exit_code, 3);
  EXPECT_NE(typo.output.find("did you mean 'tvm'?"), std::string::npos) << typo.output;
}

TEST_F(ResultCommands, CompareServesABuildServer) {
  const std::string before = file("before.jsonl", journal_text(10, 1));
  const std::string after = file("after.jsonl", journal_text(8, 1) + "{\"half\":");
  EXPECT_EQ(graphnet({"compare", before, after}).state.exit_code, 0);
  const ProgramEnd end = graphnet(
      {"compare", before, after, "--fail-on", "broken,missing", "--junit", path("junit.xml")});
  EXPECT_EQ(end.state.exit_code, 1) << end.output;
  EXPECT_NE(end.output.find("note: " + after), std::string::npos) << "a torn line: " << end.output;
  const std::string xml = read_text(path("junit.xml"));
  EXPECT_EQ(XmlCheck(xml).problem(), "") << xml;
  EXPECT_NE(xml.find("message=\"missing: in A only\""), std::string::npos) << xml;
  EXPECT_EQ(graphnet({"compare", before, after, "--fail-on", "slow"}).state.exit_code, 2);
  EXPECT_EQ(graphnet({"compare", before, after, "--junit", path("none/x.xml")}).state.exit_code, 2);
}

TEST_F(ResultCommands, ReportWritesATestCaseForEachSampleAndBackend) {
  const std::string results = file("a.jsonl", journal_text(30, 3));
  const ProgramEnd end = graphnet({"report", results, "--junit", path("junit.xml")});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  const std::string xml = read_text(path("junit.xml"));
  EXPECT_EQ(XmlCheck(xml).problem(), "") << xml;
  EXPECT_NE(xml.find("<testsuite name=\"xla\" tests=\"30\""), std::string::npos) << xml;
  EXPECT_EQ(graphnet({"report", results, "--junit", path("none/x.xml")}).state.exit_code, 2);
  EXPECT_EQ(graphnet({"report", results, "--junit", path("x.xml"), "--csv"}).state.exit_code, 2);
}

TEST_F(ResultCommands, CompareRefusesResultsWithNothingInCommon) {
  const std::string a = file("a.jsonl", journal_text(3, 2));
  const std::string b =
      file("b.jsonl",
           journal_text(3, 2, [](record::Record& record) { record.plugin_variant += "-other"; }));
  EXPECT_EQ(graphnet({"compare", a, b}).state.exit_code, 3);
  const std::string c = file(
      "c.jsonl", journal_text(3, 2, [](record::Record& record) { record.sample += "-other"; }));
  EXPECT_EQ(graphnet({"compare", a, c}).state.exit_code, 3);
}

TEST_F(ResultCommands, KernelsAndPerfettoShowWhatARunDid) {
  const std::string results = path("run.jsonl");
  const ProgramEnd run = graphnet(
      {"run", source_dir() + "/samples/transformers-auto-model/sadhaklal_mlp-iris", "--config",
       source_dir() + "/configs/nope.yaml", "--threads", "1", "--protocol", "upstream", "--warmup",
       "2", "--trials", "5", "-o", results, "--junit", path("run.xml")});
  ASSERT_EQ(run.state.exit_code, 0) << run.output;
  EXPECT_EQ(graphnet({"report", results, "--junit", path("report.xml")}).state.exit_code, 0);
  EXPECT_EQ(read_text(path("run.xml")), read_text(path("report.xml")));
  const ProgramEnd shown = graphnet({"report", "--kernels", results});
  EXPECT_EQ(shown.state.exit_code, 0);
  for (const char* part :
       {"eager       1\n", "libtorch ran the whole program", "libgn_nope.so", "libtorch_cpu.so",
        "aten::linear 6, aten::relu 3; ", "traps on", "plugin says  as reported"}) {
    EXPECT_NE(shown.output.find(part), std::string::npos) << part << "\n" << shown.output;
  }
  const auto json =
      base::parse_json(graphnet({"report", "--kernels", "--json", results}).output, "kernels");
  ASSERT_TRUE(json.is_ok()) << json.status().to_string();
  EXPECT_EQ((*json)["records"][0]["verdict"], "eager");
  EXPECT_EQ((*json)["records"][0]["evidence"]["witness"], "full");

  const ProgramEnd traced = graphnet({"report", results, "--perfetto", path("run.pftrace")});
  EXPECT_EQ(traced.state.exit_code, 0) << traced.output;
  const PerfettoReader reader(read_text(path("run.pftrace")));
  EXPECT_EQ(reader.problem(), "");
  EXPECT_NE(traced.output.find("(" + std::to_string(reader.events().size()) + " events, "),
            std::string::npos)
      << traced.output;
  EXPECT_EQ(reader.slices_on("plugin"),
            (std::vector<std::string>{"compile", "bind", "first call", "warm-up", "warm-up", "call",
                                      "call", "call", "call", "call"}));
  const std::vector<std::string> steps = reader.slices_on("proof");
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "untraced call"), 1);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "sampled call"), 1);
  EXPECT_EQ(steps.back(), "preparing") << "what a proof does last: inputs are put back";
}

TEST_F(ResultCommands, KernelsSayThatOldRecordsHaveNoProof) {
  const ProgramEnd end = graphnet(
      {"report", "--kernels", source_dir() + "/tests/golden/journal/v2.jsonl", "--color", "never"});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_NE(end.output.find("no evidence  no call was traced"), std::string::npos) << end.output;
}

TEST_F(ResultCommands, KernelsAndPerfettoAreFormsOfTheirOwn) {
  const std::string results = file("a.jsonl", journal_text(2, 1));
  const std::vector<std::vector<std::string>> wrong = {
      {"--kernels", "--csv"},
      {"--kernels", "--markdown"},
      {"--perfetto", path("t"), "--html", path("h")},
      {"--perfetto", path("t"), "--json"},
      {"--perfetto", "-", "--kernels"}};
  for (std::vector<std::string> words : wrong) {
    words.insert(words.begin(), {"report", results});
    EXPECT_EQ(graphnet(words).state.exit_code, 2) << words[2];
  }
  EXPECT_FALSE(fs::exists(path("t")));
  EXPECT_EQ(graphnet({"report", results, "--perfetto", path("no/t")}).state.exit_code, 2);
  const ProgramEnd printed = graphnet({"report", results, "--perfetto", "-"});
  EXPECT_EQ(PerfettoReader(printed.output).problem(), "");
}

}  // namespace report_test
}  // namespace graphnet::tests
