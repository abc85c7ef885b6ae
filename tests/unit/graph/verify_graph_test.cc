// SPDX-License-Identifier: MIT
#include "graph/verify_graph.h"

#include <gtest/gtest.h>

#include <functional>

#include "graph/graph_text.h"
#include "graph/simplify.h"
#include "support/mentions.h"

namespace graphnet::graph {
namespace verify_graph_test {

using tests::mentions;

/// Three operators of its own.
class FewOperators final : public OpLibrary {
 public:
  const OpSchema* find(const std::string& op) const override {
    for (const OpSchema& schema : schemas_) {
      if (schema.name == op) return &schema;
    }
    return nullptr;
  }
  const OpSchema* functional_form(const std::string&) const override { return nullptr; }
  base::Result<base::DType> result_dtype(const Graph&, const Node&) const override {
    return base::DType::kFloat32;
  }

 private:
  const OpArgument self_ = {"self", ArgumentType::kTensor};
  const std::vector<OpSchema> schemas_ = {
      {"aten::relu", {self_}},
      {"aten::sum", {self_, {"dims", ArgumentType::kInts, true}, {"keep", ArgumentType::kBool}}},
      {"aten::alias", {self_}},
      {"aten::dropout", {self_, {"p", ArgumentType::kFloat}, {"train", ArgumentType::kBool}}},
      {"aten::nonzero", {self_}, true}};
};

constexpr const char* kGood = R"(graph "g"
%0: f32[2] = input "x"
%1: f32[2] = constant [0x00000000, 0x3f800000]
%2: f32[2] = aten::relu(self=%0)
%3: f32[] = aten::sum(self=%2, dims=none, keep=false)
return %3, %1
)";

Graph read(const char* text) {
  auto graph = parse_graph(text, "x.gir");
  EXPECT_TRUE(graph.is_ok()) << graph.status().to_string();
  return graph.is_ok() ? std::move(graph).value() : Graph();
}

TEST(VerifyGraph, AcceptsAGraphThatKeepsTheRules) {
  const base::Status status = verify_graph(read(kGood), FewOperators());
  EXPECT_TRUE(status.is_ok()) << status.to_string();
}

TEST(VerifyGraph, NamesTheRuleThatIsBroken) {
  struct Case {
    const char* message;
    std::function<void(Graph&)> breaks;
  };
  const Case cases[] = {
      {"graph: node 0 (aten::relu) reads %3 before it is given",
       [](Graph& g) { g.nodes[0].arguments[0].values[0] = 3; }},
      {"graph: node 0 (aten::relu) reads %9, which does not exist",
       [](Graph& g) { g.nodes[0].arguments[0].values[0] = 9; }},
      {"graph: %2 is given twice", [](Graph& g) { g.nodes[1].results[0] = 2; }},
      {"graph: %0 is given twice", [](Graph& g) { g.nodes[0].results[0] = 0; }},
      {"graph: an output reads %3 before it is given", [](Graph& g) { g.nodes.pop_back(); }},
      {"graph: node 1 (aten::sin) is no operator", [](Graph& g) { g.nodes[1].op = "aten::sin"; }},
      {"graph: node 1 (aten::sum) has not the arguments of its schema",
       [](Graph& g) { g.nodes[1].arguments.pop_back(); }},
      {"graph: node 1 (aten::sum): argument 'dim' is not the schema's 'dims'",
       [](Graph& g) { g.nodes[1].arguments[1].name = "dim"; }},
      {"graph: node 1 (aten::sum): argument 'keep' is not the schema's 'keep'",
       [](Graph& g) { g.nodes[1].arguments[2].attribute = std::int64_t{0}; }},
      {"graph: constant %1 has not the bytes of its shape",
       [](Graph& g) { g.values[1].data.pop_back(); }},
      {"graph: parameter %0 is neither input nor weight",
       [](Graph& g) { g.values[0].kind = ValueKind::kResult; }},
  };
  for (const Case& broken : cases) {
    Graph graph = read(kGood);
    broken.breaks(graph);
    const base::Status status = verify_graph(graph, FewOperators());
    EXPECT_EQ(status.code(), base::Code::kInternal) << broken.message;
    EXPECT_EQ(status.message(), broken.message);
  }
}

TEST(CheckStaticShapes, ForgivesWhatDependsOnConstantsAlone) {
  const Graph fixed = read(
      "graph \"g\"\n%0: f32[2] = constant [0x00000000, 0x3f800000]\n"
      "%1: i64[1,1] = aten::nonzero(self=%0)\nreturn %1\n");
  EXPECT_TRUE(check_static_shapes(fixed, FewOperators()).is_ok());
  const Graph varying = read(
      "graph \"g\"\n%0: f32[2] = input \"x\"\n"
      "%1: i64[1,1] = aten::nonzero(self=%0)  # model.py:3:4\nreturn %1\n");
  const base::Status status = check_static_shapes(varying, FewOperators());
  EXPECT_EQ(status.code(), base::Code::kUnsupported);
  EXPECT_TRUE(mentions(status.message(), {"depends on data: aten::nonzero", "model.py:3:4"}));
}

TEST(Simplify, DropsIdentitiesDeadCodeAndDeadDraws) {
  Graph graph = read(R"(graph "g"
%0: f32[2] = input "unused"
%1: f32[2] = weight "w"
%2: f32[2] = random "random0" [0x00000000, 0x00000000]
%3: f32[2] = random "random1" [0x00000000, 0x3f800000]
%4: f32[2] = aten::alias(self=%1)
%5: f32[2] = aten::dropout(self=%4, p=0.5, train=false)
%6: f32[2] = aten::dropout(self=%5, p=0.5, train=true)
%7: f32[2] = aten::relu(self=%2)
%8: f32[2] = aten::relu(self=%3)
return %6, %8, %4
)");
  simplify(graph);
  EXPECT_EQ(print_graph(graph), R"(graph "g"
%0: f32[2] = input "unused"
%1: f32[2] = weight "w"
%2: f32[2] = random "random0" [0x00000000, 0x3f800000]
%3: f32[2] = aten::dropout(self=%1, p=0.5, train=true)
%4: f32[2] = aten::relu(self=%2)
return %3, %4, %1
)");
}

}  // namespace verify_graph_test
}  // namespace graphnet::graph
