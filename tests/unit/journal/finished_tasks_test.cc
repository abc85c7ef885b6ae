// SPDX-License-Identifier: MIT
#include "journal/finished_tasks.h"

#include <gtest/gtest.h>

#include "journal/journal_file.h"
#include "support/folders.h"
#include "support/temp_dir.h"

namespace graphnet::journal {
namespace finished_tasks_test {

using record::Record;

using tests::TempDir;

Record record_of(const std::string& key, const std::string& outcome, int attempt = 1,
                 const std::string& phase = "time") {
  Record record;
  record.task_key = key;
  record.sample = "f/x";
  record.plugin = "nope";
  record.outcome = record::Word<record::Outcome>(outcome);
  record.phase = record::Word<record::Phase>(phase);
  record.attempt = attempt;
  return record;
}

std::filesystem::path journal_of(const TempDir& folder, const std::vector<Record>& records) {
  const auto path = folder.path() / "r.jsonl";
  auto journal = JournalFile::open(path, {{"run_id", "id"}});
  for (const Record& record : records) EXPECT_TRUE(journal->append(record).is_ok());
  Control control;
  control.run_id = "id";
  EXPECT_TRUE(journal->append(control).is_ok());
  return path;
}

TEST(FinishedTasks, TheLastRecordThatSettlesItIsTaken) {
  const TempDir folder;
  const auto path =
      journal_of(folder, {record_of("a", "ok"), record_of("b", "crashed"), record_of("b", "ok", 2),
                          record_of("c", "ok"), record_of("c", "skipped", 2, "plan"),
                          record_of("d", "plugin_failed", 1, ""), record_of("", "ok")});
  const auto tasks = read_finished_tasks(path);
  ASSERT_TRUE(tasks.is_ok()) << tasks.status().to_string();
  EXPECT_EQ(tasks->by_key.size(), 4u);
  EXPECT_EQ(tasks->num_without_key, 1u);
  const auto expect = [&](const char* key, const char* outcome, int attempts, bool is_open) {
    const FinishedTask& task = tasks->by_key.at(key);
    EXPECT_EQ(task.outcome.text(), outcome) << key;
    EXPECT_EQ(task.attempts, attempts) << key;
    EXPECT_EQ(task.is_open, is_open) << key;
  };
  expect("a", "ok", 1, false);
  expect("b", "ok", 2, false);
  expect("c", "ok", 2, false);
  expect("d", "plugin_failed", 1, true);
}

TEST(FinishedTasks, AreThoseOfTheFullReader) {
  const auto path =
      std::filesystem::path(tests::source_dir()) / "tests" / "golden" / "journal" / "v2.jsonl";
  const auto tasks = read_finished_tasks(path);
  ASSERT_TRUE(tasks.is_ok()) << tasks.status().to_string();
  const auto journal = read_journal(path);
  ASSERT_EQ(tasks->by_key.size(), journal->records.size());
  for (const Record& record : journal->records) {
    EXPECT_EQ(tasks->by_key.at(record.task_key).outcome, record.outcome);
  }
}

TEST(FinishedTasks, WhatWasBarelyBegunHoldsNothing) {
  const TempDir folder;
  EXPECT_TRUE(read_finished_tasks(folder.path() / "none")->by_key.empty());
  EXPECT_TRUE(read_finished_tasks(folder.write("empty", ""))->by_key.empty());
  EXPECT_TRUE(read_finished_tasks(folder.write("torn", "{\"schema\":\"graphnet.journal/2\",\"rec"))
                  ->by_key.empty());
  for (const char* text : {"notes", "a\n", "{}\n"}) {
    const auto tasks = read_finished_tasks(folder.write("foreign", text));
    EXPECT_EQ(tasks.status().code(), base::Code::kInput) << text;
  }
}

TEST(FinishedTasks, ADamagedRecordIsNotDone) {
  const TempDir folder;
  const auto path = journal_of(folder, {record_of("a", "ok"), record_of("b", "ok")});
  std::string bytes = base::read_file(path, 1 << 20).value();
  bytes.replace(bytes.find("\"task_key\":\"a\""), 14, "\"task_key\":\"c\"");
  const auto tasks = read_finished_tasks(folder.write("r.jsonl", bytes));
  ASSERT_TRUE(tasks.is_ok());
  EXPECT_EQ(tasks->by_key.size(), 1u);
  EXPECT_EQ(tasks->by_key.count("b"), 1u);
  EXPECT_EQ(tasks->notes.size(), 1u);
}

}  // namespace finished_tasks_test
}  // namespace graphnet::journal
