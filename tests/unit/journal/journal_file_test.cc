// SPDX-License-Identifier: MIT
#include "journal/journal_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <random>

#include "journal/checked_line.h"
#include "support/folders.h"
#include "support/temp_dir.h"

namespace graphnet::journal {
namespace journal_file_test {

using record::Record;

using base::Json;
using tests::TempDir;

Record record_of(const std::string& sample) {
  Record record;
  record.sample = sample;
  record.plugin = "nope";
  record.outcome = record::Outcome::kOk;
  return record;
}

std::string content(const std::filesystem::path& path) {
  return base::read_file(path, 1 << 20).value();
}

void append_raw(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::app) << bytes;
}

// A journal with two records.
std::filesystem::path two_records(const TempDir& folder) {
  const auto path = folder.path() / "results" / "r.jsonl";
  auto journal = JournalFile::open(path, {{"run_id", "id"}});
  EXPECT_TRUE(journal.is_ok()) << journal.status().to_string();
  EXPECT_TRUE(journal->append(record_of("a/b")).is_ok());
  EXPECT_TRUE(journal->append(record_of("c/d")).is_ok());
  return path;
}

TEST(Journal, WritesAHeaderAndOneLineEach) {
  const TempDir folder;
  const auto path = two_records(folder);
  const std::string text = content(path);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            with_check("{\"schema\":\"graphnet.journal/2\",\"record_schema\":\"graphnet.record/1\","
                       "\"run_id\":\"id\"}"));
  const auto journal = read_journal(path);
  ASSERT_TRUE(journal.is_ok()) << journal.status().to_string();
  EXPECT_EQ(journal->header["run_id"], "id");
  ASSERT_EQ(journal->records.size(), 2u);
  EXPECT_EQ(journal->records[1].sample, "c/d");
  EXPECT_TRUE(journal->notes.empty());
}

TEST(Journal, ReopeningAppendsAndKeepsTheHeader) {
  const TempDir folder;
  const auto path = two_records(folder);
  {
    auto journal = JournalFile::open(path, {{"run_id", "other"}});
    ASSERT_TRUE(journal.is_ok()) << journal.status().to_string();
    ASSERT_TRUE(journal->append(record_of("e/f")).is_ok());
  }
  const auto journal = read_journal(path);
  ASSERT_EQ(journal->records.size(), 3u);
  EXPECT_EQ(journal->header["run_id"], "id");
}

TEST(Journal, EveryTornEndIsIgnoredByTheReaderAndCutByTheWriter) {
  const TempDir folder;
  const std::string whole = content(two_records(folder));
  const std::size_t header_end = whole.find('\n') + 1;
  for (std::size_t length = header_end; length < whole.size(); ++length) {
    // Each round syncs to disk three times: every length near a line's end, few in between.
    const std::size_t next_end = whole.find('\n', length - 1);
    const bool is_near_an_end = next_end - (length - 1) < 3 || whole[length - 2] == '\n';
    if (!is_near_an_end && length % 37 != 0) continue;
    const auto path = folder.write("torn.jsonl", whole.substr(0, length));
    const auto journal = read_journal(path);
    ASSERT_TRUE(journal.is_ok()) << length << journal.status().to_string();
    const bool is_torn = whole[length - 1] != '\n';
    EXPECT_EQ(journal->notes.size(), is_torn ? 1u : 0u);
    const std::size_t complete = journal->records.size();
    {
      auto writer = JournalFile::open(path, Json::object());
      ASSERT_TRUE(writer.is_ok()) << writer.status().to_string();
      ASSERT_TRUE(writer->append(record_of("x/y")).is_ok());
    }
    const auto again = read_journal(path);
    ASSERT_TRUE(again.is_ok()) << again.status().to_string();
    ASSERT_EQ(again->records.size(), complete + 1);
    EXPECT_EQ(again->records.back().sample, "x/y");
    EXPECT_TRUE(again->notes.empty());
  }
}

TEST(Journal, ATornHeaderIsWrittenAgain) {
  const TempDir folder;
  const auto path = folder.write("r.jsonl", "{\"schema\":\"graphnet.journal/1\",\"rec");
  ASSERT_TRUE(JournalFile::open(path, {{"run_id", "id"}}).is_ok());
  EXPECT_EQ(read_journal(path)->header["run_id"], "id");
}

TEST(Journal, ALongTornTailIsCutAcrossChunks) {
  const TempDir folder;
  const auto path = two_records(folder);
  const std::string before = content(path);
  append_raw(path, "{\"schema\":\"" + std::string(300'000, 'x'));
  ASSERT_TRUE(JournalFile::open(path, Json::object()).is_ok());
  EXPECT_EQ(content(path), before);
}

TEST(Journal, ForeignFilesAreRefusedAndUntouched) {
  const TempDir folder;
  for (const std::string text :
       {"notes without a line end", "a\nb\n", "{\"a\":1}\n", "{}\n", "[]\n", "\n", "{",
        "{\"schema\":\"graphnet.record/1\"}\n", "\x7f\x45LF\x02\x01 \xff\xfe\n"}) {
    const auto path = folder.write("x", text);
    const auto journal = JournalFile::open(path, Json::object());
    ASSERT_FALSE(journal.is_ok()) << text;
    EXPECT_EQ(journal.status().code(), base::Code::kInput) << text;
    EXPECT_EQ(content(path), text);
    EXPECT_EQ(read_journal(path).status().code(), base::Code::kInput) << text;
  }
  EXPECT_FALSE(JournalFile::open(folder.path(), Json::object()).is_ok());
  const auto fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(JournalFile::open(fifo, Json::object()).is_ok());
}

TEST(Journal, NewerSchemasAreRefusedNamingBoth) {
  const TempDir folder;
  const auto path = folder.write("x", "{\"schema\":\"graphnet.journal/7\"}\n");
  const std::string text = read_journal(path).status().to_string();
  EXPECT_NE(text.find("graphnet.journal/7"), std::string::npos) << text;
  EXPECT_NE(text.find("graphnet.journal/2"), std::string::npos) << text;
  EXPECT_FALSE(JournalFile::open(path, Json::object()).is_ok());
}

TEST(Journal, ASoundLineThatIsNoRecordIsAnErrorWithItsNumber) {
  const TempDir folder;
  const std::string good = content(two_records(folder));
  for (const std::string bad : {"{\"schema\":\"graphnet.record/9\"}", "{\"a\":1}",
                                "{\"schema\":\"graphnet.record/1\",\"outcome\":[]}"}) {
    const auto path =
        folder.write("bad.jsonl", good + with_check(bad) + "\n" + good.substr(good.find('\n') + 1));
    const auto journal = read_journal(path);
    ASSERT_FALSE(journal.is_ok()) << bad;
    EXPECT_EQ(journal.status().code(), base::Code::kInput);
    EXPECT_EQ(journal.status().context().back(), path.string() + ":4");
  }
}

TEST(Journal, WithoutChecksABadLineIsAnErrorWithItsNumber) {
  const TempDir folder;
  for (const std::string bad : {"garbage", "", "[1,2]", "\xff\xfe\x00\x01"}) {
    const auto path =
        folder.write("bad.jsonl", "{\"schema\":\"graphnet.journal/1\"}\n" + bad + "\n");
    const auto journal = read_journal(path);
    ASSERT_FALSE(journal.is_ok()) << bad;
    EXPECT_EQ(journal.status().context().back(), path.string() + ":2");
  }
}

TEST(Journal, ADamagedLineCostsThatRecordOnly) {
  const TempDir folder;
  const auto path = two_records(folder);
  const std::string good = content(path);
  const std::size_t first = good.find('\n') + 1;
  const std::size_t second = good.find('\n', first) + 1;
  // Bytes all over the first record and each of its check; never its line feed.
  for (std::size_t at = first; at + 1 < second; at += at + 40 < second ? 11 : 1) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    if (bytes[at] == '\n') continue;
    const auto journal = read_journal(folder.write("x", bytes));
    ASSERT_TRUE(journal.is_ok()) << at << journal.status().to_string();
    ASSERT_EQ(journal->records.size(), 1u) << at;
    EXPECT_EQ(journal->records[0].sample, "c/d");
    ASSERT_EQ(journal->notes.size(), 1u);
    EXPECT_NE(journal->notes[0].find("x:2: the line was damaged"), std::string::npos);
  }
}

TEST(Journal, ADamagedHeaderIsRefused) {
  const TempDir folder;
  std::string bytes = content(two_records(folder));
  bytes.replace(bytes.find("\"id\""), 4, "\"ie\"");
  EXPECT_EQ(read_journal(folder.write("x", bytes)).status().code(), base::Code::kInput);
}

std::filesystem::path golden(const std::string& name) {
  return std::filesystem::path(tests::source_dir()) / "tests" / "golden" / "journal" / name;
}

// What every version wrote; see the rules in record.h.
TEST(Journal, EveryOlderVersionIsRead) {
  for (const char* name : {"v1.jsonl", "v2.jsonl"}) {
    const auto journal = read_journal(golden(name));
    ASSERT_TRUE(journal.is_ok()) << name << journal.status().to_string();
    EXPECT_TRUE(journal->notes.empty()) << name;
    EXPECT_EQ(journal->controls.size(), 1u) << name;
    ASSERT_EQ(journal->records.size(), 2u) << name;
    for (const Record& record : journal->records) {
      EXPECT_EQ(record.plugin, "nope");
      EXPECT_EQ(record.outcome, record::Outcome::kOk);
      EXPECT_GT(record.speedup.value_or(0), 0.5);
      EXPECT_TRUE(record.timing.verdict.value() != record::TimingVerdict::kOther &&
                  !record.timing.verdict.empty());
      EXPECT_FALSE(record.sample_sha256.empty());
    }
  }
}

TEST(Journal, AFileWithoutChecksIsContinuedWithThem) {
  const TempDir folder;
  const auto path = folder.write("r.jsonl", content(golden("v1.jsonl")));
  {
    auto journal = JournalFile::open(path, Json::object());
    ASSERT_TRUE(journal.is_ok()) << journal.status().to_string();
    ASSERT_TRUE(journal->append(record_of("x/y")).is_ok());
  }
  ASSERT_EQ(read_journal(path)->records.size(), 3u);
  std::string bytes = content(path);
  bytes.replace(bytes.find("x/y"), 3, "x/z");
  EXPECT_EQ(read_journal(folder.write("r.jsonl", bytes))->records.size(), 2u);
}

TEST(Journal, FastRecordsAreSyncedInGroupsAndTheRestAtTheEnd) {
  const TempDir folder;
  std::int64_t now = 0;
  SyncRule rule;
  rule.now_ns = [&now] { return now; };
  auto journal = JournalFile::open(folder.path() / "r.jsonl", Json::object(), rule);
  ASSERT_TRUE(journal.is_ok());
  for (int i = 0; i < 2000; ++i) {
    now += 1'000'000;
    ASSERT_TRUE(journal->append(record_of("a/b")).is_ok());
  }
  EXPECT_LT(journal->num_syncs(), 100u);
  ASSERT_TRUE(journal->sync().is_ok());
  const std::size_t before = journal->num_syncs();
  ASSERT_TRUE(journal->sync().is_ok());
  EXPECT_EQ(journal->num_syncs(), before);
  // Readers see what is not synced yet.
  EXPECT_EQ(read_journal(journal->path())->records.size(), 2000u);
}

TEST(Journal, AHugeLineIsRefused) {
  const TempDir folder;
  const auto path = two_records(folder);
  append_raw(path, "\"" + std::string(65u << 20, 'x') + "\"\n");
  const auto journal = read_journal(path);
  ASSERT_FALSE(journal.is_ok());
  EXPECT_NE(journal.status().message().find("limit"), std::string::npos);
}

TEST(Journal, RandomDamageNeverCrashesTheReader) {
  const TempDir folder;
  const std::string good = content(two_records(folder));
  std::mt19937 random(20261121);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = good;
    for (int change = 0; change < 3; ++change) {
      bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    }
    const auto journal = read_journal(folder.write("x", bytes));
    EXPECT_TRUE(journal.is_ok() || journal.status().code() == base::Code::kInput);
  }
}

TEST(Journal, TwoWritersAtOnceAreRefused) {
  const TempDir folder;
  const auto path = folder.path() / "r.jsonl";
  const auto first = JournalFile::open(path, Json::object());
  ASSERT_TRUE(first.is_ok());
  const auto second = JournalFile::open(path, Json::object());
  ASSERT_FALSE(second.is_ok());
  EXPECT_EQ(second.status().code(), base::Code::kEnvironment);
}

TEST(Journal, MissingFolderThatCannotBeMadeIsAnEnvironmentError) {
  const TempDir folder;
  folder.write("file", "");
  const auto journal = JournalFile::open(folder.path() / "file" / "r.jsonl", Json::object());
  EXPECT_EQ(journal.status().code(), base::Code::kEnvironment);
  EXPECT_EQ(read_journal(folder.path() / "none").status().code(), base::Code::kInput);
}

TEST(Journal, InvalidUtf8FromAPluginIsStoredReadably) {
  const TempDir folder;
  const auto path = folder.path() / "r.jsonl";
  Record record = record_of("a/b");
  record.message = "bad \xff byte\nand line";
  {
    auto journal = JournalFile::open(path, Json::object());
    ASSERT_TRUE(journal->append(record).is_ok());
  }
  const auto journal = read_journal(path);
  ASSERT_TRUE(journal.is_ok()) << journal.status().to_string();
  EXPECT_EQ(journal->records.at(0).message, "bad \xef\xbf\xbd byte\nand line");
}

}  // namespace journal_file_test
}  // namespace graphnet::journal
