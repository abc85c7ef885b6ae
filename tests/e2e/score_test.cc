// SPDX-License-Identifier: MIT
// `graphnet score` on a journal of a real run and on upstream's logs.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/json.h"
#include "support/folders.h"
#include "support/mentions.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace score_test {

namespace fs = std::filesystem;

const std::string kSource = source_dir();
const std::string kLogs = kSource + "/tests/golden/upstream-logs";
const std::string kInductor = kSource + "/tests/golden/inductor-logs";
const std::string kPerceptron = kSource + "/samples/transformers-auto-model/sadhaklal_mlp-iris";

ProgramEnd graphnet(std::vector<std::string> words) {
  const TempDir temp;
  words.insert(words.begin(), build_dir() + "/bin/graphnet");
  return run_program(
      words, {std::string("GRAPHNET_PLUGINS_ONLY=") + build_dir() + "/lib/graphnet/plugins/nope"},
      temp.path() / "log");
}

base::Json score_json(std::vector<std::string> words) {
  words.insert(words.begin(), {"score", "--json", "--quiet"});
  const ProgramEnd end = graphnet(words);
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  const auto json = base::parse_json(end.output, "score");
  EXPECT_TRUE(json.is_ok()) << end.output;
  return json.is_ok() ? *json : base::Json::object();
}

TEST(Score, JoinsAJournalWithUpstreamsLogs) {
  const TempDir folder;
  const std::string journal = (folder.path() / "r.jsonl").string();
  const ProgramEnd run = graphnet({"run", kPerceptron, "--config", kSource + "/configs/nope.yaml",
                                   "--protocol", "upstream", "-o", journal});
  ASSERT_EQ(run.state.exit_code, 0) << run.output;
  const ProgramEnd end = graphnet({"score", journal, kInductor, "--keep", "all", "--common"});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  for (const char* part :
       {"p = 0, b = 0.1, interpretation default, [95 % band] from 1000 resamples", "\nS(t):\n",
        "\nES(t), ", "\nscore, weighted mean of log10 ES(t):\n", "nope: 1 of 1 results counted\n",
        "inductor: 1 of 2 results counted; left out: 1 not in every column\n", "alpha"}) {
    EXPECT_TRUE(contains(end.output, part)) << part << " is not in\n" << end.output;
  }
  // Eager against itself gives the same bits.
  const auto json = score_json({journal, "--keep", "all"});
  ASSERT_EQ(json["columns"].size(), 1U);
  const auto& sample = json["columns"][0]["samples"][0];
  EXPECT_EQ(sample["sample"], "transformers-auto-model/sadhaklal_mlp-iris");
  EXPECT_EQ(sample["correct_from"], -10);
  EXPECT_DOUBLE_EQ(json["columns"][0]["points"][0]["s"].get<double>(),
                   sample["speedup"].get<double>());
}

TEST(Score, ReadsUpstreamsLogs) {
  const auto json = score_json({kLogs});
  EXPECT_EQ(json["schema"], "graphnet.score/1");
  ASSERT_EQ(json["columns"].size(), 1U);
  const auto& column = json["columns"][0];
  EXPECT_EQ(column["label"], "nope");
  EXPECT_EQ(column["counted"].get<int>() + column["left_out"].value("noisy", 0), 10);
  EXPECT_EQ(column["failures"]["eager_fail"], 1);
  EXPECT_EQ(column["points"].size(), 15U);
  EXPECT_LT(json["largest_form_difference"].get<double>(), 1e-12);
  EXPECT_EQ(score_json({kLogs, "--by-file", "--compat"})["columns"].size(), 10U);
  EXPECT_EQ(score_json({kLogs, "--keep", "unsteady"})["settings"]["keep"],
            base::Json::array({"noisy"}));
}

TEST(Score, FollowsItsFlags) {
  const std::vector<std::string> flags = {
      "--penalty",         "1",         "--fpdb",     "0.2",         "--interpretation",
      "mismatch_extended", "--weights", "-5=1,0=0.5", "--resamples", "0"};
  std::vector<std::string> words = {kLogs};
  words.insert(words.end(), flags.begin(), flags.end());
  const auto settings = score_json(words)["settings"];
  EXPECT_EQ(settings["penalty"], 1);
  EXPECT_EQ(settings["fail_base"], 0.2);
  EXPECT_EQ(settings["interpretation"], "mismatch_extended");
  EXPECT_EQ(settings["weights"], (base::Json{{"-5", 1}, {"0", 0.5}}));
  EXPECT_EQ(settings["resamples"], 0);
  words.insert(words.begin(), {"score", "--csv", "--quiet"});
  const std::string csv = graphnet(words).output;
  EXPECT_EQ(csv.rfind("backend,t,s,s_low,s_high,es,", 0), 0U) << csv;
  EXPECT_TRUE(contains(csv, "\n\"nope\",-10,0."));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 17) << csv;
}

TEST(Score, ExplainsMistakes) {
  const TempDir folder;
  const std::string text = folder.write("x.log", "no log").string();
  struct Case {
    std::vector<std::string> words;
    int exit_code;
    const char* message;
  };
  const Case cases[] = {{{}, 2, "score needs results"},
                        {{text}, 3, "holds no result"},
                        {{"/no/such"}, 3, "/no/such"},
                        {{kLogs, "--penalty", "x"}, 2, "a number, got 'x'"},
                        {{kLogs, "--penalty", "-1"}, 2, "must not be negative"},
                        {{kLogs, "--fail-base", "0"}, 2, "must be above 0"},
                        {{kLogs, "--interpretation", "x"}, 2, "default or mismatch_extended"},
                        {{kLogs, "--weights", "-11=1"}, 2, "--weights must be"},
                        {{kLogs, "--weights", "-5=1,-5=2"}, 2, "--weights must be"},
                        {{kLogs, "--weights", "-5=1,"}, 2, "--weights must be"},
                        {{kLogs, "--weights", "5=1"}, 2, "has a weight"},
                        {{kLogs, "--resamples", "-1"}, 2, "--resamples must be"},
                        {{kLogs, "--csv", "--json"}, 2, "exclude each other"}};
  for (const Case& one : cases) {
    std::vector<std::string> words = {"score"};
    words.insert(words.end(), one.words.begin(), one.words.end());
    const ProgramEnd end = graphnet(words);
    EXPECT_EQ(end.state.exit_code, one.exit_code) << end.output;
    EXPECT_TRUE(contains(end.output, one.message)) << end.output;
  }
}

}  // namespace score_test
}  // namespace graphnet::tests
