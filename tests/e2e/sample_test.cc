// SPDX-License-Identifier: MIT
// `graphnet sample` and its actions; `convert`: convert_test.cc.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "base/json.h"
#include "base/sha256.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/sample_command.h"
#include "support/temp_dir.h"
#include "support/xml_check.h"

namespace graphnet::tests {
namespace sample_test {

namespace fs = std::filesystem;

const fs::path kSamples = fs::path(source_dir()) / "samples";
const fs::path kPerceptron = kSamples / "transformers-auto-model/sadhaklal_mlp-iris";
const fs::path kResNet = kSamples / "timm/resnet10t.c3_in1k";

/// A copy of a small sample in which a text is replaced.
class Copy {
 public:
  explicit Copy(const fs::path& sample = kPerceptron) { fs::copy(sample, folder()); }
  fs::path folder() const { return temp_.path() / "copy"; }
  void replace(const char* file, const std::string& part, const std::string& by) const {
    std::string text = read_text(folder() / file);
    const std::size_t position = text.find(part);
    ASSERT_NE(position, std::string::npos) << part;
    ASSERT_TRUE(
        base::write_file_atomic(folder() / file, text.replace(position, part.size(), by)).is_ok());
  }

 private:
  TempDir temp_;
};

TEST(Sample, ValidatesTheBundledSamples) {
  const base::Json json = run_sample_json({"validate", kSamples.string(), "--no-run"}, 0);
  EXPECT_EQ(json["schema"], "graphnet.validation/1");
  EXPECT_EQ(json["findings"], 0);
  EXPECT_GT(json["samples"].size(), 10U);
  for (const base::Json& row : json["samples"]) EXPECT_EQ(row["run"], "not-run");
}

TEST(Sample, TakesAFolderOnce) {
  const std::string folder = kPerceptron.string();
  const base::Json json = run_sample_json(
      {"validate", folder, folder + "/", (kPerceptron / "../sadhaklal_mlp-iris").string()}, 0);
  EXPECT_EQ(json["samples"].size(), 1U);
}

TEST(Sample, RunsWhatItValidates) {
  const base::Json json = run_sample_json({"validate", kPerceptron.string(), "--run"}, 0);
  EXPECT_EQ(json["samples"][0]["run"], "finite");
}

TEST(Sample, FindsARunThatFails) {
  const Copy copy;
  copy.replace("model.py", "torch.relu(linear)", "linear @ linear");
  const base::Json json = run_sample_json({"validate", copy.folder().string()}, 1);
  EXPECT_EQ(json["samples"][0]["run"], "failed");
  ASSERT_EQ(json["samples"][0]["findings"].size(), 1U);
  EXPECT_EQ(json["samples"][0]["findings"][0]["kind"], "run");
  const std::string message = json["samples"][0]["findings"][0]["message"];
  EXPECT_NE(message.find("model.py:"), std::string::npos) << message;
  run_sample_json({"validate", copy.folder().string(), "--no-run"}, 0);
}

TEST(Sample, ARunThatFailsOnAFindingIsNoOtherFinding) {
  const Copy copy;
  copy.replace("weight_meta.py", "\"s77\"", "\"s78\"");
  const base::Json json = run_sample_json({"validate", copy.folder().string()}, 1);
  for (const base::Json& finding : json["samples"][0]["findings"]) {
    EXPECT_NE(finding["kind"], "run") << finding;
  }
}

/// Makes the first variance of a copy of kResNet negative, as generated ones may be.
void make_variance_negative(const Copy& copy) {
  copy.replace("weight_meta.py", "mean = 1.000\n    std = 0.000\n    data = None\n    min_val = 0",
               "mean = -1.000\n    std = 0.000\n    data = None");
}

TEST(Sample, FindsOutputsThatAreNotFinite) {
  const Copy copy(kResNet);
  make_variance_negative(copy);
  const std::string junit = (copy.folder() / "../junit.xml").string();
  const base::Json json =
      run_sample_json({"validate", copy.folder().string(), "--junit", junit}, 1);
  EXPECT_EQ(json["samples"][0]["run"], "not-finite");
  ASSERT_EQ(json["samples"][0]["findings"].size(), 1U);
  EXPECT_EQ(json["samples"][0]["findings"][0]["kind"], "not-finite");
  const std::string message = json["samples"][0]["findings"][0]["message"];
  EXPECT_NE(message.find("running_var"), std::string::npos) << message;
  const std::string xml = read_text(junit);
  EXPECT_EQ(XmlCheck(xml).problem(), "") << xml;
  EXPECT_NE(xml.find("tests=\"1\" failures=\"1\" skipped=\"0\""), std::string::npos) << xml;
}

TEST(Sample, RepairsNegativeVariances) {
  const Copy copy(kResNet);
  make_variance_negative(copy);
  const std::string folder = copy.folder().string();
  const std::string before = read_text(copy.folder() / "weight_meta.py");
  const base::Json proposed = run_sample_json({"repair", folder}, 1)["samples"][0];
  EXPECT_EQ(proposed["state"], "repaired");
  EXPECT_EQ(proposed["written"], false);
  EXPECT_EQ(proposed["before"]["finite"], false);
  EXPECT_EQ(proposed["after"]["finite"], true);
  ASSERT_EQ(proposed["bounds"].size(), 1U);
  EXPECT_EQ(proposed["bounds"][0]["name"], "L_self_modules_conv1_modules_1_buffers_running_var_");
  EXPECT_EQ(proposed["bounds"][0]["key"], "min_val");
  EXPECT_EQ(proposed["bounds"][0]["value"], 0.0);
  EXPECT_EQ(read_text(copy.folder() / "weight_meta.py"), before);

  EXPECT_EQ(run_sample_json({"repair", folder, "--write"}, 0)["samples"][0]["written"], true);
  EXPECT_EQ(run_sample_json({"repair", folder}, 0)["samples"][0]["state"], "finite");
  run_sample_json({"validate", folder, "--run"}, 0);
}

TEST(Sample, SaysWhatNoBoundRepairs) {
  const Copy copy;
  copy.replace("model.py", "torch.relu(linear)", "linear * 1e+39");
  const std::string before = read_text(copy.folder() / "weight_meta.py");
  const base::Json row =
      run_sample_json({"repair", copy.folder().string(), "--write"}, 1)["samples"][0];
  EXPECT_EQ(row["state"], "unrepaired");
  EXPECT_TRUE(row["bounds"].empty());
  EXPECT_EQ(row["after"]["infinities"][0]["statement"], "act = linear * 1e+39");
  EXPECT_EQ(read_text(copy.folder() / "weight_meta.py"), before);
}

TEST(Sample, TakesWhatGitSaysHasChanged) {
  if (std::system("git --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no git";
  const TempDir temp;
  fs::create_directory(temp.path() / "t");
  fs::copy(kPerceptron, temp.path() / "t/one");
  fs::copy(kPerceptron, temp.path() / "t/two");
  const auto git = [&](const std::string& words) {
    const std::string command = "cd '" + temp.path().string() +
                                "' && git -c user.name=t -c user.email=t@t "
                                "-c commit.gpgsign=false " +
                                words;
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  };
  const std::vector<std::string> words = {"validate", temp.path().string(), "--changed-since",
                                          "HEAD", "--no-run"};
  EXPECT_EQ(run_sample(words).state.exit_code, 3);
  git("init -q");
  git("add -A");
  git("commit -q -m one");
  EXPECT_EQ(run_sample_json(words, 0)["samples"].size(), 0U);
  fs::remove(temp.path() / "t/two/graph_hash.txt");
  const base::Json json = run_sample_json(words, 1);
  ASSERT_EQ(json["samples"].size(), 1U);
  EXPECT_EQ(json["samples"][0]["name"], "t/two");
  EXPECT_EQ(json["samples"][0]["findings"][0]["kind"], "missing-file");
}

TEST(Sample, FindsWhatIsWrong) {
  const Copy copy;
  copy.replace("weight_meta.py", "torch.float32", "torch.float23");
  const base::Json json = run_sample_json({"validate", copy.folder().string()}, 1);
  ASSERT_EQ(json["findings"], 1);
  const base::Json& finding = json["samples"][0]["findings"][0];
  EXPECT_EQ(finding["kind"], "metadata");
  EXPECT_EQ(finding["file"], "weight_meta.py");
  const ProgramEnd end = run_sample({"validate", copy.folder().string()});
  EXPECT_EQ(end.output.rfind((copy.folder() / "weight_meta.py").string() + ": metadata: ", 0), 0U)
      << end.output;
}

TEST(Sample, FindsAProgramThatIsThereAlready) {
  const Copy copy;
  copy.replace("weight_meta.py", "mean = ", "mean = 1");
  run_sample_json({"validate", copy.folder().string()}, 0);
  const std::vector<std::string> words = {"validate", copy.folder().string(), "--against",
                                          kSamples.string()};
  const base::Json json = run_sample_json(words, 1);
  EXPECT_EQ(json["samples"][0]["findings"][0]["kind"], "redundant");
  std::vector<std::string> without = words;
  without.emplace_back("--no-redundancy");
  run_sample_json(without, 0);
}

TEST(Sample, HashesProgramsNotNames) {
  const Copy copy;
  copy.replace("model.py", "class GraphModule", "# A comment.\nclass GraphModule");
  const base::Json json =
      run_sample_json({"hash", kPerceptron.string(), copy.folder().string()}, 0);
  ASSERT_EQ(json["samples"].size(), 2U);
  EXPECT_EQ(json["samples"][0]["hash"], json["samples"][1]["hash"]);
  EXPECT_EQ(json["samples"][0]["stored_is"], "retraced");
  EXPECT_NE(json["samples"][0]["upstream"]["file"], json["samples"][1]["upstream"]["file"]);
}

TEST(Sample, HashesByUpstreamsDefinitions) {
  const ProgramEnd end = run_sample({"hash", kPerceptron.string(), "--by", "file"});
  const std::string model = read_text(kPerceptron / "model.py");
  EXPECT_EQ(end.output.substr(0, 64), base::sha256_hex(model.data(), model.size()));
  const ProgramEnd retraced = run_sample({"hash", kPerceptron.string(), "--by", "retraced"});
  EXPECT_EQ(retraced.output.substr(0, 64), read_text(kPerceptron / "graph_hash.txt"));
}

TEST(Sample, RemovesDuplicatesOnlyIfAsked) {
  const TempDir temp;
  const fs::path tree = temp.path() / "samples";
  for (const char* name : {"t/one", "t/two"}) {
    fs::create_directories(tree / name);
    fs::copy(kPerceptron, tree / name);
    temp.write("samples/" + std::string(name) + "/subgraph_sources.json",
               R"({"samples/)" + std::string(name) + R"(": [[0, 3]]})");
  }
  for (const bool writes : {false, true, true}) {
    std::vector<std::string> words = {"dedup", tree.string()};
    if (writes) words.emplace_back("--write");
    const bool is_there = fs::exists(tree / "t/two");
    const base::Json json = run_sample_json(words, 0);
    EXPECT_EQ(json["schema"], "graphnet.duplicates/1");
    EXPECT_EQ(json["written"], writes);
    EXPECT_EQ(json["removed"], is_there ? 1 : 0);
    EXPECT_EQ(fs::exists(tree / "t/two"), !writes);
    if (!is_there) continue;
    ASSERT_EQ(json["groups"].size(), 1U);
    EXPECT_EQ(json["groups"][0]["kept"], (tree / "t/one").string());
    EXPECT_EQ(json["groups"][0]["sources"].size(), 2U);
  }
  const std::string sources = read_text(tree / "t/one/subgraph_sources.json");
  EXPECT_NE(sources.find("samples/t/two"), std::string::npos) << sources;
  run_sample_json({"validate", tree.string()}, 0);
}

TEST(Sample, RenamesElsewhereAndInPlace) {
  const TempDir temp;
  const std::string out = (temp.path() / "samples").string();
  const base::Json tried = run_sample_json({"rename", kPerceptron.string()}, 0);
  EXPECT_TRUE(tried["samples"][0]["written"].is_null());
  const base::Json json = run_sample_json({"rename", kPerceptron.string(), "-o", out}, 0);
  EXPECT_EQ(json["schema"], "graphnet.renaming/1");
  const base::Json& row = json["samples"][0];
  EXPECT_EQ(row["inputs"], 2);
  EXPECT_EQ(row["weights"], 4);
  const fs::path renamed = row["written"].get<std::string>();
  EXPECT_EQ(renamed, fs::path(out) / "transformers-auto-model/sadhaklal_mlp-iris");
  EXPECT_EQ(run_sample({"rename", kPerceptron.string(), "-o", out}).state.exit_code, 2);
  run_sample_json({"validate", out}, 0);
  base::Json hashes = run_sample_json({"hash", kPerceptron.string(), out}, 0)["samples"];
  EXPECT_EQ(hashes[0]["hash"], hashes[1]["hash"]);
  EXPECT_EQ(hashes[1]["stored_is"], "file");

  const Copy copy;
  run_sample_json({"rename", copy.folder().string(), "--write"}, 0);
  EXPECT_EQ(read_text(copy.folder() / "model.py"), read_text(renamed / "model.py"));
  EXPECT_EQ(read_text(copy.folder() / "weight_meta.py"), read_text(renamed / "weight_meta.py"));
}

TEST(Sample, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(run_sample({}).state.exit_code, 2);
  EXPECT_EQ(run_sample({"hash"}).state.exit_code, 2);
  EXPECT_EQ(run_sample({"validate", kPerceptron.string(), "--run", "--no-run"}).state.exit_code, 2);
  EXPECT_EQ(run_sample({"validate", kPerceptron.string(), "--timeout", "soon"}).state.exit_code, 2);
  EXPECT_EQ(run_sample({"repair", "/nowhere"}).state.exit_code, 3);
  EXPECT_EQ(run_sample({"mend", kPerceptron.string()}).state.exit_code, 2);
  EXPECT_EQ(run_sample({"hash", kPerceptron.string(), "--by", "name"}).state.exit_code, 2);
  EXPECT_EQ(run_sample({"hash", kPerceptron.string(), "--write"}).state.exit_code, 2);
  EXPECT_EQ(run_sample({"convert", kPerceptron.string()}).state.exit_code, 2);
  EXPECT_EQ(run_sample({"convert", kPerceptron.string(), "--apis", "new"}).state.exit_code, 2);
  EXPECT_EQ(
      run_sample({"rename", kPerceptron.string(), "--write", "-o", "/nowhere"}).state.exit_code, 2);
  EXPECT_EQ(run_sample({"validate", "/nowhere"}).state.exit_code, 3);
  const Copy copy;
  copy.replace("model.py", "return", "give");
  EXPECT_EQ(run_sample({"hash", copy.folder().string()}).state.exit_code, 3);
  EXPECT_EQ(run_sample({"validate", copy.folder().string()}).state.exit_code, 1);
}

}  // namespace sample_test
}  // namespace graphnet::tests
