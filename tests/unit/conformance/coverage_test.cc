// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "conformance/case_file.h"

namespace graphnet::conformance {
namespace coverage_test {

struct OpRow {
  const char* symbol;
  const char* op;
};
constexpr OpRow kOps[] = {
#define GN_OP(symbol, op, decomposition) {#symbol, op},
#include "lowering/ops.def"
#undef GN_OP
};

bool calls(const Case& item, const std::string& op) {
  return std::any_of(item.graph.nodes.begin(), item.graph.nodes.end(),
                     [&](const graph::Node& node) { return node.op == op; });
}

// "op" of "family/op/dtype/variant".
std::string symbol_of(const Case& item) {
  const std::string rest = item.name.substr(item.name.find('/') + 1);
  return rest.substr(0, rest.find('/'));
}

std::map<std::string, std::vector<const Case*>> by_symbol(const std::vector<Case>& cases) {
  std::map<std::string, std::vector<const Case*>> found;
  for (const Case& each : cases) found[symbol_of(each)].push_back(&each);
  return found;
}

TEST(Coverage, EveryOperatorHasCasesOfItsName) {
  const auto cases = read_cases(GRAPHNET_CASES);
  ASSERT_TRUE(cases.is_ok()) << cases.status().message();
  const auto found = by_symbol(*cases);
  for (const OpRow& row : kOps) {
    const auto same_symbol = found.find(row.symbol);
    ASSERT_NE(same_symbol, found.end()) << "no case for " << row.op;
    for (const Case* item : same_symbol->second) EXPECT_TRUE(calls(*item, row.op)) << item->name;
  }
}

TEST(Coverage, CasesBindWeightsAndMeetTheEdges) {
  const auto cases = read_cases(GRAPHNET_CASES);
  ASSERT_TRUE(cases.is_ok()) << cases.status().message();
  std::set<std::string> with;
  for (const Case& item : *cases) {
    for (const graph::ValueId id : item.graph.parameters) {
      const graph::Value& value = item.graph.value(id);
      if (value.kind == graph::ValueKind::kWeight) with.insert("a weight");
      if (value.shape.empty()) with.insert("a scalar");
      if (base::num_elements(value.shape) == 0) with.insert("no element");
      with.insert(base::dtype_name(value.dtype));
    }
  }
  EXPECT_EQ(with, (std::set<std::string>{"a scalar", "a weight", "bfloat16", "bool", "complex64",
                                         "float16", "float32", "float64", "int32", "int64",
                                         "no element", "uint8"}));
}

}  // namespace coverage_test
}  // namespace graphnet::conformance
