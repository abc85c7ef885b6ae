// SPDX-License-Identifier: MIT
// `graphnet run --config xla.yaml` on bundled samples: a real compiler through the whole program.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/mentions.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace xla_test {

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kSamples = source_dir() + "/samples";

/// Small samples of different families: products, convolutions, half types, a Fourier transform,
/// and one without a normal form.
const std::vector<std::string> kSmall = {"transformers-auto-model/sadhaklal_mlp-iris",
                                         "transformers-auto-model/opt-tiny-random",
                                         "torchvision/mobilenet_v3_small",
                                         "timm/test_efficientnet_ln.r160_in1k",
                                         "mmpose/SimpleBaseline3D",
                                         "torchgeometric/GAT"};

class Xla : public ::testing::TestWithParam<const char*> {
 protected:
  std::vector<record::Record> run(const std::vector<std::string>& samples,
                                  const char* weights = "bound") {
    const auto config = folder_.path() / "xla.yaml";
    std::ofstream(config)
        << "schema: graphnet/run/v1\nbackend:\n  name: xla\n  options: { rewrites: " << GetParam()
        << " }\nweights: " << weights << "\n";
    std::vector<std::string> command = {kProgram, "run"};
    for (const std::string& sample : samples) command.push_back(kSamples + "/" + sample);
    const auto results = folder_.path() / "results.jsonl";
    command.insert(command.end(),
                   {"--config", config.string(), "--protocol", "upstream", "--warmup", "0",
                    "--trials", "1", "--threads", "1", "-o", results.string()});
    output_ = run_program(command, {}, folder_.path() / "log").output;
    auto content = journal::read_journal(results);
    return content.is_ok() ? content->records : std::vector<record::Record>();
  }

  TempDir folder_;
  std::string output_;
};

TEST_P(Xla, RunsSmallSamplesOfEveryKind) {
  const std::vector<record::Record> records = run(kSmall);
  if (output_.find("fetches the pinned one") != std::string::npos) {
    GTEST_SKIP() << "no PJRT file: ./graphnet run --config xla.yaml fetches it";
  }
  ASSERT_EQ(records.size(), kSmall.size()) << output_;
  for (const record::Record& record : records) {
    if (record.sample == "torchgeometric/GAT") {
      EXPECT_EQ(record.outcome, record::Outcome::kUnsupported) << record.message;
      EXPECT_TRUE(mentions(record.message, {"depends on data: aten::index.Tensor"}))
          << record.message;
      continue;
    }
    EXPECT_EQ(record.outcome, record::Outcome::kOk) << record.sample << ": " << record.message;
    EXPECT_EQ(record.verdict.text(), "proven")
        << record.sample << ": " << base::dump_json(part_to_json(record.proof));
    const bool rewrites = std::string(GetParam()) == "all";
    EXPECT_EQ(record.plugin_variant, rewrites ? "xla+rewrites" : "xla");
    EXPECT_FALSE(record.plugin_info.value("main_operations", "").empty()) << record.sample;
  }
}

// What the compiler is given can be looked at, with the statements that it comes from.
TEST(XlaInspect, ShowsTheGraphThatItHandsToItsCompiler) {
  const TempDir folder;
  const std::string sample = kSamples + "/transformers-auto-model/sadhaklal_mlp-iris";
  const ProgramEnd end =
      run_program({kProgram, "inspect", sample, "--stage", "lowered", "--config", "xla"}, {},
                  folder.path() / "log");
  if (end.output.find("fetches the pinned one") != std::string::npos) {
    GTEST_SKIP() << "no PJRT file: ./graphnet run --config xla.yaml fetches it";
  }
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  for (const char* part :
       {" = input index=1\n", " = weight index=3\n", " = dot(%", "# aten::linear ", "\nreturn %"}) {
    EXPECT_NE(end.output.find(part), std::string::npos) << part << " is not in\n" << end.output;
  }
}

TEST_P(Xla, ReportShowsItsWordBesideTheProof) {
  const std::vector<record::Record> records = run({"transformers-auto-model/sadhaklal_mlp-iris"});
  if (output_.find("fetches the pinned one") != std::string::npos) GTEST_SKIP() << output_;
  ASSERT_EQ(records.size(), 1U) << output_;
  const std::string text =
      run_program({kProgram, "report", "--kernels", (folder_.path() / "results.jsonl").string()},
                  {}, folder_.path() / "log")
          .output;
  for (const char* part : {"no operator of libtorch in", "JIT memory", "dispatcher   no operator\n",
                           "as reported by the plugin (unverified)\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  const std::string word = records[0].plugin_info.value("main_operations", "?");
  EXPECT_NE(text.find("  main_operations    " + word + "\n"), std::string::npos) << text;
}

TEST_P(Xla, TakesWeightsInEveryMode) {
  for (const char* mode : {"frozen", "per_call"}) {
    const std::vector<record::Record> records =
        run({"transformers-auto-model/sadhaklal_mlp-iris"}, mode);
    if (output_.find("fetches the pinned one") != std::string::npos) GTEST_SKIP() << output_;
    ASSERT_EQ(records.size(), 1U) << output_;
    EXPECT_EQ(records[0].outcome, record::Outcome::kOk) << mode << ": " << records[0].message;
    EXPECT_EQ(records[0].weights, mode);
    std::filesystem::remove(folder_.path() / "results.jsonl");
  }
}

INSTANTIATE_TEST_SUITE_P(Rewrites, Xla, ::testing::Values("all", "none"),
                         [](const auto& each) { return std::string(each.param); });

}  // namespace xla_test
}  // namespace graphnet::tests
