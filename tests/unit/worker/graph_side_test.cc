// SPDX-License-Identifier: MIT
// The reference of a part of a graph, on arguments of a device that only copies reach.
#include "worker/graph_side.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/graph_text.h"
#include "support/mirror_device.h"

namespace graphnet::worker {
namespace graph_side_test {

TEST(GraphSide, ReadsTheArgumentsWhereTheyWerePlaced) {
  const auto graph = graph::parse_graph(
      "graph \"relu\"\n%0: f32[4] = input \"x\"\n%1: f32[4] = aten::relu(self=%0)\nreturn %1\n",
      "g.gir");
  ASSERT_TRUE(graph.is_ok()) << graph.status().to_string();
  std::vector<sample::Argument> arguments(1);
  arguments[0].dtype = base::DType::kFloat32;
  arguments[0].shape = {4};
  arguments[0].bytes = base::AlignedBuffer::allocate(4 * sizeof(float));
  auto* const values = reinterpret_cast<float*>(arguments[0].bytes.data());
  const float wanted[] = {0, 2, 0, 4};
  for (int i = 0; i < 4; ++i) values[i] = i % 2 == 0 ? -1.0F : wanted[i];
  tests::MirrorDevice mirror;
  const auto on_device = DeviceArguments::create(mirror, arguments).value();
  std::fill_n(values, 4, 9.0F);  // the host's copy is not what the graph reads
  const auto side = GraphSide::create(*graph, on_device);
  ASSERT_TRUE(side.is_ok()) << side.status().to_string();
  const auto outputs = (*side)->reference();
  ASSERT_TRUE(outputs.is_ok()) << outputs.status().to_string();
  const auto* const given = reinterpret_cast<const float*>((*outputs)[0].bytes.data());
  EXPECT_TRUE(std::equal(wanted, wanted + 4, given));
}

}  // namespace graph_side_test
}  // namespace graphnet::worker
