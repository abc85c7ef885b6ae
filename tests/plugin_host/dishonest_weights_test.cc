// SPDX-License-Identifier: MIT
//
// Plugins that are right on the weights that they get first, whatever the inputs
// (dishonest_weights_plugin.cc), through the real program.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "journal/journal_file.h"
#include "plugin_host/zoo.h"
#include "support/control_sample.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace dishonest_weights_test {

/// The control sample as it is, or with a last layer whose bias is all that shows, whose calls are
/// so long that two of them are compared on second weights and none is timed there, or so short
/// that all are timed.
enum class Weights { kSensitive, kInsensitive, kInsensitiveLong, kInsensitiveShort };

struct Case {
  const char* trick;
  Weights weights;
  const char* settings;  ///< more lines of the config
  const char* outcome;
  std::vector<std::string> flags;
  const char* message;                                           ///< part of it
  const char* second;                                            ///< outcome on second weights
  record::ProofVerdict verdict = record::ProofVerdict::kProven;  ///< if it is ok
};

const Case kCases[] = {
    {"honest", Weights::kSensitive, "", "ok", {}, "", "ok"},
    {"honest", Weights::kInsensitive, "", "ok", {}, "", "ok"},
    {"honest", Weights::kInsensitive, "second_weights: off\n", "ok", {"unvaried"}, "", "not_tried"},
    {"built_in_weights",
     Weights::kSensitive,
     "",
     "accuracy_mismatch",
     {},
     "on second weights and the inputs of seed ",
     "accuracy_mismatch"},
    {"built_in_weights",
     Weights::kInsensitive,
     "",
     "accuracy_mismatch",
     {},
     "on second weights and the inputs of seed ",
     "accuracy_mismatch"},
    // Its first call is right there.
    {"ignores_inputs",
     Weights::kInsensitiveLong,
     "",
     "accuracy_mismatch",
     {},
     "on second weights and the inputs of seed ",
     "accuracy_mismatch"},
    {"ignores_inputs",
     Weights::kInsensitiveShort,
     "",
     "accuracy_mismatch",
     {"sensitive"},
     "on second weights: timed call ",
     "accuracy_mismatch"},
    {"ignores_inputs",
     Weights::kInsensitive,
     "second_weights: off\n",
     "ok",
     {"unvaried"},
     "",
     "not_tried",
     record::ProofVerdict::kUnknown},
    {"constant_if_it_may", Weights::kSensitive, "", "ok", {}, "", "ok"},
    {"constant_if_it_may", Weights::kInsensitive, "", "ok", {"tuned_to_weights"}, "", "ok"},
    // What is watched is what was timed.
    {"libtorch_until_third_bind", Weights::kSensitive, "", "ok", {}, "", "ok"},
    {"libtorch_from_third_bind",
     Weights::kSensitive,
     "",
     "ok",
     {"tuned_to_weights"},
     "",
     "ok",
     record::ProofVerdict::kMixed},
    {"looks_for_results", Weights::kSensitive, "", "ok", {}, "", "ok"},
    {"constant_beside_slow_eager", Weights::kInsensitive, "", "ok", {"tuned_to_weights"}, "", "ok"},
    {"constant_and_keeps_much", Weights::kInsensitive, "", "ok", {"tuned_to_weights"}, "", "ok"},
    // Other content comes after the timing, so what is watched is not what was timed.
    {"libtorch_until_zeros",
     Weights::kSensitive,
     "",
     "ok",
     {},
     "",
     "ok",
     record::ProofVerdict::kUnknown},
    {"stays_bound",
     Weights::kSensitive,
     "",
     "accuracy_mismatch",
     {},
     "after the first weights were bound again: output 1 of 1",
     "accuracy_mismatch"},
};

std::string name_of(const Case& tested) {
  std::string name = tested.trick;
  if (tested.weights != Weights::kSensitive) name += "_insensitive";
  if (tested.weights == Weights::kInsensitiveLong) name += "_long";
  if (tested.weights == Weights::kInsensitiveShort) name += "_short";
  return name + (*tested.settings == '\0' ? "" : "_off");
}

void PrintTo(const Case& tested, std::ostream* out) {
  *out << name_of(tested);
}

std::string sample_with(Weights weights, const TempDir& folder) {
  if (weights == Weights::kSensitive) return kControlSample;
  const std::vector<Redrawn> changes = {{"L_second_weight_", "0.0", "0.000001"}};
  if (weights == Weights::kInsensitive) {
    return write_control_sample(folder, "insensitive_mlp", changes).string();
  }
  const int features = weights == Weights::kInsensitiveLong ? 4096 : 64;
  return write_sized_sample(folder, "sized_mlp", 64, features, features, changes).string();
}

/// The record of a sample and a plugin; `settings`: more lines of the config.
record::Record run(const TempDir& folder, const std::string& sample, const char* trick,
                   const std::string& settings) {
  // Nobody is accused without an interval, which a busy machine must not take away here.
  const auto config = folder.write(
      "trick.yaml",
      "schema: graphnet/run/v1\nbackend: {library: " + zoo_library(trick).string() +
          "}\nthreads: 1\nprotocol: {time: 100ms, remeasure: false, max_waited: 1, max_dropped: "
          "1}\n" +
          settings);
  const auto journal = folder.path() / "results.jsonl";
  run_program({build_dir() + "/bin/graphnet", "run", sample, "-o", journal.string(), "--config",
               config.string()},
              {}, folder.path() / "log");
  const auto content = journal::read_journal(journal);
  EXPECT_TRUE(content.is_ok()) << content.status().to_string();
  if (content.is_ok() && content->records.size() == 1) return content->records.front();
  ADD_FAILURE() << "no record";
  return {};
}

class DishonestWeights : public ::testing::TestWithParam<Case> {};

TEST_P(DishonestWeights, AreCaughtAndTheHonestAreNot) {
  const Case& tested = GetParam();
  const TempDir folder;
  const record::Record record =
      run(folder, sample_with(tested.weights, folder), tested.trick, tested.settings);
  EXPECT_EQ(record.outcome.text(), tested.outcome) << record.message;
  EXPECT_NE(record.message.find(tested.message), std::string::npos) << record.message;
  EXPECT_EQ(texts_of(record.flags), tested.flags);
  EXPECT_EQ(record.checks.second_weights.outcome.text(), tested.second)
      << record.checks.second_weights.message;
  if (record.is_ok()) {
    EXPECT_EQ(record.verdict.kind, tested.verdict) << record.verdict;
  }
  const auto& second = record.checks.second_weights;
  if (second.outcome == record::Outcome::kOk) {
    ASSERT_TRUE(second.speedup) << second.untimed;
    // On a slow machine the calls are long, and then those that are compared are all that is timed.
    const bool are_long = record.eager.median_ns.value_or(0) >= 1.5e6;
    EXPECT_GE(second.pairs.value_or(0), are_long ? 1 : 5);
    EXPECT_LE(*second.speedup_low, *second.speedup);
    EXPECT_GE(*second.speedup_high, *second.speedup);
  }
  const bool is_sensitive = tested.weights == Weights::kSensitive;
  ASSERT_TRUE(record.checks.sensitivity.contains("sensitive")) << record.checks.sensitivity;
  EXPECT_EQ(record.checks.sensitivity["sensitive"], is_sensitive) << record.checks.sensitivity;
}

INSTANTIATE_TEST_SUITE_P(Tricks, DishonestWeights, ::testing::ValuesIn(kCases),
                         [](const auto& tested) { return name_of(tested.param); });

// The second executable's outputs have not been looked at when the first one's last call is.
TEST(WeightsInModeFrozen, AreExchangedWhereInputsDoNotVary) {
  const TempDir folder;
  const auto sample = write_control_sample(folder, "one_input", {{"L_x_", "0.5", "0.0"}});
  const record::Record record =
      run(folder, sample.string(), "honest", "weights: frozen\nsecond_weights: always\n");
  EXPECT_EQ(record.outcome, record::Outcome::kOk) << record.message;
  EXPECT_EQ(record.checks.second_weights.outcome, record::Outcome::kOk)
      << record.checks.second_weights.message;
  EXPECT_TRUE(record.checks.second_weights.compile_ns);
}

}  // namespace dishonest_weights_test
}  // namespace graphnet::tests
