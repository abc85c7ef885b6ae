// SPDX-License-Identifier: MIT
// `graphnet inspect`: every stage of a sample, costs, and the operators of many samples.
#include <gtest/gtest.h>

#include "base/json.h"
#include "support/folders.h"
#include "support/mentions.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace inspect_test {

namespace fs = std::filesystem;

const fs::path kSamples = fs::path(source_dir()) / "samples";
const std::string kPerceptron = (kSamples / "transformers-auto-model/sadhaklal_mlp-iris").string();
const std::string kConvolutions = (kSamples / "mmseg/MobileNetV3_s").string();
const std::string kDataDependent = (kSamples / "torchgeometric/GAT").string();

ProgramEnd inspect(std::vector<std::string> words) {
  const TempDir temp;
  words.insert(words.begin(), {(fs::path(build_dir()) / "bin/graphnet").string(), "inspect"});
  return run_program(words, {}, temp.path() / "log");
}

base::Json inspect_json(std::vector<std::string> words) {
  words.emplace_back("--json");
  const ProgramEnd end = inspect(words);
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  const auto json = base::parse_json(end.output, "inspect");
  EXPECT_TRUE(json.is_ok()) << end.output;
  return json.is_ok() ? *json : base::Json::object();
}

TEST(Inspect, PrintsTheNormalFormAndItsOperators) {
  const ProgramEnd end = inspect({kPerceptron});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_EQ(end.output.rfind(
                "graph \"transformers-auto-model/sadhaklal_mlp-iris\"\n%0: f32[5,4] = weight ", 0),
            0U)
      << end.output;
  for (const char* part : {" = aten::linear(input=%3, weight=%0, bias=%1)  # model.py:",
                           "\nreturn %", "\n# op ", "\n# aten::linear ", "\n# total "}) {
    EXPECT_NE(end.output.find(part), std::string::npos) << part << " is not in\n" << end.output;
  }
}

TEST(Inspect, GivesTheSameGraphWithoutRunning) {
  EXPECT_EQ(inspect({kConvolutions}).output, inspect({kConvolutions, "--no-run"}).output);
}

TEST(Inspect, ShowsTheOtherStages) {
  EXPECT_EQ(inspect({kPerceptron, "--stage", "source"}).output,
            read_text(fs::path(kPerceptron) / "model.py"));
  const std::string program = inspect({kConvolutions, "--stage", "program"}).output;
  EXPECT_NE(program.find("_ = aten::hardswish_(self=%"), std::string::npos) << program;
  EXPECT_EQ(inspect({kConvolutions}).output.find("aten::hardswish_"), std::string::npos);
}

TEST(Inspect, GivesJson) {
  const base::Json json = inspect_json({kPerceptron});
  EXPECT_EQ(json["schema"], "graphnet.inspect/1");
  EXPECT_EQ(json["sample"], "transformers-auto-model/sadhaklal_mlp-iris");
  EXPECT_EQ(json["stage"], "normal");
  EXPECT_EQ(json["ran"], true);
  EXPECT_EQ(json["total"]["nodes"], 3);
  EXPECT_GT(json["total"]["flop"].get<double>(), 0);
  EXPECT_EQ(json["parameters"][0]["kind"], "weight");
  EXPECT_EQ(json["parameters"][3]["kind"], "input");
  ASSERT_EQ(json["outputs"].size(), 1U);
  EXPECT_EQ(json["outputs"][0]["dtype"], "float32");
}

TEST(Inspect, CountsTheOperatorsOfManySamples) {
  const base::Json json = inspect_json({"--ops", kPerceptron, kConvolutions, kDataDependent});
  EXPECT_EQ(json["schema"], "graphnet.ops/1");
  EXPECT_EQ(json["samples"], 2);
  EXPECT_EQ(json["ops"][0]["op"], "aten::relu");
  EXPECT_EQ(json["ops"][0]["samples"], 2);
  EXPECT_EQ(json["ops"][0]["dtypes"], base::Json::array({"float32"}));
  EXPECT_EQ(json["ops"][0]["max_rank"], 4);
  ASSERT_EQ(json["left_out"].size(), 1U);
  EXPECT_EQ(json["left_out"][0]["sample"], "torchgeometric/GAT");
  const std::string text = inspect({"--ops", kPerceptron, kDataDependent}).output;
  EXPECT_NE(
      text.find("operators in 1 samples\nleft out: torchgeometric/GAT: shape depends on data"),
      std::string::npos)
      << text;
}

std::string config_of(const TempDir& folder, const std::string& fault) {
  const fs::path library =
      fs::path(build_dir()) / "tests" / "plugins" / fault / ("libgn_" + fault + ".so");
  return folder
      .write("zoo.yaml", "schema: graphnet/run/v1\nbackend: {library: " + library.string() + "}\n")
      .string();
}

TEST(Inspect, AsksAPluginWhichSamplesItWouldCompile) {
  const ProgramEnd end = inspect({"--coverage", "--config", "nope", kPerceptron, kConvolutions});
  EXPECT_EQ(end.state.exit_code, 0) << end.output;
  EXPECT_TRUE(mentions(end.output, {"nope would compile 2 of 2 samples"})) << end.output;
}

TEST(Inspect, GivesAPluginsReasonsAgainstASample) {
  const TempDir folder;
  const std::string config = config_of(folder, "unsupported_nodes");
  const ProgramEnd end = inspect({"--coverage", "--config", config, kPerceptron, "--json"});
  EXPECT_EQ(end.state.exit_code, 1) << end.output;
  const auto json = base::parse_json(end.output, "coverage");
  ASSERT_TRUE(json.is_ok()) << end.output;
  EXPECT_EQ((*json)["num_supported"], 0);
  EXPECT_EQ((*json)["samples"][0]["outcome"], "unsupported");
  EXPECT_TRUE(mentions((*json)["samples"][0]["message"].get<std::string>(),
                       {"3 nodes", "aten::linear", "aten::relu"}))
      << end.output;
}

TEST(Inspect, RefusesAnExecutableWhereOnlyAnAnswerWasAsked) {
  const TempDir folder;
  const std::string config = config_of(folder, "compiles_when_asked");
  const ProgramEnd end = inspect({"--coverage", "--config", config, kPerceptron});
  EXPECT_EQ(end.state.exit_code, 1) << end.output;
  EXPECT_TRUE(mentions(end.output, {"plugin_failed", "an executable with check_only"}))
      << end.output;
}

TEST(Inspect, NamesTheStatementOfTheFirstNan) {
  const base::Json finite = inspect_json({kPerceptron, "--first-nan"});
  EXPECT_EQ(finite["schema"], "graphnet.first_nan/1");
  EXPECT_EQ(finite["finite"], true);
  EXPECT_TRUE(finite["first_nan"].is_null());

  const TempDir temp;
  fs::copy(kPerceptron, temp.path() / "copy");
  const fs::path model = temp.path() / "copy/model.py";
  const std::string text = read_text(model);
  const std::string call = "torch.relu(linear)";
  temp.write("copy/model.py",
             std::string(text).replace(text.find(call), call.size(), "torch.sqrt(linear - 1000)"));
  const std::string folder = (temp.path() / "copy").string();
  const ProgramEnd end = inspect({folder, "--first-nan"});
  EXPECT_EQ(end.state.exit_code, 1) << end.output;
  EXPECT_EQ(end.output.rfind("first NaN: model.py:", 0), 0U) << end.output;
  const ProgramEnd with_json = inspect({folder, "--first-nan", "--json"});
  EXPECT_EQ(with_json.state.exit_code, 1) << with_json.output;
  const auto json = base::parse_json(with_json.output, "inspect");
  ASSERT_TRUE(json.is_ok()) << with_json.output;
  const base::Json& nan = (*json)["first_nan"];
  EXPECT_EQ(nan["op"], "aten::sqrt");
  EXPECT_EQ(nan["statement"], "act = torch.sqrt(linear - 1000)");
  EXPECT_EQ(nan["finite_arguments"], true);
  EXPECT_LT(nan["arguments"][0]["lowest"].get<double>(), 0);
  EXPECT_EQ((*json)["non_finite_outputs"][0]["index"], 0);
}

TEST(Inspect, SaysWhatIsWrong) {
  const ProgramEnd dependent = inspect({kDataDependent});
  EXPECT_EQ(dependent.state.exit_code, 4);
  EXPECT_TRUE(mentions(dependent.output, {"depends on data: aten::index.Tensor", "model.py:"}))
      << dependent.output;
  EXPECT_EQ(inspect({}).state.exit_code, 2);
  EXPECT_EQ(inspect({kPerceptron, kConvolutions}).state.exit_code, 2);
  EXPECT_EQ(inspect({kPerceptron, "--stage", "binary"}).state.exit_code, 2);
  EXPECT_EQ(inspect({"--ops", "--stage", "source"}).state.exit_code, 2);
  EXPECT_EQ(inspect({"/no/such/sample"}).state.exit_code, 3);
  EXPECT_EQ(inspect({kPerceptron, "--bisect"}).state.exit_code, 2);
  EXPECT_EQ(inspect({kPerceptron, "--config", "nope.yaml"}).state.exit_code, 2);
  for (const char* flag : {"--no-run", "--ops", "--bisect"}) {
    EXPECT_EQ(inspect({kPerceptron, "--first-nan", flag}).state.exit_code, 2) << flag;
    EXPECT_EQ(
        inspect({kPerceptron, "--stage", "lowered", "--config", "nope", flag}).state.exit_code, 2)
        << flag;
  }
  EXPECT_EQ(inspect({kPerceptron, "--stage", "lowered"}).state.exit_code, 2);
  const ProgramEnd eager = inspect({kPerceptron, "--stage", "lowered", "--config", "nope"});
  EXPECT_NE(eager.state.exit_code, 0) << "nope lowers nothing";
  EXPECT_TRUE(mentions(eager.output, {"'nope'", "--stage normal"})) << eager.output;
  const ProgramEnd bisected = inspect({kDataDependent, "--bisect", "--config", "nope.yaml"});
  EXPECT_EQ(bisected.state.exit_code, 4) << bisected.output;
}

}  // namespace inspect_test
}  // namespace graphnet::tests
