// SPDX-License-Identifier: MIT
#include "report/time_estimate.h"

#include <gtest/gtest.h>

namespace graphnet::report {
namespace time_estimate_test {

TEST(TimeEstimate, GoesByCostAndNotByNumber) {
  TimeEstimate estimate;
  estimate.plan("nope", 1);
  estimate.plan("nope", 1);
  estimate.plan("nope", 98);
  EXPECT_FALSE(estimate.is_known());
  estimate.done("nope", 1, 2);
  estimate.done("nope", 1, 2);
  EXPECT_DOUBLE_EQ(estimate.left(), 196);
}

TEST(TimeEstimate, EachBackendHasARateOfItsOwn) {
  TimeEstimate estimate;
  for (const char* backend : {"nope", "tvm"}) {
    estimate.plan(backend, 1);
    estimate.plan(backend, 3);
  }
  estimate.done("nope", 1, 1);
  EXPECT_DOUBLE_EQ(estimate.left(), 3 + 4);  // tvm by what is known of all
  estimate.done("tvm", 1, 10);
  EXPECT_DOUBLE_EQ(estimate.left(), 3 + 30);
}

TEST(TimeEstimate, WhatWasNotMeasuredTeachesNothing) {
  TimeEstimate estimate;
  estimate.plan("nope", 5);
  estimate.plan("nope", 1);
  estimate.done("nope", 5, -1);
  EXPECT_FALSE(estimate.is_known());
  estimate.learn("nope", 1, 4);
  EXPECT_TRUE(estimate.is_known());
  EXPECT_DOUBLE_EQ(estimate.left(), 4);
}

}  // namespace time_estimate_test
}  // namespace graphnet::report
