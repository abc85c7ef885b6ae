// SPDX-License-Identifier: MIT
#include "graph/graph_prefix.h"

#include <gtest/gtest.h>

#include "graph/graph_text.h"

namespace graphnet::graph {
namespace graph_prefix_test {

constexpr const char* kGraph = R"(graph "g"
%0: f32[2] = input "x"
%1: f32[2] = random "random0" [0x00000000, 0x00000000]
%2: f32[2] = aten::relu(self=%0)
%3: f32[1], %4: f32[1] = aten::split(self=%2)
%5: f32[1] = aten::relu(self=%3)
%6: f32[1] = aten::add(self=%5, other=%1, twice=(%2, none))
return %6, %4, %0, %4
)";

std::string prefix(std::size_t num_nodes) {
  const auto graph = parse_graph(kGraph, "x.gir");
  EXPECT_TRUE(graph.is_ok()) << graph.status().to_string();
  return print_graph(graph_prefix(*graph, num_nodes));
}

TEST(CutAfter, GivesWhatTheRestReads) {
  EXPECT_EQ(prefix(1),
            "graph \"g\"\n%0: f32[2] = input \"x\"\n%1: f32[2] = aten::relu(self=%0)\nreturn %1\n");
  EXPECT_EQ(prefix(2),
            "graph \"g\"\n%0: f32[2] = input \"x\"\n%1: f32[2] = aten::relu(self=%0)\n"
            "%2: f32[1], %3: f32[1] = aten::split(self=%1)\nreturn %1, %2, %3\n");
}

TEST(CutAfter, GivesOutputsOnceAtTheEnd) {
  const std::string whole = prefix(4);
  EXPECT_NE(whole.find("random0"), std::string::npos);
  EXPECT_EQ(whole.substr(whole.find("return")), "return %4, %6\n");
  EXPECT_EQ(prefix(99), whole);
}

}  // namespace graph_prefix_test
}  // namespace graphnet::graph
