// SPDX-License-Identifier: MIT
//
// Results that are wrong in one element, behind masks, in the order of random numbers, or on other
// inputs only (dishonest_outcome_plugin.cc), through the real program.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "journal/journal_file.h"
#include "plugin_host/zoo.h"
#include "support/folders.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::tests {
namespace dishonest_outcome_test {

/// What follows the control sample's second linear, and before its first.
struct Ending {
  const char* before;
  const char* after;
};

constexpr Ending kPlain = {"", "result = linear_1"};
constexpr Ending kMasked = {"mask = l_x_ > 0.0",
                            "result = linear_1.masked_fill(mask, -3.4028234663852886e+38)"};
constexpr Ending kDropped = {"",
                             "result = torch.nn.functional.dropout(linear_1, 0.5, True, False)"};
constexpr Ending kPicked = {"", "result = torch.argmax(linear_1, -1)"};
/// Eager's calls are longer than settle_below, the plugin's are not: both have leading calls, which
/// may be checked.
constexpr Ending kUnused = {"unused = torch.sort(l_x_.repeat(32, 1))", "result = linear_1"};

struct Case {
  const char* trick;
  Ending ending;
  const char* outcome;
  const char* flag;     ///< "": none
  const char* message;  ///< part of it
};

const Case kCases[] = {
    {"honest", kUnused, "ok", "", ""},
    {"one_element", kPlain, "accuracy_mismatch", "", "an element is off by"},
    {"other_seed", kPlain, "accuracy_mismatch", "other_seed", "on inputs of seed 124: output 1"},
    {"masks_honestly", kMasked, "ok", "", ""},
    {"masks_badly", kMasked, "accuracy_mismatch", "", "relative RMS error 1e-2"},
    {"drops_honestly", kDropped, "ok", "unvaried", ""},
    {"drops_reversed", kDropped, "accuracy_mismatch", "", "relative RMS error"},
    {"picks_honestly", kPicked, "ok", "", ""},
    {"picks_badly_later", kPicked, "accuracy_mismatch", "sensitive", "on shuffled inputs"},
};

void PrintTo(const Case& tested, std::ostream* out) {
  *out << tested.trick;
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

/// The control sample with another ending.
std::filesystem::path write_sample(const TempDir& folder, const Ending& ending) {
  const auto sample = folder.path() / "sample";
  std::filesystem::copy(source_dir() + "/configs/control", sample);
  std::ifstream in(sample / "model.py", std::ios::binary);
  std::string program = {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::string first = "linear = torch._C";
  const std::string indent = "\n        ";
  if (*ending.before != '\0') replace(program, first, ending.before + indent + first);
  replace(program, "return (linear_1,)", ending.after + indent + "return (result,)");
  folder.write("sample/model.py", program);
  return sample;
}

class DishonestOutcome : public ::testing::TestWithParam<Case> {};

TEST_P(DishonestOutcome, IsFoundAndTheHonestAreNotAccused) {
  const Case& tested = GetParam();
  TempDir folder;
  const auto sample = write_sample(folder, tested.ending);
  const auto config = folder.write(
      "trick.yaml",
      "schema: graphnet/run/v1\nbackend: {library: " + zoo_library(tested.trick).string() +
          "}\nthreads: 1\nprotocol: {time: 300ms, settle_below: 30ms, remeasure: false}\nproof: "
          "none\n");
  const auto journal = folder.path() / "results.jsonl";
  const ProgramEnd end = run_program({build_dir() + "/bin/graphnet", "run", sample.string(), "-o",
                                      journal.string(), "--config", config.string()},
                                     {}, folder.path() / "log");
  const auto content = journal::read_journal(journal);
  ASSERT_TRUE(content.is_ok() && content->records.size() == 1) << end.output;
  const record::Record& record = content->records.front();
  EXPECT_EQ(record.outcome.text(), tested.outcome) << record.message << end.output;
  EXPECT_NE(record.message.find(tested.message), std::string::npos) << record.message;
  std::vector<std::string> flags;
  if (*tested.flag != '\0') flags = {tested.flag};
  EXPECT_EQ(texts_of(record.flags), flags);
  // A leading call that is compared with eager's results on other inputs is counted there.
  if (tested.ending.before == kUnused.before) {
    EXPECT_EQ(record.checks.ill_conditioned_calls.value_or(0), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Tricks, DishonestOutcome, ::testing::ValuesIn(kCases),
                         [](const auto& tested) { return std::string(tested.param.trick); });

}  // namespace dishonest_outcome_test
}  // namespace graphnet::tests
