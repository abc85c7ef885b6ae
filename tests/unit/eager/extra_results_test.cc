// SPDX-License-Identifier: MIT
#include "graph/extra_results.h"

#include <gtest/gtest.h>

#include "eager/engine.h"
#include "graph/index_outputs.h"
#include "sample/parser.h"

namespace graphnet::eager {
namespace extra_results_test {

template <typename T>
std::vector<T> read(const Engine& engine, std::size_t index) {
  std::vector<T> elements(
      static_cast<std::size_t>(*base::num_elements(engine.outputs().at(index).shape)));
  EXPECT_TRUE(engine.copy_output(index, elements.data()).is_ok());
  return elements;
}

TEST(ExtraResults, IndexOutputsPointIntoTheExtraResults) {
  const auto program = sample::parse_model(
      "import torch\n\n\nclass GraphModule(torch.nn.Module):\n"
      "    def forward(self, a: torch.Tensor):\n"
      "        x = a + 0\n        p = x.topk(2, 1)\n        v = p[0]\n        i = p[1]\n"
      "        p = None\n        x += 5\n        x = None\n        return (v, i)\n",
      "model.py");
  ASSERT_TRUE(program.is_ok()) << program.status().to_string();
  const graph::IndexOutputs indices = graph::index_outputs(*program);
  ASSERT_EQ(indices.all.size(), 1U);
  EXPECT_EQ(indices.all[0].output, 1U);
  const graph::Program extended = graph::with_extra_results(*program, {indices.all[0].values});
  std::vector<float> values = {3, 1, 2, 7, 9, 8};
  auto engine = Engine::create(extended, {{base::DType::kFloat32, {2, 3}, values.data()}});
  ASSERT_TRUE(engine.is_ok());
  // The first run traces, later ones replay.
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE((*engine)->run().is_ok());
    ASSERT_EQ((*engine)->outputs().size(), 3U);
    const auto selected_from = read<float>(**engine, 2);
    EXPECT_EQ(selected_from, values);
    EXPECT_EQ(read<std::int64_t>(**engine, 1), (std::vector<std::int64_t>{0, 2, 1, 2}));
    EXPECT_EQ(read<float>(**engine, 0), (std::vector<float>{3, 2, 9, 8}));
  }
}

}  // namespace extra_results_test
}  // namespace graphnet::eager
