// SPDX-License-Identifier: MIT
#include "conformance/gaps.h"

#include <gtest/gtest.h>

#include "conformance/tally.h"
#include "support/temp_dir.h"

namespace graphnet::conformance {
namespace gaps_test {

TEST(Gaps, ReadsBothLists) {
  const tests::TempDir folder;
  const auto file =
      folder.write("gaps.yaml",
                   "never:\n"
                   "  - case: a/b/*\n"
                   "    expect: wrong\n"
                   "    reason: its nature\n"
                   "not_yet:\n"
                   "  - { case: c/d/f32/x, expect: unsupported, reason: nobody needs it }\n");
  const auto gaps = read_gaps(file);
  ASSERT_TRUE(gaps.is_ok()) << gaps.status().message();
  ASSERT_EQ(gaps->size(), 2U);
  ASSERT_NE(find_gap(*gaps, "a/b/f32/y"), nullptr);
  EXPECT_TRUE(find_gap(*gaps, "a/b/f32/y")->is_permanent);
  EXPECT_EQ(find_gap(*gaps, "a/b/f32/y")->expect, Expect::kWrong);
  EXPECT_EQ(find_gap(*gaps, "c/d/f32/x")->expect, Expect::kUnsupported);
  EXPECT_EQ(find_gap(*gaps, "c/d/f32/x")->reason, "nobody needs it");
  EXPECT_FALSE(find_gap(*gaps, "c/d/f32/x")->is_permanent);
  EXPECT_EQ(find_gap(*gaps, "c/d/f32/y"), nullptr);
}

TEST(Gaps, AreNoneWithoutAFile) {
  const tests::TempDir folder;
  const auto gaps = read_gaps(folder.path() / "gaps.yaml");
  ASSERT_TRUE(gaps.is_ok());
  EXPECT_TRUE(gaps->empty());
}

TEST(Gaps, MayBelongToAnOption) {
  const tests::TempDir folder;
  const auto gaps =
      read_gaps(folder.write("gaps.yaml",
                             "never:\n"
                             "  - {case: a, expect: wrong, option: mode=fast, reason: r}\n"
                             "  - {case: b, expect: wrong, option: level=3, reason: r}\n"
                             "  - {case: c, expect: wrong, reason: r}\n"));
  ASSERT_TRUE(gaps.is_ok()) << gaps.status().message();
  const auto under = gaps_under(*gaps, base::Json{{"mode", "safe"}, {"level", 3}});
  EXPECT_EQ(find_gap(under, "a"), nullptr);
  EXPECT_NE(find_gap(under, "b"), nullptr);
  EXPECT_NE(find_gap(under, "c"), nullptr);
  EXPECT_FALSE(
      read_gaps(folder.write("bad.yaml", "never: [{case: a, expect: wrong, option: x, reason: r}]"))
          .is_ok());
}

TEST(Gaps, NeedAReasonAndWhatToExpect) {
  const tests::TempDir folder;
  EXPECT_FALSE(read_gaps(folder.write("a.yaml", "never: [{case: a, expect: wrong}]\n")).is_ok());
  EXPECT_FALSE(read_gaps(folder.write("c.yaml", "never: [{case: a, reason: r}]\n")).is_ok());
  EXPECT_FALSE(
      read_gaps(folder.write("d.yaml", "never: [{case: a, expect: bad, reason: r}]\n")).is_ok());
  EXPECT_FALSE(read_gaps(folder.write("b.yaml", "later: []\n")).is_ok());
}

TEST(Verdict, ExpectedFailuresAreGoodAndUnexpectedPassesAreNot) {
  const Gap wrong = {"*", "why", Expect::kWrong};
  const Gap unsupported = {"*", "why", Expect::kUnsupported};
  EXPECT_EQ(judge(Outcome::kPassed, nullptr), Verdict::kPass);
  EXPECT_EQ(judge(Outcome::kFailed, nullptr), Verdict::kFail);
  EXPECT_EQ(judge(Outcome::kUnsupported, nullptr), Verdict::kUnsupported);
  EXPECT_EQ(judge(Outcome::kPassed, &wrong), Verdict::kXpass);
  EXPECT_EQ(judge(Outcome::kPassed, &unsupported), Verdict::kXpass);
  EXPECT_EQ(judge(Outcome::kFailed, &wrong), Verdict::kXfail);
  EXPECT_EQ(judge(Outcome::kUnsupported, &unsupported), Verdict::kXfail);
  EXPECT_EQ(judge(Outcome::kInvalid, &wrong), Verdict::kInvalid);
}

TEST(Verdict, AGapExcusesOnlyTheFailureThatItExpects) {
  const Gap wrong = {"*", "why", Expect::kWrong};
  const Gap unsupported = {"*", "why", Expect::kUnsupported};
  EXPECT_EQ(judge(Outcome::kFailed, &unsupported), Verdict::kFail);
  EXPECT_EQ(judge(Outcome::kUnsupported, &wrong), Verdict::kUnsupported);
}

TEST(Verdict, AGapThatVariesByProcessorMayPassOrBeWrong) {
  const Gap varies = {"*", "why", Expect::kVaries};
  EXPECT_EQ(judge(Outcome::kPassed, &varies), Verdict::kXfail);
  EXPECT_EQ(judge(Outcome::kFailed, &varies), Verdict::kXfail);
  EXPECT_EQ(judge(Outcome::kUnsupported, &varies), Verdict::kUnsupported);
  EXPECT_EQ(judge(Outcome::kInvalid, &varies), Verdict::kInvalid);
}

TEST(Tally, CountsByFamilyAndKnowsWhatIsBad) {
  Tally tally;
  tally.add("pool", Verdict::kPass);
  tally.add("pool", Verdict::kXfail);
  EXPECT_FALSE(tally.has_bad());
  EXPECT_EQ(tally.text(),
            "family         PASS  XFAIL   FAIL  UNSUPPORTED  XPASS  INVALID\n"
            "pool              1      1      0            0      0        0\n"
            "all               1      1      0            0      0        0\n");
  tally.add("reduce", Verdict::kXpass);
  EXPECT_TRUE(tally.has_bad());
}

}  // namespace gaps_test
}  // namespace graphnet::conformance
