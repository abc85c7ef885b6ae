// SPDX-License-Identifier: MIT
#include "verify/staleness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace graphnet::verify {
namespace staleness_test {

using Floats = std::vector<float>;

TensorView view(const Floats& values) {
  return {base::DType::kFloat32, {static_cast<std::int64_t>(values.size())}, values.data()};
}

TensorView view(const std::vector<std::int64_t>& values) {
  return {base::DType::kInt64, {static_cast<std::int64_t>(values.size())}, values.data()};
}

OutputChange judge(const Floats& eager_before, const Floats& eager_after,
                   const Floats& plugin_before, const Floats& plugin_after,
                   double accepted_error = 0) {
  return compare_changes(
      {view(eager_before), view(eager_after), view(plugin_before), view(plugin_after)},
      accepted_error);
}

TEST(RelativeChange, IsOneOfTheRootMeanSquare) {
  EXPECT_DOUBLE_EQ(relative_change(view(Floats{3, 4}), view(Floats{3, 4})), 0);
  EXPECT_DOUBLE_EQ(relative_change(view(Floats{3, 4}), view(Floats{3, 3.5F})), 0.1);
  EXPECT_EQ(relative_change(view(Floats{0}), view(Floats{1})),
            std::numeric_limits<double>::infinity());
}

TEST(RelativeChange, LeavesOutWhatIsNotFinite) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_DOUBLE_EQ(relative_change(view(Floats{3, 4, inf, NAN}), view(Floats{3, 3.5F, inf, 1})),
                   0.1);
  EXPECT_DOUBLE_EQ(relative_change(view(Floats{NAN}), view(Floats{NAN})), 0);
}

TEST(RelativeChange, LeavesOutMasks) {
  EXPECT_DOUBLE_EQ(relative_change(view(Floats{3, 4, -3.4e38F}), view(Floats{3, 3.5F, -3.4e38F})),
                   0.1);
}

TEST(RelativeChange, OfIntegersIsAShare) {
  const std::vector<std::int64_t> before = {1, 2, 3, 4};
  const std::vector<std::int64_t> after = {1, 9, 3, 4};
  EXPECT_DOUBLE_EQ(relative_change(view(before), view(after)), 0.25);
}

TEST(Sensitive, BeginsAtTenTimesTheTolerance) {
  EXPECT_FALSE(is_sensitive(base::DType::kFloat32, 0.0099));
  EXPECT_TRUE(is_sensitive(base::DType::kFloat32, 0.01));
  EXPECT_FALSE(is_sensitive(base::DType::kBFloat16, 0.5));
  EXPECT_FALSE(is_sensitive(base::DType::kFloat32, NAN));
}

TEST(Staleness, APluginThatStaysIsStaleWhereEagerMoves) {
  const OutputChange change = judge({3, 4}, {3, 3.5F}, {3, 4}, {3, 4});
  EXPECT_EQ(change.following, Following::kStale);
  EXPECT_DOUBLE_EQ(change.eager, 0.1);
  EXPECT_DOUBLE_EQ(change.unfollowed, 1);
  EXPECT_DOUBLE_EQ(change.moved, 0);
}

TEST(Staleness, APluginThatMovesHalfTheWayIsStaleToo) {
  const OutputChange change = judge({3, 4}, {3, 3.5F}, {3, 4}, {3, 3.75F});
  EXPECT_EQ(change.following, Following::kStale);
  EXPECT_DOUBLE_EQ(change.moved, 0.5);
}

TEST(Staleness, AConstantErrorIsNoStaleness) {
  EXPECT_EQ(judge({3, 4}, {3, 3.5F}, {3.002F, 4.002F}, {3.002F, 3.502F}).following,
            Following::kFollows);
}

TEST(Staleness, SmallChangesTellNothing) {
  const OutputChange change = judge({3, 4}, {3, 3.96F}, {3, 4}, {3, 4});
  EXPECT_EQ(change.following, Following::kUnvaried);
  EXPECT_NEAR(change.eager, 0.008, 1e-6);
  EXPECT_NEAR(change.unfollowed, 1, 1e-6);
}

// Both calls are within 1e-3 of eager, in opposite directions: 0.19 of eager's change of 1.05e-2.
TEST(Staleness, WhatToleranceAllowsIsNotStale) {
  const OutputChange change = judge({1}, {1.0105F}, {1.001F}, {1.0095F});
  EXPECT_GT(change.unfollowed, kMostUnfollowed);
  EXPECT_EQ(change.following, Following::kFollows);
}

TEST(Staleness, AnErrorThatFloat64ExcusedAsksForALargerChange) {
  EXPECT_EQ(judge({3, 4}, {3, 3.5F}, {3, 4}, {3, 4}, 0.02).following, Following::kUnvaried);
  EXPECT_EQ(judge({3, 4}, {3, 2.5F}, {3, 4}, {3, 4}, 0.02).following, Following::kStale);
}

TEST(Staleness, IndicesAreStaleIfAllStay) {
  const std::vector<std::int64_t> before = {1, 2, 3};
  const std::vector<std::int64_t> after = {7, 8, 3};
  const std::vector<std::int64_t> tied = {1, 8, 3};
  EXPECT_EQ(compare_changes({view(before), view(after), view(before), view(before)}, 0).following,
            Following::kStale);
  EXPECT_EQ(compare_changes({view(before), view(after), view(before), view(tied)}, 0).following,
            Following::kFollows);
  EXPECT_EQ(compare_changes({view(before), view(before), view(before), view(after)}, 0).following,
            Following::kUnvaried);
}

}  // namespace staleness_test
}  // namespace graphnet::verify
