// SPDX-License-Identifier: MIT
#include "eager/chain_run.h"

#include <gtest/gtest.h>

#include <cstring>

#include "eager/value_record.h"
#include "sample/parser.h"

namespace graphnet::eager {
namespace chain_run_test {

graph::Program parsed(const std::string& parameters, const std::string& body) {
  auto program = sample::parse_model(
      "import torch\nclass GraphModule(torch.nn.Module):\n    def forward(self" + parameters +
          "):\n" + body,
      "model.py");
  EXPECT_TRUE(program.is_ok()) << program.status().to_string();
  return program.is_ok() ? std::move(*program) : graph::Program();
}

/// Six numbers, 0 to 5.
class ChainRunTest : public testing::Test {
 protected:
  std::vector<EngineArgument> arguments(std::vector<std::int64_t> shape) {
    EngineArgument argument;
    argument.shape = std::move(shape);
    argument.data = numbers_;
    return {argument};
  }

  static std::vector<float> floats(const base::DenseTensor& result) {
    std::vector<float> values(result.bytes.num_bytes() / sizeof(float));
    std::memcpy(values.data(), result.bytes.data(), result.bytes.num_bytes());
    return values;
  }

  float numbers_[6] = {0, 1, 2, 3, 4, 5};
};

TEST_F(ChainRunTest, HandsTensorsOverByName) {
  const graph::Program first =
      parsed(", x", "        c = x.chunk(2)\n        y = x + 1\n        return (y, c)\n");
  const graph::Program second =
      parsed(", c_item1, y", "        z = y[0] * c_item1\n        return (z,)\n");
  const auto results = run_chain({{&first, "a"}, {&second, "b"}}, {"x"}, arguments({2, 3}));
  ASSERT_TRUE(results.is_ok()) << results.status().to_string();
  ASSERT_EQ(results->size(), 1U);
  EXPECT_EQ((*results)[0].shape, (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(floats((*results)[0]), (std::vector<float>{3, 8, 15}));
}

TEST_F(ChainRunTest, AViewIsTheSameMemory) {
  const graph::Program first =
      parsed(", x", "        y = x + 0\n        v = y.view(-1)\n        return (v, y)\n");
  const graph::Program second = parsed(", v", "        v += 1\n        return (v,)\n");
  const graph::Program third = parsed(", y", "        z = y + 0\n        return (z,)\n");
  const auto results =
      run_chain({{&first, "a"}, {&second, "b"}, {&third, "c"}}, {"x"}, arguments({2, 3}));
  ASSERT_TRUE(results.is_ok()) << results.status().to_string();
  EXPECT_EQ(floats((*results)[0]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST_F(ChainRunTest, PutsArgumentsBack) {
  const graph::Program program = parsed(", x", "        x += 1\n        return (x,)\n");
  const auto results = run_chain({{&program, "a"}}, {"x"}, arguments({6}));
  ASSERT_TRUE(results.is_ok()) << results.status().to_string();
  EXPECT_EQ(floats((*results)[0])[0], 1);
  EXPECT_EQ(numbers_[0], 0);
}

TEST_F(ChainRunTest, SaysWhatNothingGives) {
  const graph::Program program = parsed(", y", "        z = y + 1\n        return (z,)\n");
  const auto results = run_chain({{&program, "piece"}}, {"x"}, arguments({6}));
  ASSERT_EQ(results.status().code(), base::Code::kInput);
  EXPECT_NE(results.status().to_string().find("'y'"), std::string::npos);
  EXPECT_NE(results.status().to_string().find("piece"), std::string::npos);
}

TEST_F(ChainRunTest, SaysWhereANumberDoesNotFit) {
  const graph::Program program = parsed(", x",
                                        "        h = x.to(torch.float16)\n"
                                        "        y = h.masked_fill(x > 3, -3.4e+38)\n"
                                        "        return (y,)\n");
  const auto results = run_chain({{&program, "a"}}, {"x"}, arguments({6}));
  ASSERT_FALSE(results.is_ok());
  EXPECT_NE(results.status().message().find("model.py:5:9"), std::string::npos)
      << results.status().to_string();
}

TEST_F(ChainRunTest, RecordsValuesAndWrites) {
  const graph::Program program = parsed(", x",
                                        "        n = x.size()\n        y = x + 0\n"
                                        "        v = y.view(-1)\n        v += 1\n"
                                        "        c = y.chunk(2)\n        return (c,)\n");
  // n, y, v and c are 1 to 4.
  const auto records =
      record_values(program, arguments({2, 3}), {{3, {1, 2}}, {5, {4}}}, /*most_elements=*/0);
  ASSERT_TRUE(records.is_ok()) << records.status().to_string();
  ASSERT_EQ(records->values.size(), 2U);
  EXPECT_EQ(records->values[0][0].plain, "(2, 3)");
  const ValueRecord& y = records->values[0][1];
  EXPECT_EQ(y.dtype, "float32");
  EXPECT_EQ(y.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(y.elements, "0.0 1.0 2.0 3.0 4.0 5.0");
  EXPECT_DOUBLE_EQ(*y.mean, 2.5);
  EXPECT_DOUBLE_EQ(*y.highest, 5);
  const ValueRecord& c = records->values[1][0];
  ASSERT_EQ(c.kind, ValueRecord::Kind::kSequence);
  ASSERT_EQ(c.items.size(), 2U);
  EXPECT_EQ(c.items[1].elements, "4.0 5.0 6.0");
  ASSERT_EQ(records->writes.size(), 1U);
  EXPECT_EQ(records->writes[0].statement, 3U);
  EXPECT_EQ(records->writes[0].variables, (std::vector<graph::VariableId>{2, 3}));
}

}  // namespace chain_run_test
}  // namespace graphnet::eager
