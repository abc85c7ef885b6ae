// SPDX-License-Identifier: MIT
#include "report/failure_reasons.h"

#include <gtest/gtest.h>

namespace graphnet::report {
namespace failure_reasons_test {

TEST(OperatorsIn, FindsNamesWithOverloads) {
  EXPECT_EQ(operators_in("shape depends on data: aten::index.Tensor at model.py:112:9"),
            (std::vector<std::string>{"aten::index.Tensor"}));
  EXPECT_EQ(operators_in("2 nodes: aten::linear(input 1) of rank 2, aten::relu, aten::linear(x)."),
            (std::vector<std::string>{"aten::linear", "aten::relu"}));
  EXPECT_EQ(operators_in("it needs aten::sort. Nothing else"),
            (std::vector<std::string>{"aten::sort"}));
  EXPECT_TRUE(operators_in("no answer for 600 s; :: is no name, a:: and ::b are none").empty());
}

TEST(FailureReasons, GroupsByOperatorThenByMessage) {
  const auto reasons = failure_reasons({
      {"f/a", "xla", "timed_out", "no answer for 600 s"},
      {"f/b", "xla", "unsupported", "shape depends on data: aten::index.Tensor at model.py:1:9"},
      {"f/c", "xla", "unsupported", "shape depends on data: aten::index.Tensor at model.py:7:3"},
      {"f/d", "tvm", "unsupported", "aten::index.Tensor and aten::fft_rfft2"},
  });
  ASSERT_EQ(reasons.size(), 4U);
  EXPECT_EQ(reasons[0].reason, "aten::index.Tensor");
  EXPECT_EQ(reasons[0].backends.at(0), "xla");
  EXPECT_EQ(reasons[0].samples, (std::vector<std::string>{"f/b", "f/c"}));
  EXPECT_EQ(reasons[1].reason, "no answer for 600 s");
  EXPECT_EQ(reasons[2].backends.at(0), "tvm");
  EXPECT_EQ(reasons[3].reason, "aten::fft_rfft2");
}

TEST(FailureReasons, BackendsThatFailAlikeShareAReason) {
  const auto reasons = failure_reasons({
      {"f/a", "xla", "skipped", "33.9 GFLOP a call, limit 20 GFLOP"},
      {"f/a", "tvm", "skipped", "33.9 GFLOP a call, limit 20 GFLOP"},
      {"f/b", "xla", "skipped", "35 GFLOP a call, limit 20 GFLOP"},
      {"f/b", "tvm", "skipped", "35 GFLOP a call, limit 20 GFLOP"},
  });
  ASSERT_EQ(reasons.size(), 1U);
  EXPECT_EQ(reasons[0].backends, (std::vector<std::string>{"xla", "tvm"}));
  EXPECT_EQ(reasons[0].samples, (std::vector<std::string>{"f/a", "f/b"}));
}

TEST(FailureText, WrapsAndCutsLongLists) {
  EXPECT_EQ(failure_text({}, 80), "");
  std::vector<FailureReason> reasons = {
      {{"xla"}, "unsupported", "aten::a", {"1", "2", "3", "4", "5"}}};
  EXPECT_EQ(failure_text(reasons, 0),
            "not ok, by reason:\n  unsupported (xla): aten::a, 5 samples: 1, 2, 3, 4, 1 more\n");
  EXPECT_EQ(
      failure_text(reasons, 40),
      "not ok, by reason:\n  unsupported (xla): aten::a, 5 samples:\n    1, 2, 3, 4, 1 more\n");
}

}  // namespace failure_reasons_test
}  // namespace graphnet::report
