// SPDX-License-Identifier: MIT
#include "journal/sql_view.h"

#include <gtest/gtest.h>

#include <set>

#include "support/folders.h"

namespace graphnet::journal {
namespace sql_view_test {

using record::Record;

using base::Json;

std::vector<JournalContent> golden() {
  const auto path = tests::source_dir() + "/tests/golden/journal/";
  return {*read_journal(path + "v1.jsonl"), *read_journal(path + "v2.jsonl")};
}

SqlResult query(const std::string& sql) {
  auto result = run_sql(golden(), sql);
  EXPECT_TRUE(result.is_ok()) << result.status().to_string();
  return result.is_ok() ? *result : SqlResult();
}

TEST(SqlView, EveryDocumentedColumnIsThereInOrder) {
  for (const SqlTable& table : sql_tables()) {
    const SqlResult result = query(std::string("SELECT * FROM ") + table.name);
    std::vector<std::string> names;
    for (const SqlColumn& column : table.columns) {
      names.emplace_back(column.name);
      EXPECT_NE(std::string(column.help), "") << column.name;
    }
    EXPECT_EQ(result.columns, names) << table.name;
    EXPECT_FALSE(result.rows.empty()) << table.name;
  }
}

TEST(SqlView, EveryColumnOfRecordsIsSetInSomeRecord) {
  const std::set<std::string> elsewhere = {"attempt",  // of the second attempt on
                                                       // DeviceTimesAndMathPolicy:
                                           "math", "gpu", "eager_event_ns", "plugin_event_ns",
                                           "plugin_busy_ns", "plugin_work_ns", "plugin_span_ns",
                                           "eager_busy_ns", "replay_busy_ns", "capture_ns",
                                           "load_ns", "abi_ns", "kept_bytes"};
  for (const SqlColumn& column : sql_tables()[0].columns) {
    const std::string name = column.name;
    if (elsewhere.count(name) > 0) continue;
    EXPECT_GT(query("SELECT count(" + name + ") FROM records").rows[0][0], 0) << name;
  }
}

TEST(SqlView, RecordsJoinWithTheirParts) {
  const SqlResult result = query(
      "SELECT r.sample, count(*), min(t.ns) > 0, r.eager_ns BETWEEN min(t.ns) AND max(t.ns) "
      "FROM records r JOIN trials t ON t.record = r.id AND t.side = 'eager' GROUP BY r.id");
  ASSERT_EQ(result.rows.size(), 4u);
  const auto journals = golden();
  for (std::size_t i = 0; i < 4; ++i) {
    const Record& record = journals[i / 2].records[i % 2];
    EXPECT_EQ(result.rows[i][0], record.sample);
    EXPECT_EQ(result.rows[i][1], record.eager.trials_ns.size());
    EXPECT_EQ(result.rows[i][2], 1);
    EXPECT_EQ(result.rows[i][3], 1);
  }
  EXPECT_EQ(query("SELECT count(*) FROM outputs WHERE equal = 1").rows[0][0], 4);
  EXPECT_EQ(query("SELECT count(DISTINCT phase) > 5 FROM phases").rows[0][0], 1);
  EXPECT_EQ(query("SELECT count(*) FROM controls WHERE noise_floor > 0").rows[0][0], 2);
  EXPECT_EQ(query("SELECT json_extract(json, '$.timing.verdict') = timing FROM records").rows[3][0],
            1);
}

TEST(SqlView, NumbersThatJsonCannotHold) {
  JournalContent journal;
  Record record;
  record.sample = "f/x";
  record.plugin = "p";
  record.outcome = record::Outcome::kAccuracyMismatch;
  record.correctness = {{"max_diff", {"nan", "inf", nullptr, 1}}, {"all_close", {"01"}}};
  journal.records.push_back(record);
  const auto result =
      run_sql({journal}, "SELECT max_diff IS NULL, max_diff > 1e300, all_close FROM outputs");
  ASSERT_TRUE(result.is_ok()) << result.status().to_string();
  ASSERT_EQ(result->rows.size(), 4u);
  EXPECT_EQ(result->rows[0], (std::vector<Json>{1, nullptr, "01"}));
  EXPECT_EQ(result->rows[1], (std::vector<Json>{0, 1, nullptr}));
  EXPECT_EQ(result->rows[2], (std::vector<Json>{1, nullptr, nullptr}));
  EXPECT_EQ(result->rows[3], (std::vector<Json>{0, 0, nullptr}));
}

TEST(SqlView, DeviceTimesAndMathPolicy) {
  JournalContent journal;
  Record record;
  record.sample = "f/x";
  record.plugin = "p";
  record.outcome = record::Outcome::kOk;
  record.device = "cuda:0";
  record.math.tf32 = true;
  record.eager.trials_ns = {10, 20};
  record.plugin_side.trials_ns = {5, 6};
  record.timing = record::part_from_json<record::Timing>(
      {{"event_ns", {{"eager", {7.0, 8.0}}, {"plugin", {3.0}}}},
       {"event_median_ns", {{"eager", 7.5}, {"plugin", 3.0}}},
       {"abi_ns", 4.5}});
  record.plugin_side.capture_ns = 9.0;
  record.plugin_side.kept_bytes = 64;
  record.proof = record::part_from_json<record::Proof>({{"device",
                                                         {{"busy_ns", 2.0},
                                                          {"sum_ns", 2.5},
                                                          {"span_ns", 2.75},
                                                          {"eager_calls", {{"busy_ns", 6.0}}},
                                                          {"replays", {{"busy_ns", 1.5}}}}}});
  record.environment.rest["gpu"] = {{"name", "G"}};
  journal.records = {record, Record()};
  journal.records[1].outcome = record::Outcome::kOk;
  const auto result = run_sql(
      {journal},
      "SELECT device, gpu, math, json_extract(math, '$.tf32'), eager_event_ns, plugin_event_ns, "
      "plugin_busy_ns, plugin_work_ns, plugin_span_ns, eager_busy_ns, replay_busy_ns, capture_ns, "
      "abi_ns, kept_bytes FROM records");
  ASSERT_TRUE(result.is_ok()) << result.status().to_string();
  EXPECT_EQ(result->rows[0],
            (std::vector<Json>{"cuda:0", "G",
                               "{\"tf32\":true,\"fast_math\":false,\"flush_denormals\":false}", 1,
                               7.5, 3.0, 2.0, 2.5, 2.75, 6.0, 1.5, 9.0, 4.5, 64}));
  std::vector<Json> on_cpu(14);
  on_cpu[0] = "cpu";
  EXPECT_EQ(result->rows[1], on_cpu);
  const auto trials = run_sql({journal}, "SELECT side, ns, event_ns FROM trials");
  ASSERT_TRUE(trials.is_ok()) << trials.status().to_string();
  ASSERT_EQ(trials->rows.size(), 4u);
  EXPECT_EQ(trials->rows[1], (std::vector<Json>{"eager", 20.0, 8.0}));
  EXPECT_EQ(trials->rows[2], (std::vector<Json>{"plugin", 5.0, nullptr})) << "one of two";
}

TEST(SqlView, NothingButReadingIsAllowed) {
  for (const char* sql :
       {"DELETE FROM records", "CREATE TABLE x (a)", "ATTACH '/tmp/x.db' AS x",
        "PRAGMA query_only = 0", "DROP TABLE records", "VACUUM INTO '/tmp/x.db'",
        "INSERT INTO records (id) VALUES (1)", "SELECT 1; SELECT 2", "", "SELEC", "-- only this",
        "SELECT nothing FROM records", "SELECT load_extension('x')", "SELECT x'00'"}) {
    const auto result = run_sql(golden(), sql);
    ASSERT_FALSE(result.is_ok()) << sql;
    EXPECT_EQ(result.status().code(), base::Code::kUsage) << sql << result.status().to_string();
  }
  EXPECT_EQ(query("SELECT 1;").rows.size(), 1u);
}

}  // namespace sql_view_test
}  // namespace graphnet::journal
