// SPDX-License-Identifier: MIT
#include "journal/control.h"

#include <gtest/gtest.h>

#include "journal/journal_file.h"
#include "support/temp_dir.h"

namespace graphnet::journal {
namespace control_test {

using record::Record;

Control full_control() {
  Control control;
  control.run_id = "id";
  control.time_utc = "2026-11-21T12:00:00Z";
  control.threads = 2;
  control.experiments = 1;
  control.noise_floor = 0.004;
  control.bias = -0.001;
  control.coverage = 1;
  control.results.push_back({{"speedup", 0.999}});
  return control;
}

TEST(Control, SurvivesTheRoundTrip) {
  const auto read = control_from_json(to_json(full_control()));
  ASSERT_TRUE(read.is_ok()) << read.status().to_string();
  EXPECT_EQ(to_json(*read), to_json(full_control()));
  EXPECT_EQ(read->noise_floor, 0.004);
}

TEST(Control, RefusesNewerSchemasAndWrongTypes) {
  base::Json json = to_json(full_control());
  json["schema"] = "graphnet.control/2";
  EXPECT_TRUE(is_control(json));
  EXPECT_FALSE(control_from_json(json).is_ok());
  json = to_json(full_control());
  json["noise_floor"] = "low";
  EXPECT_FALSE(control_from_json(json).is_ok());
  json.erase("noise_floor");
  EXPECT_FALSE(control_from_json(json).is_ok());
}

TEST(Control, StandsBesideRecordsInAJournal) {
  const tests::TempDir folder;
  const auto path = folder.path() / "r.jsonl";
  auto journal = JournalFile::open(path, {{"run_id", "id"}});
  ASSERT_TRUE(journal.is_ok());
  Record record;
  record.sample = "f/x";
  record.plugin = "nope";
  record.outcome = record::Outcome::kOk;
  ASSERT_TRUE(journal->append(full_control()).is_ok());
  ASSERT_TRUE(journal->append(record).is_ok());
  const auto content = read_journal(path);
  ASSERT_TRUE(content.is_ok()) << content.status().to_string();
  EXPECT_EQ(content->records.size(), 1U);
  ASSERT_EQ(content->controls.size(), 1U);
  EXPECT_EQ(content->controls[0].threads, 2);
}

}  // namespace control_test
}  // namespace graphnet::journal
