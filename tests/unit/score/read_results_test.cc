// SPDX-License-Identifier: MIT
#include "score/read_results.h"

#include <gtest/gtest.h>

#include "journal/journal_file.h"
#include "support/run_program.h"
#include "support/temp_dir.h"
#include "unit/score/log_text.h"

namespace graphnet::score {
namespace read_results_test {

using tests::TempDir;

void write_journal(const TempDir& folder, const std::string& name) {
  auto file = journal::JournalFile::open(folder.path() / name, base::Json::object());
  ASSERT_TRUE(file.is_ok());
  record::Record record;
  record.sample = "timm/tiny";
  record.plugin = "xla";
  record.outcome = record::Outcome::kCompileFailed;
  record.phase = record::Phase::kCompile;
  ASSERT_TRUE(file->append(record).is_ok());
}

TEST(ReadResults, ReadsFilesAndFolders) {
  const TempDir folder;
  write_journal(folder, "a.jsonl");
  folder.write("b.log", log_text(LoggedSample{}));
  folder.write("c.txt", "no log\n");
  folder.write("d.jsonl", "{\"id\": 3}\n");
  folder.write("e.md", "[Processing] not looked at\n");
  ReadSettings settings;
  settings.by_file = true;
  const auto results = read_results({folder.path()}, settings);
  ASSERT_TRUE(results.is_ok()) << results.status().to_string();
  ASSERT_EQ(results->rows.size(), 2U);
  EXPECT_EQ(results->rows[0].failure, Failure::kCompile);
  EXPECT_EQ(results->rows[0].sample, results->rows[1].sample);
  EXPECT_EQ(results->rows[1].backend.facets.at("file"), "b");
  EXPECT_EQ(results->notes.size(), 2U);
  const auto one = read_results({folder.path() / "b.log"}, {});
  ASSERT_TRUE(one.is_ok());
  EXPECT_EQ(one->rows[0].backend.facets.count("file"), 0U);
}

TEST(ReadResults, RefusesWhatHoldsNoResult) {
  const TempDir folder;
  write_journal(folder, "good.jsonl");
  const std::string good = tests::read_text(folder.path() / "good.jsonl");
  folder.write("empty.log", "");
  folder.write("binary.log", std::string("\x7f") + "ELF" + std::string(100, '\0'));
  folder.write("other.json", "{\"id\": 3}\n");
  folder.write("newer.jsonl", "{\"schema\":\"graphnet.journal/99\"}\n");
  folder.write("broken.jsonl", good + "{\"schema\":3}\n" + good);
  folder.write("header.jsonl", good.substr(0, good.find('\n') + 1));
  for (const char* name : {"empty.log", "binary.log", "other.json", "newer.jsonl", "broken.jsonl",
                           "header.jsonl", "missing.log"}) {
    const auto results = read_results({folder.path() / name}, {});
    ASSERT_FALSE(results.is_ok()) << name;
    EXPECT_EQ(results.status().code(), base::Code::kInput) << name;
    EXPECT_NE(results.status().to_string().find(name), std::string::npos)
        << results.status().to_string();
  }
  EXPECT_FALSE(read_results({folder.path()}, {}).is_ok()) << "a broken journal is not skipped";
  const TempDir nothing;
  EXPECT_FALSE(read_results({nothing.path()}, {}).is_ok());
}

TEST(ReadResults, SaysThatALineIsTorn) {
  const TempDir folder;
  write_journal(folder, "a.jsonl");
  const std::string good = tests::read_text(folder.path() / "a.jsonl");
  folder.write("torn.jsonl", good + "{\"schema\":\"graphnet.rec");
  const auto results = read_results({folder.path() / "torn.jsonl"}, {});
  ASSERT_TRUE(results.is_ok());
  EXPECT_EQ(results->rows.size(), 1U);
  EXPECT_EQ(results->notes.size(), 1U);
}

}  // namespace read_results_test
}  // namespace graphnet::score
