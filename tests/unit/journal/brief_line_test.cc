// SPDX-License-Identifier: MIT
#include "journal/brief_line.h"

#include <gtest/gtest.h>

#include "journal/journal_file.h"
#include "support/synthetic_records.h"
#include "support/temp_dir.h"

namespace graphnet::journal {
namespace brief_line_test {

TEST(BriefLine, LeavesDurationsOut) {
  EXPECT_EQ(brief_line(R"({"a":1,"trials_ns":[1.5e3,-2,null],"b":[1],"warmup_ns":[],"c":"x"})"),
            R"({"a":1,"trials_ns":[],"b":[1],"warmup_ns":[],"c":"x"})");
  EXPECT_EQ(brief_line(R"({"waited_ns":{"eager":[0.0,1.0],"plugin":[2.0]},"median_ns":3})"),
            R"({"waited_ns":{"eager":[],"plugin":[]},"median_ns":3})");
}

TEST(BriefLine, LeavesAllElseAlone) {
  for (const char* line : {"", "{}", R"({"median_ns":5,"other_ns":[1,2]})",
                           R"({"trials_ns": [1, 2]})", R"({"message":"\"trials_ns\":[1,2]"})",
                           R"("_ns":)", R"("trials_ns":[)", R"({"trials_ns":["x"]})"}) {
    EXPECT_EQ(brief_line(line), line);
  }
}

TEST(BriefLine, RecordsKeepEverythingElse) {
  tests::SyntheticSweep sweep(40, 3, 7);
  std::string text =
      "{\"schema\":\"graphnet.journal/1\",\"record_schema\":\"graphnet.record/1\"}\n";
  for (int i = 0; i < sweep.size(); ++i) text += base::dump_json(to_json(sweep.record(i))) + "\n";
  const tests::TempDir temp;
  const auto file = temp.write("a.jsonl", text);
  const auto all = read_journal(file);
  const auto brief = read_journal(file, JournalDepth::kBrief);
  ASSERT_TRUE(all.is_ok() && brief.is_ok());
  ASSERT_EQ(brief->records.size(), 120U);
  int num_shorter = 0;
  for (std::size_t i = 0; i < all->records.size(); ++i) {
    record::Record stripped = all->records[i];
    num_shorter += stripped.eager.trials_ns.empty() ? 0 : 1;
    stripped.eager.trials_ns.clear();
    stripped.plugin_side.trials_ns.clear();
    if (!stripped.timing.waited_ns.is_null()) {
      stripped.timing.waited_ns = {{"eager", base::Json::array()}, {"plugin", base::Json::array()}};
    }
    EXPECT_EQ(to_json(stripped), to_json(brief->records[i]));
  }
  EXPECT_GT(num_shorter, 90);
}

}  // namespace brief_line_test
}  // namespace graphnet::journal
