// SPDX-License-Identifier: MIT
// `graphnet run --keep-outputs`, `run --reference` and `compare --outputs`, by the real program.
#include "outputs/kept_outputs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/file.h"
#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/mentions.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace kept_outputs_test {

namespace fs = std::filesystem;
using record::Outcome;
using record::Record;

const std::string kProgram = build_dir() + "/bin/graphnet";
const std::string kSamples = source_dir() + "/samples/";
const std::string kConfig = source_dir() + "/configs/nope.yaml";
const char* const kIris = "transformers-auto-model/sadhaklal_mlp-iris";
const char* const kGat = "torchgeometric/GAT";
const char* const kOpt = "transformers-auto-model/opt-tiny-random";
const char* const kNet = "torchvision/mobilenet_v3_small";

/// One run of `graphnet` with its records by sample.
struct KeptRun {
  ProgramEnd end;
  std::map<std::string, Record> records;

  int exit_code() const { return end.state.exit_code.value_or(-1); }
};

KeptRun run(const TempDir& folder, std::vector<std::string> words) {
  const auto journal = folder.path() / "results.jsonl";
  fs::remove(journal);
  words.insert(words.begin(), {kProgram, "run"});
  words.insert(words.end(), {"-o", journal.string()});
  KeptRun done = {run_program(words, {}, folder.path() / "log"), {}};
  if (!fs::exists(journal)) return done;
  const auto content = journal::read_journal(journal);
  EXPECT_TRUE(content.is_ok()) << content.status().to_string();
  if (!content.is_ok()) return done;
  for (const Record& record : content->records) done.records[record.sample] = record;
  return done;
}

/// A folder of outputs kept by protocol smoke with one thread.
void keep(const TempDir& folder, const std::vector<std::string>& samples) {
  std::vector<std::string> words;
  for (const std::string& sample : samples) words.push_back(kSamples + sample);
  words.insert(words.end(), {"--config", kConfig, "--threads", "1", "--protocol", "upstream",
                             "--trials", "2", "--warmup", "1", "--proof", "none", "--keep-outputs",
                             (folder.path() / "kept").string()});
  const KeptRun done = run(folder, words);
  ASSERT_EQ(done.exit_code(), 0) << done.end.output;
}

fs::path kept_file(const TempDir& folder, const std::string& sample) {
  return outputs::kept_file(folder.path() / "kept", sample, "nope");
}

std::string kept_text(const TempDir& folder, const std::string& sample) {
  return base::read_file(kept_file(folder, sample), 100'000'000).value();
}

/// Keeps the same again with one element changed.
void change_element(const fs::path& file, const fs::path& to) {
  auto kept = outputs::read_kept_outputs(file);
  ASSERT_TRUE(kept.is_ok()) << kept.status().to_string();
  auto* const elements = reinterpret_cast<float*>(kept->eager.at(0).bytes.data());
  elements[0] += 1;
  const base::Status written = outputs::keep_outputs(
      to, kept->facts.record, {verify::views(kept->eager), verify::views(kept->plugin), {}});
  ASSERT_TRUE(written.is_ok()) << written.to_string();
}

TEST(KeepOutputs, WritesWhatItTakesToRunAgain) {
  const TempDir folder;
  keep(folder, {kIris, kGat});
  for (const char* sample : {kIris, kGat}) {
    const auto kept = outputs::read_kept_outputs(kept_file(folder, sample));
    ASSERT_TRUE(kept.is_ok()) << kept.status().to_string();
    const Record& record = kept->facts.record;
    EXPECT_EQ(record.sample, sample);
    EXPECT_EQ(record.sample_sha256.size(), 64U);
    EXPECT_EQ(record.digest["arguments"]["sha256"].get<std::string>().size(), 64U);
    EXPECT_EQ(record.plugin, "nope");
    EXPECT_EQ(record.protocol, "upstream");
    EXPECT_EQ(record.trials, 2);
    EXPECT_EQ(record.threads, 1);
    EXPECT_GT(record.seed, 0U);
    EXPECT_EQ(record.device, "cpu");
    EXPECT_FALSE(record.environment.libtorch.empty());
    EXPECT_FALSE(record.environment.hardware_class.empty());
    EXPECT_EQ(record.eager.trials_ns.size(), 2U);
    EXPECT_GT(record.plugin_side.median_ns.value_or(0), 0);
    ASSERT_EQ(kept->eager.size(), record.eager.output_dtypes.size());
    ASSERT_EQ(kept->plugin.size(), kept->eager.size());
    EXPECT_EQ(kept->facts.names.size(), kept->eager.size());
    EXPECT_EQ(base::dtype_name(kept->eager[0].dtype), record.eager.output_dtypes[0]);
  }
}

// Upstream compares a stale dump of an earlier run in silence.
TEST(KeepOutputs, AnEarlierRunsFileDoesNotStandForOneThatFailed) {
  const TempDir folder;
  keep(folder, {kIris});
  const auto part = folder.write(std::string("kept/") + kIris + "/nope.safetensors.a1b2c3", "half");
  const KeptRun skipped =
      run(folder, {kSamples + kIris, "--config", kConfig, "--max-gflop", "0.000000001",
                   "--keep-outputs", (folder.path() / "kept").string()});
  ASSERT_EQ(skipped.records.size(), 1U) << skipped.end.output;
  EXPECT_FALSE(skipped.records.begin()->second.is_ok());
  EXPECT_FALSE(fs::exists(kept_file(folder, kIris)));
  EXPECT_FALSE(fs::exists(part));
}

TEST(KeepOutputs, AFolderThatCannotBeWrittenIsSaid) {
  const TempDir folder;
  folder.write("kept/transformers-auto-model", "a file where a folder must be");
  const KeptRun done = run(folder, {kSamples + kIris, "--config", kConfig, "--protocol", "upstream",
                                    "--keep-outputs", (folder.path() / "kept").string()});
  ASSERT_EQ(done.records.size(), 1U) << done.end.output;
  EXPECT_EQ(done.records.at(kIris).outcome, Outcome::kOk);
  EXPECT_NE(done.records.at(kIris).checks.outputs_not_kept, "");
  EXPECT_EQ(done.exit_code(), 1);
  EXPECT_NE(done.end.output.find("outputs not kept"), std::string::npos) << done.end.output;
}

TEST(Reference, GivesSamplesConfigAndSettings) {
  const TempDir folder;
  keep(folder, {kIris, kGat});
  const KeptRun again = run(folder, {"--reference", (folder.path() / "kept").string()});
  EXPECT_EQ(again.exit_code(), 0) << again.end.output;
  ASSERT_EQ(again.records.size(), 2U) << again.end.output;
  for (const auto& [sample, record] : again.records) {
    EXPECT_EQ(record.plugin, "nope");
    EXPECT_EQ(record.protocol, "upstream");
    EXPECT_EQ(record.trials, 2);
    EXPECT_EQ(record.warmup, 1);
    EXPECT_EQ(record.threads, 1);
    const record::Reference& reference = record.checks.reference;
    EXPECT_EQ(reference.missing, "");
    EXPECT_TRUE(reference.differences.empty()) << reference.differences.front();
    for (const record::ReferenceSide* side : {&reference.eager, &reference.plugin}) {
      EXPECT_EQ(side->outcome, Outcome::kOk) << sample << side->message;
      EXPECT_EQ(side->bit_equal, true) << sample;
      EXPECT_EQ(side->levels_passed(), 64) << sample;
      EXPECT_GT(side->ratio.value_or(0), 0) << sample;
    }
  }
  EXPECT_NE(again.end.output.find("2 compared, 2 equal to the bit, 0 differ"), std::string::npos)
      << again.end.output;
}

TEST(Reference, WhatIsSaidOtherwiseIsSaidPlainly) {
  const TempDir folder;
  keep(folder, {kIris});
  const KeptRun other =
      run(folder, {kSamples + kIris, "--config", kConfig, "--reference",
                   (folder.path() / "kept").string(), "--trials", "3", "--protocol", "upstream"});
  EXPECT_EQ(other.exit_code(), 0) << other.end.output;
  EXPECT_TRUE(mentions(other.end.output, {"protocol is upstream", "--protocol", "2 trials"}));
  EXPECT_EQ(other.records.at(kIris).threads, 1);
  EXPECT_EQ(other.records.at(kIris).checks.reference.differences.size(), 2U);
}

TEST(Reference, OneThatCannotServeIsNamedWithItsReason) {
  const TempDir folder;
  keep(folder, {kIris, kGat, kOpt, kNet});
  const std::string iris = kept_text(folder, kIris);
  const std::string name = "/nope.safetensors";
  folder.write(std::string("kept/") + kGat + name, iris);  // of another sample
  std::string seed = kept_text(folder, kOpt);
  const auto at = seed.find("\\\"seed\\\":123");
  ASSERT_NE(at, std::string::npos);
  seed[at + 11] = '4';
  folder.write(std::string("kept/") + kOpt + name, seed);
  const std::string whole = kept_text(folder, kNet);
  folder.write(std::string("kept/") + kNet + name, whole.substr(0, whole.size() - 10));
  fs::remove(kept_file(folder, kIris));
  const std::vector<std::string> words = {
      kSamples + kIris, kSamples + kGat, kSamples + kOpt, kSamples + kNet,
      "--config",       kConfig,         "--reference",   folder.path() / "kept"};
  const KeptRun done = run(folder, words);
  EXPECT_EQ(done.exit_code(), 0) << done.end.output;
  ASSERT_EQ(done.records.size(), 4U);
  const std::map<std::string, const char*> reasons = {
      {kIris, "No such file"}, {kGat, "another program"}, {kOpt, "seed 124"}, {kNet, "cut short"}};
  for (const auto& [sample, reason] : reasons) {
    const record::Reference& reference = done.records.at(sample).checks.reference;
    EXPECT_NE(reference.missing.find(reason), std::string::npos) << sample << reference.missing;
    EXPECT_FALSE(reference.eager.is_compared());
    EXPECT_NE(done.end.output.find(reason), std::string::npos) << done.end.output;
  }
  std::vector<std::string> strict = words;
  strict.insert(strict.end(), {"--fail-on", "any"});
  EXPECT_EQ(run(folder, strict).exit_code(), 1);
}

TEST(Reference, AnotherResultFailsTheRun) {
  const TempDir folder;
  keep(folder, {kIris});
  change_element(kept_file(folder, kIris), kept_file(folder, kIris));
  const std::vector<std::string> words = {"--reference", folder.path() / "kept"};
  const KeptRun done = run(folder, words);
  EXPECT_EQ(done.exit_code(), 1) << done.end.output;
  const Record& record = done.records.at(kIris);
  EXPECT_EQ(record.outcome, Outcome::kOk);
  EXPECT_EQ(record.checks.reference.eager.outcome, Outcome::kAccuracyMismatch);
  EXPECT_LT(record.checks.reference.eager.levels_passed(), 64);
  EXPECT_EQ(record.checks.reference.plugin.bit_equal, true);
  EXPECT_NE(done.end.output.find("differs"), std::string::npos) << done.end.output;
}

TEST(Reference, MistakesAreUsageErrors) {
  const TempDir folder;
  keep(folder, {kIris});
  const std::string kept = folder.path() / "kept";
  EXPECT_EQ(run(folder, {"--reference", kept, "--keep-outputs", kept}).exit_code(), 2);
  EXPECT_EQ(run(folder, {"--reference", kept + "/none"}).exit_code(), 3);
  EXPECT_TRUE(fs::exists(kept_file(folder, kIris)));
}

ProgramEnd compare(const TempDir& folder, const std::string& a, const std::string& b,
                   const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {kProgram, "compare", folder.path() / a, folder.path() / b,
                                    "--outputs"};
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words, {}, folder.path() / "log");
}

TEST(CompareOutputs, NothingIsRunAndDifferencesAreFound) {
  const TempDir folder;
  keep(folder, {kIris, kGat});
  const fs::path here = folder.path() / "here";
  fs::copy(folder.path() / "kept", here, fs::copy_options::recursive);
  const ProgramEnd equal = compare(folder, "kept", "here");
  EXPECT_EQ(equal.state.exit_code, 0) << equal.output;
  EXPECT_NE(equal.output.find("2 compared, 2 equal to the bit"), std::string::npos) << equal.output;
  EXPECT_NE(equal.output.find("1.00x"), std::string::npos) << equal.output;

  change_element(kept_file(folder, kIris), outputs::kept_file(here, kIris, "nope"));
  const ProgramEnd other = compare(folder, "kept", "here", {"--json"});
  EXPECT_EQ(other.state.exit_code, 1) << other.output;
  const auto json = base::parse_json(other.output, "stdout");
  ASSERT_TRUE(json.is_ok()) << other.output;
  EXPECT_EQ((*json)["schema"], "graphnet.outputs_comparison/1");
  EXPECT_EQ((*json)["differing"], 1);
  for (const base::Json& sample : (*json)["samples"]) {
    const bool is_changed = sample["sample"] == kIris;
    EXPECT_EQ(sample["eager"]["outcome"], is_changed ? "accuracy_mismatch" : "ok");
    EXPECT_EQ(sample["eager"]["correctness"]["all_close"][0].get<std::string>().size(), 64U);
    EXPECT_EQ(sample["plugin"]["bit_equal"], true);
  }
  EXPECT_EQ(compare(folder, "kept", "here", {"--fail-on", "never"}).state.exit_code, 0);
}

TEST(CompareOutputs, WhatIsMissingOrDamagedIsNamed) {
  const TempDir folder;
  keep(folder, {kIris, kGat});
  const std::string gat = std::string("/") + kGat + "/nope.safetensors";
  fs::copy(folder.path() / "kept", folder.path() / "here", fs::copy_options::recursive);
  fs::remove(folder.path().string() + "/here" + gat);
  EXPECT_EQ(compare(folder, "kept", "here").state.exit_code, 0);
  const ProgramEnd missing = compare(folder, "kept", "here", {"--fail-on", "missing"});
  EXPECT_EQ(missing.state.exit_code, 1);
  EXPECT_NE(missing.output.find("has no outputs of it"), std::string::npos) << missing.output;
  EXPECT_EQ(compare(folder, "here", "kept", {"--fail-on", "missing"}).state.exit_code, 0);

  const std::string whole = kept_text(folder, kGat);
  folder.write("here" + gat, whole.substr(0, whole.size() / 2));
  const ProgramEnd damaged = compare(folder, "kept", "here");
  EXPECT_EQ(damaged.state.exit_code, 1) << damaged.output;
  EXPECT_NE(damaged.output.find("cut short"), std::string::npos) << damaged.output;
  EXPECT_EQ(compare(folder, "here", "kept").state.exit_code, 1);
  EXPECT_EQ(compare(folder, "kept", "none").state.exit_code, 3);
  EXPECT_EQ(compare(folder, "kept", "here", {"--metric", "eager"}).state.exit_code, 2);
}

ProgramEnd test_device(const TempDir& folder, const std::string& program,
                       const std::vector<std::string>& more) {
  std::vector<std::string> words = {kProgram,
                                    program,
                                    "--reference-dir",
                                    folder.path() / "kept",
                                    "-o",
                                    folder.path() / "device.jsonl"};
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words, {}, folder.path() / "log");
}

TEST(TestDevices, UpstreamsFlagsKeepAndCompare) {
  const TempDir folder;
  const ProgramEnd first =
      test_device(folder, "test-reference-device",
                  {"--model-path", kSamples + kIris, "--compiler", "nope", "--warmup", "1",
                   "--trials", "3", "--seed", "123", "--op-lib", "default"});
  ASSERT_EQ(first.state.exit_code, 0) << first.output;
  const auto kept = outputs::read_kept_facts(kept_file(folder, kIris));
  ASSERT_TRUE(kept.is_ok()) << kept.status().to_string();
  EXPECT_EQ(kept->record.trials, 3);

  const ProgramEnd second = test_device(folder, "test-target-device",
                                        {"--model-path", kSamples + "transformers-auto-model"});
  ASSERT_EQ(second.state.exit_code, 0) << second.output;
  EXPECT_TRUE(mentions(second.output,
                       {"skipped", kOpt, "[0] test_target_device, model_path: ",
                        "graph-net-test-device-log [Config] compiler: nope", "[Config] warmup: 1",
                        "[Config] trials: 3", "[Correctness][equal]: 1", "[Result] status: success",
                        "[Speedup][e2e]: ", "Totally 1 verified samples"}));
}

TEST(TestDevices, MistakesAreNamed) {
  const TempDir folder;
  keep(folder, {kIris});
  const std::vector<std::string> sample = {"--model-path", kSamples + kIris};
  std::vector<std::string> words = sample;
  words.insert(words.end(), {"--compiler", "nope", "--seed", "7"});
  EXPECT_EQ(test_device(folder, "test-reference-device", words).state.exit_code, 4);
  EXPECT_EQ(
      test_device(folder, "test-target-device", {"--model-path", kSamples + kGat}).state.exit_code,
      3);
  EXPECT_EQ(test_device(folder, "test-target-device",
                        {"--model-path", kSamples + kIris, "--op-lib", "flaggems"})
                .state.exit_code,
            4);
  EXPECT_TRUE(fs::exists(kept_file(folder, kIris)));
}

}  // namespace kept_outputs_test
}  // namespace graphnet::tests
