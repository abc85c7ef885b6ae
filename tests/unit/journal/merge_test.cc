// SPDX-License-Identifier: MIT
#include "journal/merge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "journal/checked_line.h"
#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/temp_dir.h"

namespace graphnet::journal {
namespace merge_test {

using record::Record;

using tests::TempDir;

Record record_of(const std::string& key, const std::string& outcome = "ok", int attempt = 1,
                 const std::string& time = "2026-11-21T05:40:12Z") {
  Record record;
  record.task_key = key;
  record.sample = "f/" + key;
  record.plugin = "nope";
  record.plugin_version = "0.1.0";
  record.outcome = record::Word<record::Outcome>(outcome);
  record.phase =
      record.outcome == record::Outcome::kSkipped ? record::Phase::kPlan : record::Phase::kTime;
  record.attempt = attempt;
  record.time_utc = time;
  record.graphnet = "0.1.0";
  return record;
}

class MergeTest : public ::testing::Test {
 protected:
  std::filesystem::path journal_of(const std::string& name, const std::vector<Record>& records) {
    // As JournalFile writes it, but not synced.
    std::string text =
        with_check("{\"schema\":\"graphnet.journal/2\",\"run_id\":\"" + name + "\"}");
    for (const Record& record : records) {
      text += "\n" + with_check(base::dump_json(to_json(record)));
    }
    return folder_.write(name, text + "\n");
  }

  static Merged merged(const std::vector<std::filesystem::path>& inputs) {
    auto result = merge_journals(inputs);
    EXPECT_TRUE(result.is_ok()) << result.status().to_string();
    return result.is_ok() ? *result : Merged();
  }

  JournalContent content(const std::string& text) {
    return *read_journal(folder_.write("merged.jsonl", text));
  }

  TempDir folder_;
};

TEST_F(MergeTest, OneRecordATaskStays) {
  const struct {
    Record loser;
    Record winner;
  } cases[] = {
      {record_of("a", "skipped", 3), record_of("a", "crashed", 1)},
      {record_of("a", "ok", 1, "2026-11-22T00:00:00Z"), record_of("a", "crashed", 2)},
      {record_of("a", "ok", 1), record_of("a", "crashed", 1, "2026-11-22T00:00:00Z")},
  };
  for (const auto& [loser, winner] : cases) {
    const auto one = journal_of("one", {loser});
    const auto two = journal_of("two", {winner});
    const Merged merged_one_two = merged({one, two});
    EXPECT_EQ(merged_one_two.num_records, 1u);
    EXPECT_EQ(merged_one_two.num_duplicates, 1u);
    const auto journal = content(merged_one_two.text);
    ASSERT_EQ(journal.records.size(), 1u);
    EXPECT_EQ(base::dump_json(to_json(journal.records[0])), base::dump_json(to_json(winner)));
  }
}

// Random splits of the same records, in random order and with repetitions, give the same bytes.
TEST_F(MergeTest, OrderAndSplitAndRepetitionDoNotMatter) {
  std::mt19937 random(20261121);
  const char* const outcomes[] = {"ok", "crashed", "skipped", "accuracy_mismatch"};
  std::vector<Record> records;
  for (int i = 0; i < 60; ++i) {
    Record record = record_of(std::to_string(random() % 25), outcomes[random() % 4],
                              static_cast<int>(random() % 3) + 1,
                              "2026-11-21T05:40:1" + std::to_string(random() % 3) + "Z");
    record.message = std::to_string(random() % 2);
    if (i % 10 == 0) record.task_key.clear();
    records.push_back(record);
  }
  std::string expected;
  for (int round = 0; round < 40; ++round) {
    std::vector<std::vector<Record>> parts(3);
    for (const Record& record : records) {
      parts[random() % 3].push_back(record);
      if (random() % 4 == 0) parts[random() % 3].push_back(record);
    }
    std::vector<std::filesystem::path> inputs;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::shuffle(parts[i].begin(), parts[i].end(), random);
      inputs.push_back(journal_of("part" + std::to_string(i), parts[i]));
    }
    std::shuffle(inputs.begin(), inputs.end(), random);
    const std::string text = merged(inputs).text;
    if (expected.empty()) expected = text;
    ASSERT_EQ(text, expected) << round;
    // In steps, and once more with what is merged already.
    const auto half = folder_.write("half", merged({inputs[2], inputs[0]}).text);
    ASSERT_EQ(merged({half, inputs[1]}).text, expected) << round;
    const auto whole = folder_.write("whole", text);
    ASSERT_EQ(merged({whole}).text, expected) << round;
    ASSERT_EQ(merged({inputs[1], whole, half}).text, expected) << round;
  }
  EXPECT_LT(content(expected).records.size(), records.size());
}

// Readers count the last record of a sample and a backend; a key says nothing of time.
TEST_F(MergeTest, OfOneSampleTheLaterBuildComesLast) {
  for (const auto& [early, late] : {std::pair("a", "b"), std::pair("b", "a")}) {
    Record first = record_of(early, "crashed", 1, "2026-11-21T05:40:12Z");
    Record second = record_of(late, "ok", 1, "2026-11-22T05:40:12Z");
    first.sample = second.sample = "f/one";
    const auto one = journal_of("one", {first});
    const auto two = journal_of("two", {second});
    const std::vector<Record> records = content(merged({two, one}).text).records;
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records.back().task_key, late);
  }
}

TEST_F(MergeTest, UnknownKeysAndOldLinesAreKept) {
  const auto golden =
      std::filesystem::path(tests::source_dir()) / "tests" / "golden" / "journal" / "v1.jsonl";
  const std::string line =
      "{\"schema\":\"graphnet.record/1\",\"sample\":{\"name\":\"f/x\"},\"plugin\":{\"name\":\"p\"},"
      "\"outcome\":\"ok\",\"from_the_future\":7}";
  const auto other = folder_.write("other", "{\"schema\":\"graphnet.journal/1\"}\n" + line + "\n");
  const Merged result = merged({other, golden});
  EXPECT_EQ(result.num_records, 3u);
  EXPECT_NE(result.text.find("\"from_the_future\":7"), std::string::npos);
  const auto journal = content(result.text);
  EXPECT_TRUE(journal.notes.empty());
  EXPECT_EQ(journal.controls.size(), 1u);
  EXPECT_EQ(journal.header["merged"].size(), 2u);
}

TEST_F(MergeTest, ConflictingVersionsAreReported) {
  Record other = record_of("b");
  other.plugin_version = "0.2.0";
  other.plugin_sha256 = "0123456789abcdef";
  other.environment.hardware_class = "x";
  Record third = record_of("c");
  third.environment.hardware_class = "y";
  third.math.tf32 = true;
  const Merged result =
      merged({journal_of("one", {record_of("a"), other}), journal_of("two", {third})});
  EXPECT_EQ(result.conflicts,
            (std::vector<std::string>{"hardware: 2 versions (x, y)",
                                      "math policy: 2 versions (default, tf32)",
                                      "plugin nope: 2 versions (0.1.0 unknown, 0.2.0 01234567)"}));
  EXPECT_TRUE(merged({journal_of("three", {record_of("a")})}).conflicts.empty());
}

TEST_F(MergeTest, DamageIsNotedAndForeignFilesAreRefused) {
  const auto path = journal_of("one", {record_of("a"), record_of("b")});
  std::string bytes = base::read_file(path, 1 << 20).value();
  bytes.replace(bytes.find("f/a"), 3, "f/z");
  const Merged result = merged({folder_.write("one", bytes)});
  EXPECT_EQ(result.num_records, 1u);
  EXPECT_EQ(result.notes.size(), 1u);
  EXPECT_EQ(merge_journals({folder_.write("x", "text\n")}).status().code(), base::Code::kInput);
  EXPECT_EQ(merge_journals({folder_.path() / "none"}).status().code(), base::Code::kInput);
}

}  // namespace merge_test
}  // namespace graphnet::journal
