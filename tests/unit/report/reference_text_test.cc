// SPDX-License-Identifier: MIT
#include "report/reference_text.h"

#include <gtest/gtest.h>

namespace graphnet::report {
namespace reference_text_test {

using record::Outcome;

/// A side whose outputs pass so many levels.
record::ReferenceSide side(Outcome outcome, const std::vector<int>& passed, bool bit_equal) {
  record::ReferenceSide side;
  side.outcome = outcome;
  side.message = outcome == Outcome::kOk ? "" : "output 0 is off";
  side.bit_equal = bit_equal;
  side.correctness["all_close"] = base::Json::array();
  for (const int count : passed) {
    const auto ones = static_cast<std::size_t>(count);
    side.correctness["all_close"].push_back(std::string(64 - ones, '0') + std::string(ones, '1'));
  }
  return side;
}

TEST(ReferenceText, ACellSaysTheWorstOutput) {
  EXPECT_EQ(reference_cell(record::ReferenceSide()), "-");
  EXPECT_EQ(reference_cell(side(Outcome::kOk, {64, 64}, true)), "equal");
  EXPECT_EQ(reference_cell(side(Outcome::kOk, {64, 61}, false)), "ok 61/64");
  EXPECT_EQ(reference_cell(side(Outcome::kAccuracyMismatch, {12, 61}, false)), "differs 12/64");
  EXPECT_EQ(reference_cell(side(Outcome::kDtypeMismatch, {0}, false)), "differs 0/64");
  record::ReferenceSide ill = side(Outcome::kAccuracyMismatch, {20}, false);
  ill.ill_conditioned = true;
  EXPECT_EQ(reference_cell(ill), "unclear 20/64");
}

TEST(ReferenceText, OfTwoSidesTheWorseIsShown) {
  record::Reference reference;
  EXPECT_EQ(reference_cell(reference), "-");
  reference.eager = side(Outcome::kOk, {64}, true);
  reference.plugin = side(Outcome::kOk, {60}, false);
  EXPECT_EQ(reference_cell(reference), "ok 60/64");
  EXPECT_EQ(reference_line(reference), "");
  reference.eager = side(Outcome::kAccuracyMismatch, {30}, false);
  EXPECT_EQ(reference_cell(reference), "differs 30/64");
  EXPECT_EQ(reference_line(reference),
            "eager accuracy_mismatch: output 0 is off (30 of 64 levels)");
  reference.missing = "cut short";
  EXPECT_EQ(reference_cell(reference), "none");
  EXPECT_EQ(reference_line(reference), "no reference: cut short");
}

TEST(ReferenceText, TheTallyCountsEachOnce) {
  ReferenceTally tally;
  record::Reference equal;
  equal.eager = equal.plugin = side(Outcome::kOk, {64}, true);
  record::Reference differing = equal;
  differing.plugin = side(Outcome::kAccuracyMismatch, {1}, false);
  tally.add(equal);
  tally.add(differing);
  tally.add({});
  EXPECT_EQ(tally.text(), "2 compared, 1 equal to the bit, 1 differs, 1 without a reference");
  EXPECT_EQ(ratio_cell(1.25), "1.25x");
  EXPECT_EQ(ratio_cell({}), "-");
}

}  // namespace reference_text_test
}  // namespace graphnet::report
