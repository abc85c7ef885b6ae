// SPDX-License-Identifier: MIT
#include "outputs/kept_outputs.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "base/file.h"
#include "outputs/outputs_comparison.h"
#include "support/temp_dir.h"

namespace graphnet::outputs {
namespace kept_outputs_test {

using base::DType;
using record::Outcome;
using record::Record;
using tests::TempDir;

Record some_record() {
  Record record;
  record.sample = "timm/net";
  record.sample_sha256 = "0123456789abcdef";
  record.plugin = record.plugin_variant = "nope";
  record.seed = 123;
  record.threads = 1;
  record.protocol = "smoke";
  record.digest["arguments"] = {{"count", 1}, {"sha256", "aa"}};
  record.eager.median_ns = 200;
  record.plugin_side.median_ns = 100;
  record.environment.cpu_model = "a processor";
  return record;
}

/// Keeps one output of eager's and one of the plugin's and reads them again.
KeptOutputs kept(const TempDir& folder, const Record& record, float eager, float plugin) {
  const std::vector<float> first = {eager, 2, 3};
  const std::vector<float> second = {plugin, 2, 3};
  const auto file = kept_file(folder.path(), record.sample, record.backend_name());
  const base::Status status = keep_outputs(file, record,
                                           {{{DType::kFloat32, {3}, first.data()}},
                                            {{DType::kFloat32, {3}, second.data()}},
                                            {"logits"}});
  EXPECT_TRUE(status.is_ok()) << status.to_string();
  auto read = read_kept_outputs(file);
  EXPECT_TRUE(read.is_ok()) << read.status().to_string();
  return std::move(read).value();
}

TEST(KeptOutputs, ComeBackWithTheirRecord) {
  const TempDir folder;
  const KeptOutputs outputs = kept(folder, some_record(), 1, 5);
  EXPECT_EQ(outputs.facts.file, folder.path() / "timm" / "net" / "nope.safetensors");
  EXPECT_EQ(outputs.facts.record.sample, "timm/net");
  EXPECT_EQ(outputs.facts.record.seed, 123U);
  EXPECT_EQ(outputs.facts.record.environment.cpu_model, "a processor");
  EXPECT_EQ(outputs.facts.record.plugin_side.median_ns, 100);
  EXPECT_EQ(outputs.facts.names, std::vector<std::string>{"logits"});
  ASSERT_EQ(outputs.eager.size(), 1U);
  ASSERT_EQ(outputs.plugin.size(), 1U);
  EXPECT_EQ(*reinterpret_cast<const float*>(outputs.plugin[0].bytes.data()), 5);
}

TEST(KeptOutputs, AFolderGivesWhatCanBeUsedAndNamesTheRest) {
  const TempDir folder;
  EXPECT_FALSE(read_kept_folder(folder.path()).is_ok());
  EXPECT_FALSE(read_kept_folder(folder.path() / "none").is_ok());
  kept(folder, some_record(), 1, 1);
  folder.write("timm/net/nope.safetensors.a1B2c3", "half");
  folder.write("timm/other/nope.safetensors", "half");
  const auto all = read_kept_folder(folder.path());
  ASSERT_TRUE(all.is_ok()) << all.status().to_string();
  EXPECT_EQ(all->kept.size(), 1U);
  ASSERT_EQ(all->unreadable.size(), 1U);
  EXPECT_NE(all->unreadable[0].message().find("timm/other/nope"), std::string::npos);
}

TEST(KeptOutputs, RemovingTakesUnfinishedFilesToo) {
  const TempDir folder;
  const auto file = kept(folder, some_record(), 1, 1).facts.file;
  folder.write("timm/net/nope.safetensors.a1B2c3", "half");
  folder.write("timm/net/xla.safetensors", "another backend's");
  ASSERT_TRUE(remove_kept(file).is_ok());
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_FALSE(std::filesystem::exists(file.string() + ".a1B2c3"));
  EXPECT_TRUE(std::filesystem::exists(file.parent_path() / "xla.safetensors"));
  EXPECT_TRUE(remove_kept(file).is_ok());
  EXPECT_TRUE(remove_kept(folder.path() / "no" / "folder.safetensors").is_ok());
}

TEST(KeptOutputs, AKillLeavesAWholeFileOrNone) {
  const TempDir folder;
  const Record record = some_record();
  const auto file = kept_file(folder.path(), record.sample, record.backend_name());
  const std::vector<float> elements(1 << 18, 1.5F);
  const verify::TensorView view = {DType::kFloat32, {1 << 18}, elements.data()};
  for (int delay_ms = 1; delay_ms < 30; delay_ms += 4) {
    const pid_t writer = ::fork();
    ASSERT_GE(writer, 0);
    while (writer == 0) static_cast<void>(keep_outputs(file, record, {{view}, {view}, {}}));
    std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
    ::kill(writer, SIGKILL);
    ::waitpid(writer, nullptr, 0);
    if (!std::filesystem::exists(file)) continue;
    const auto kept = read_kept_outputs(file);
    EXPECT_TRUE(kept.is_ok()) << kept.status().to_string();
  }
  ASSERT_TRUE(remove_kept(file).is_ok());
  EXPECT_FALSE(std::filesystem::exists(file.parent_path()) &&
               !std::filesystem::is_empty(file.parent_path()));
}

TEST(KeptOutputs, OfANewerVersionAreRefused) {
  const TempDir folder;
  const auto file = kept(folder, some_record(), 1, 1).facts.file;
  std::string text = base::read_file(file, 100000).value();
  const auto at = text.find("graphnet.outputs/1");
  ASSERT_NE(at, std::string::npos);
  text[at + 17] = '2';
  EXPECT_NE(read_kept_facts(folder.write("new.safetensors", text)).status().message().find("2"),
            std::string::npos);
}

TEST(OutputsComparison, EqualOutputsPassAllLevels) {
  const TempDir there;
  const TempDir here;
  Record faster = some_record();
  faster.plugin_side.median_ns = 50;
  const auto compared = compare_kept(kept(there, some_record(), 1, 1), kept(here, faster, 1, 1));
  EXPECT_EQ(compared.missing, "");
  EXPECT_TRUE(compared.differences.empty());
  for (const record::ReferenceSide* side : {&compared.eager, &compared.plugin}) {
    EXPECT_EQ(side->outcome, Outcome::kOk);
    EXPECT_EQ(side->bit_equal, true);
    EXPECT_EQ(side->levels_passed(), 64);
  }
  EXPECT_EQ(compared.eager.ratio, 1);
  EXPECT_EQ(compared.plugin.ratio, 2);
}

TEST(OutputsComparison, TheSideThatDiffersIsNamed) {
  const TempDir there;
  const TempDir here;
  const auto compared =
      compare_kept(kept(there, some_record(), 1, 1), kept(here, some_record(), 1, 2));
  EXPECT_FALSE(compared.eager.differs());
  EXPECT_TRUE(compared.plugin.differs());
  EXPECT_EQ(compared.plugin.outcome, Outcome::kAccuracyMismatch);
  EXPECT_LT(compared.plugin.levels_passed(), 64);
  EXPECT_GT(compared.plugin.levels_passed(), 0);
}

TEST(OutputsComparison, AnotherComputationIsNotCompared) {
  const TempDir there;
  const TempDir here;
  const KeptOutputs reference = kept(there, some_record(), 1, 1);
  struct Case {
    const char* what;
    void (*change)(Record& record);
  };
  for (const Case& tested :
       {Case{"program", [](Record& record) { record.sample_sha256 = "ff"; }},
        Case{"seed", [](Record& record) { record.seed = 124; }},
        Case{"arguments", [](Record& record) { record.digest["arguments"]["sha256"] = "bb"; }}}) {
    Record record = some_record();
    tested.change(record);
    const auto compared = compare_kept(reference, kept(here, record, 1, 1));
    EXPECT_NE(compared.missing.find(tested.what), std::string::npos) << compared.missing;
    EXPECT_FALSE(compared.eager.is_compared());
  }
}

TEST(OutputsComparison, SettingsThatDifferAreListed) {
  Record here = some_record();
  here.threads = 2;
  here.protocol = "standard";
  const auto differences = differing_settings(some_record(), here);
  ASSERT_EQ(differences.size(), 2U);
  EXPECT_EQ(differences[0], "threads: 1 there, 2 here");
}

TEST(OutputsComparison, SurvivesTheRoundTripInARecord) {
  const TempDir there;
  const TempDir here;
  Record record = some_record();
  record.outcome = Outcome::kOk;
  record.checks.reference =
      compare_kept(kept(there, some_record(), 1, 1), kept(here, some_record(), 1, 2));
  const auto again = record::record_from_json(record::to_json(record));
  ASSERT_TRUE(again.is_ok()) << again.status().to_string();
  EXPECT_TRUE(again->checks.reference.differs());
  EXPECT_EQ(base::dump_json(record::to_json(*again)), base::dump_json(record::to_json(record)));
}

}  // namespace kept_outputs_test
}  // namespace graphnet::outputs
