// SPDX-License-Identifier: MIT
#include "cli/topics.h"

#include <gtest/gtest.h>

#include <set>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/words_text.h"
#include "record/left_out.h"
#include "record/record.h"
#include "report/table_columns.h"
#include "score/evidence.h"
#include "score/row.h"

namespace graphnet::cli {
namespace topics_test {

TEST(Topics, BeginWithTheirNameAndASummary) {
  std::set<std::string> names;
  for (const Command& command : make_commands()) names.insert(command.name);
  ASSERT_FALSE(make_topics().empty());
  for (const Topic& topic : make_topics()) {
    EXPECT_TRUE(names.insert(topic.name).second) << topic.name << ": the name is taken";
    EXPECT_FALSE(topic.summary.empty())
        << "topics/" << topic.name << ".md has to begin with '# " << topic.name << ": SUMMARY'";
    EXPECT_FALSE(topic.body.empty()) << topic.name;
    EXPECT_LE(topic.summary.size(), 80U) << topic.name;
  }
}

TEST(Topics, FitAHundredColumns) {
  for (const Topic& topic : make_topics()) {
    for (const std::string& line : base::split(topic.body, '\n')) {
      EXPECT_LE(line.size(), 100U) << topic.name << ": " << line;
    }
  }
}

TEST(Topics, AFirstLineOfAnotherFormIsNoSummary) {
  const Topic topic = parse_topic("fruit", "# fruit: what a pie holds\n\nPlums.\n");
  EXPECT_EQ(topic.summary, "what a pie holds");
  EXPECT_EQ(topic.body, "Plums.\n");
  EXPECT_EQ(parse_topic("fruit", "# nuts: what\n").summary, "");
  EXPECT_EQ(parse_topic("fruit", "").summary, "");
  EXPECT_EQ(parse_topic("fruit", "# fruit: alone").summary, "alone");
}

/// The words that a line "- word: meaning" defines.
std::set<std::string> defined_words() {
  std::set<std::string> words;
  for (const std::string& line : base::split(words_text(), '\n')) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("- ", 0) == 0 && colon != std::string::npos && colon + 2 < line.size()) {
      words.insert(line.substr(2, colon - 2));
    }
  }
  return words;
}

template <typename Enum>
void expect_defined(const std::set<std::string>& defined) {
  for (const auto& row : table(Enum())) {
    if (*row.name == '\0') continue;
    EXPECT_EQ(defined.count(row.name), 1U) << row.name;
  }
}

TEST(Words, EveryWordThatATableCanShowIsDefined) {
  const std::set<std::string> defined = defined_words();
  expect_defined<record::Outcome>(defined);
  expect_defined<record::Phase>(defined);
  expect_defined<record::TimingVerdict>(defined);
  expect_defined<record::ProofVerdict>(defined);
  expect_defined<record::Flag>(defined);
  expect_defined<record::LeftOut>(defined);
  for (const report::TableColumn& column : report::table_columns()) {
    EXPECT_EQ(defined.count(column.name), 1U) << column.name;
  }
  for (std::size_t i = 0; i < score::kNumFailures; ++i) {
    const std::string name = score::failure_name(static_cast<score::Failure>(i));
    EXPECT_EQ(defined.count(name), 1U) << name;
  }
}

TEST(Words, ReasonsToLeaveAResultOutAreDefined) {
  const std::set<std::string> defined = defined_words();
  record::Record degenerate;
  degenerate.degenerate = true;
  record::Record noisy;
  noisy.eager.median_ns = noisy.eager.iqr_ns = 1;
  record::Record unstable;
  unstable.timing.verdict = record::TimingVerdict::kUnstable;
  record::Record empty;
  empty.verdict = record::ProofVerdict::kEmpty;
  for (const record::Record& record : {degenerate, noisy, unstable, empty}) {
    const std::string reason = score::reason_to_leave_out(record);
    EXPECT_EQ(defined.count(reason), 1U) << reason;
  }
  for (const record::Outcome outcome :
       {record::Outcome::kNone, record::Outcome::kPluginFailed, record::Outcome::kSkipped}) {
    const std::string reason = record::why_not_counted(outcome, record::Phase::kNone);
    EXPECT_EQ(defined.count(reason), 1U) << reason;
  }
}

TEST(Words, FollowTheTextOfTheirTopic) {
  for (const Topic& topic : make_topics()) {
    EXPECT_EQ(topic.body.find(words_text()) != std::string::npos, topic.name == "words")
        << topic.name;
  }
}

}  // namespace topics_test
}  // namespace graphnet::cli
