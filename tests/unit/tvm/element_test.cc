// SPDX-License-Identifier: MIT
#include "tvm_plugin/element.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "lowering/tensor.h"

namespace graphnet::tvm {
namespace element_test {

TEST(MatchingRuns, KeepsEqualDimensionsApart) {
  const std::vector<ShapeRun> runs = matching_runs({2, 3, 4}, {2, 12});
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[1].in_begin, 1U);
  EXPECT_EQ(runs[1].in_end, 3U);
  EXPECT_EQ(runs[1].out_begin, 1U);
  EXPECT_EQ(runs[1].out_end, 2U);
}

// Runs cover both shapes, in order, and hold equally many elements.
TEST(MatchingRuns, CoversAnyTwoShapesOfOneSize) {
  std::mt19937 random(7);
  const auto factors = [&](std::int64_t count) {
    Shape shape;
    while (count > 1) {
      std::int64_t factor = 1 + static_cast<std::int64_t>(random() % 6);
      while (count % factor != 0) --factor;
      shape.push_back(factor);
      count /= factor;
    }
    return shape;
  };
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t count = 720;
    const Shape in = factors(count);
    const Shape out = factors(count);
    std::size_t next_in = 0;
    std::size_t next_out = 0;
    for (const ShapeRun& run : matching_runs(in, out)) {
      EXPECT_EQ(run.in_begin, next_in);
      EXPECT_EQ(run.out_begin, next_out);
      const Shape left(in.begin() + static_cast<std::ptrdiff_t>(run.in_begin),
                       in.begin() + static_cast<std::ptrdiff_t>(run.in_end));
      const Shape right(out.begin() + static_cast<std::ptrdiff_t>(run.out_begin),
                        out.begin() + static_cast<std::ptrdiff_t>(run.out_end));
      EXPECT_EQ(lowering::num_elements(left), lowering::num_elements(right));
      next_in = run.in_end;
      next_out = run.out_end;
    }
    EXPECT_EQ(next_in, in.size());
    EXPECT_EQ(next_out, out.size());
  }
}

}  // namespace element_test
}  // namespace graphnet::tvm
